"""A user's redaction rules, from settings and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from diarist.app.redacting import FileCache
from diarist.bootstrap import build_redactor
from diarist.config import Settings, load_settings
from diarist.errors import InvalidInputError


def settings(tmp_path: Path, rules: str = "", **environ: str) -> Settings:
    """Settings whose rules file holds this."""
    path = tmp_path / "rules.toml"
    path.write_text(rules)
    named = {"DIARIST_REDACT_RULES": str(path)} if rules else {}
    return load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path), **named, **environ})


def test_own_patterns_mask_and_allowed_values_stay(tmp_path: Path) -> None:
    """The version of the rules changes with them."""
    token = "ghp_" + "".join(chr(97 + (number * 5) % 26) for number in range(36))
    rules = f'allow_values = ["{token}"]\n[[pattern]]\nid = "badge"\nregex = "badge-([0-9]{{4}})"\n'
    redactor = build_redactor(settings(tmp_path, rules))
    assert redactor.redact(f"badge-1234 and {token}") == f"badge-[REDACTED:badge] and {token}"
    plain = build_redactor(settings(tmp_path))
    assert plain.redact("badge-1234") == "badge-1234"
    assert plain.version != redactor.version


def test_a_gitleaks_file_is_taken_as_it_is(tmp_path: Path) -> None:
    """Named directly, or from a rules file."""
    gitleaks = "[[rules]]\nid = \"internal-key\"\nregex = '''ik-[a-z]{8}'''\nkeywords = [\"ik-\"]\n"
    assert "internal-key" in build_redactor(settings(tmp_path, gitleaks)).redact("ik-abcdefgh")
    (tmp_path / "gitleaks.toml").write_text(gitleaks)
    assert "internal-key" in build_redactor(settings(tmp_path, 'gitleaks = "gitleaks.toml"\n')).redact("ik-abcdefgh")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("not toml", "not valid TOML"),
        ("colour = 1", "'colour' is not known"),
        ("[[pattern]]\nid = 'x'", "needs an id and a regex"),
        ("[[pattern]]\nid = 'x'\nregex = '('", "x"),
        ("allow_values = 'x'", "must be a list of texts"),
        ("gitleaks = 'missing.toml'", "cannot read"),
    ],
)
def test_a_bad_rules_file_is_named(tmp_path: Path, rules: str, said: str) -> None:
    """With what is wrong in it."""
    with pytest.raises(InvalidInputError, match=said):
        build_redactor(settings(tmp_path, rules)).redact("x")


def test_unknown_kinds_of_personal_data_are_named(tmp_path: Path) -> None:
    """With those there are."""
    config = tmp_path / ".config" / "diarist"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[redact]\npii = ['email', 'shoe-size']\n")
    with pytest.raises(InvalidInputError, match="shoe-size"):
        build_redactor(load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path)}))
    (config / "config.toml").write_text("[redact]\npii = ['email']\n")
    redactor = build_redactor(load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path)}))
    assert redactor.redact("write to kim@example.org now") == "write to [REDACTED:email] now"


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    """And what it keeps it gives back."""
    cache = FileCache(tmp_path / "cache")
    cache.save("ab", b"1")
    assert cache.load("ab") == b"1"
    assert cache.load("cd") is None
    (tmp_path / "file").write_text("")
    blocked = FileCache(tmp_path / "file")
    blocked.save("ab", b"1")
    assert blocked.load("ab") is None
