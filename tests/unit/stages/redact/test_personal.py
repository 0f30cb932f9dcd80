"""Personal data, on request: shapes and checksums."""

from __future__ import annotations

import pytest

from diarist.errors import InvalidInputError
from diarist.stages.redact import RedactionRules, Redactor


def masked(kind: str, text: str) -> str:
    return Redactor(RedactionRules(personal=(kind,))).redact(text)


@pytest.mark.parametrize(
    ("kind", "text", "left"),
    [
        ("email", "Author: Ann <ann.b+c@mail.example.co.uk>", "Author: Ann <[REDACTED:email]>"),
        ("email", "git@github.com:acme/app.git", "git@github.com:acme/app.git"),
        ("phone", "call +49 30 901820 or +1 (415) 555-2671", "call [REDACTED:phone] or [REDACTED:phone]"),
        ("phone", "1 + 415 and +12", "1 + 415 and +12"),
        ("iban", "to DE89 3704 0044 0532 0130 00.", "to [REDACTED:iban]."),
        ("iban", "to GB82WEST12345698765432 GB82WEST12345698765433", "to [REDACTED:iban] GB82WEST12345698765433"),
        ("card", "4111 1111 1111 1111 4111 1111 1111 1112", "[REDACTED:card] 4111 1111 1111 1112"),
        ("ip", "93.184.216.34 10.0.0.1 127.0.0.1 1.2.3", "[REDACTED:ip] 10.0.0.1 127.0.0.1 1.2.3"),
        ("ip", "2606:4700:4700::1111 fe80::1 10:20:30", "[REDACTED:ip] fe80::1 10:20:30"),
        ("home", "/home/ann/x /Users/bob/y", "/home/[REDACTED:home]/x /Users/[REDACTED:home]/y"),
        ("home", r"C:\Users\ann\x", r"C:\Users\[REDACTED:home]\x"),
        ("home", "/home/$USER/x /home/runner/work", "/home/$USER/x /home/runner/work"),
        ("home", "~/.claude/projects/-home-ann-app/a.jsonl", "~/.claude/projects/-home-[REDACTED:home]-app/a.jsonl"),
    ],
)
def test_each_kind_is_told_by_shape_and_checksum(kind: str, text: str, left: str) -> None:
    assert masked(kind, text) == left


def test_personal_data_stays_unless_asked_for() -> None:
    text = "ann@example.com +49 30 901820 93.184.216.34 /home/ann"
    assert Redactor().redact(text) == text


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="shoe-size"):
        masked("shoe-size", "x")
