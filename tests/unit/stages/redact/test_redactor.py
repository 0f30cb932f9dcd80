"""The redactor's public face: placeholders, private sections, findings, a user's rules, failing closed."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from diarist.errors import InvalidInputError, RedactionError
from diarist.stages.redact import RULES_VERSION, RedactionRules, Redactor, RedactStream, UserPattern, default_redactor, redact
from diarist.stages.redact.engine import Engine
from unit.stages.redact.secrets_made import Maker

make = Maker(11)


def test_a_placeholder_names_the_kind_and_nothing_else() -> None:
    token = make.github()
    assert redact(f"token {token}.") == "token [REDACTED:github-token]."


def test_text_without_secrets_comes_back_as_the_same_object() -> None:
    text = "Nothing to hide: 42 tokens, key=lambda x: x, commit 3f78685."
    assert redact(text) is text


def test_the_same_secret_gets_the_same_placeholder_everywhere() -> None:
    token = make.openai()
    assert redact(f"{token}\n{token}").splitlines() == ["[REDACTED:openai-key]"] * 2


def test_placeholders_of_other_tools_and_our_own_are_opaque() -> None:
    for text in ("password=[REDACTED]", "token: [REDACTED:secret.assignment]", 'api_key="[REDACTED:api-key]"'):
        assert redact(text) == text


def test_find_tells_rule_kind_and_place_in_characters() -> None:
    password = make.mixed(14)
    text = f"ünïcödé 🙂 password = '{password}'\nnext"
    (finding,) = default_redactor().find(text)
    assert text[finding.start : finding.end] == password
    assert (finding.rule, finding.kind) == ("assignment", "password")


def test_findings_are_what_redact_masks() -> None:
    text = f"a <private>x</private> {make.github()} b\nDB_PASSWORD={make.mixed(12)}\n"
    parts, at = [], 0
    for finding in default_redactor().find(text):
        parts += [text[at : finding.start], f"[REDACTED:{finding.kind}]"]
        at = finding.end
    assert "".join([*parts, text[at:]]) == redact(text)


def test_long_hex_is_masked_in_a_credentials_context_only() -> None:
    sha = make.hex(40)
    assert redact(f"commit {sha}") == f"commit {sha}"
    assert sha not in redact(f"Authorization: token {sha}")
    assert sha not in redact(f"API_KEY={sha}")
    assert sha not in redact(f"https://api.example.com/?access_token={sha}")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>secret plan</private> b", "a [REDACTED:private] b"),
        ("a <PRIVATE>secret plan</Private> b", "a [REDACTED:private] b"),
        ("a <private>secret plan", "a [REDACTED:private]"),
        ("a <private>x <private>y</private> z</private> b", "a [REDACTED:private] b"),
        ("a <private reason='mine'>x</private> b", "a [REDACTED:private] b"),
        ("a &lt;private&gt;x&lt;/private&gt; b", "a [REDACTED:private] b"),
        (r"a \u003cprivate\u003ex\u003c/private\u003e b", "a [REDACTED:private] b"),
        ("</private> a private life", "</private> a private life"),
        ("<private_key> stays a tag", "<private_key> stays a tag"),
    ],
)
def test_private_sections_are_dropped(text: str, left: str) -> None:
    assert redact(text) == left


def test_steps_of_masking_are_counted() -> None:
    text = f"<private>x</private> {make.github()} and {make.stripe()}"
    assert default_redactor().masked(text)[1] == 3


def test_a_users_pattern_masks_its_first_group() -> None:
    redactor = Redactor(RedactionRules(patterns=(UserPattern("Corp Badge", r"badge-([0-9]{6})"),)))
    assert redactor.redact("badge-123456") == "badge-[REDACTED:corp-badge]"


def test_a_users_keywords_limit_where_a_pattern_is_tried() -> None:
    redactor = Redactor(RedactionRules(patterns=(UserPattern("badge", r"\b[0-9]{6}\b", ("Badge",)),)))
    assert redactor.redact("BADGE: 123456") == "BADGE: [REDACTED:badge]"
    assert redactor.redact("number: 123456") == "number: 123456"


def test_allowed_values_and_rules_are_left_alone() -> None:
    token, password = make.github(), make.mixed(12)
    redactor = Redactor(RedactionRules(allow_values=(password,), allow_rules=("github-token",)))
    text = f"{token} password={password}"
    assert redactor.redact(text) == text
    assert make.github() not in Redactor().redact(text)


def test_a_users_rules_change_the_version() -> None:
    assert Redactor().version == RULES_VERSION
    first = Redactor(RedactionRules(allow_values=("a",))).version
    second = Redactor(RedactionRules(allow_values=("b",))).version
    assert first.startswith(RULES_VERSION + "+")
    assert first != second


@pytest.mark.parametrize("regex", ["(a+)+$", "([a-z]*)*x", "(", "(.*)+"])
def test_a_pattern_that_is_broken_or_endless_is_refused(regex: str) -> None:
    with pytest.raises(InvalidInputError, match="redaction rule 'mine'"):
        Redactor(RedactionRules(patterns=(UserPattern("mine", regex),))).redact("a")


def test_a_redactor_can_be_sent_to_another_process() -> None:
    redactor = pickle.loads(pickle.dumps(Redactor(RedactionRules(personal=("email",)))))
    assert redactor.redact("ann@example.com") == "[REDACTED:email]"


def test_any_fault_inside_drops_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault is made in the engine: there is no known text that causes one."""

    def fail(_self: Engine, _data: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Engine, "find", fail)
    for call in (Redactor().redact, Redactor().find, Redactor().json, RedactStream(Redactor()).feed):
        with pytest.raises(RedactionError) as caught:
            call("x y " * 100_000)
        assert "x y" not in str(caught.value)


class FolderCache:
    """Keeps compiled tables in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, key: str) -> bytes | None:
        path = self.folder / key
        return path.read_bytes() if path.exists() else None

    def save(self, key: str, data: bytes) -> None:
        (self.folder / key).write_bytes(data)


def test_tables_are_compiled_and_kept_only_once_there_was_enough_text(tmp_path: Path) -> None:
    pytest.importorskip("hyperscan")
    redactor = Redactor(cache=FolderCache(tmp_path))
    redactor.redact("a plain word " * 4_000)
    assert list(tmp_path.iterdir()) == []

    assert redactor.redact("a plain word " * 8_000 + make.github()).endswith("[REDACTED:github-token]")
    assert len(list(tmp_path.iterdir())) == 1


def test_compiled_tables_are_cached_and_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    pytest.importorskip("hyperscan")
    token = make.github()
    for content in (None, b"", b"damaged" * 100):
        for path in tmp_path.iterdir():
            if content is not None:
                path.write_bytes(content)
        redactor = Redactor(cache=FolderCache(tmp_path), prefilter="hyperscan")
        assert redactor.redact(f"a {token}") == "a [REDACTED:github-token]"
        assert len(list(tmp_path.iterdir())) == 1
    assert Redactor(cache=FolderCache(tmp_path), prefilter="hyperscan").redact(token) == "[REDACTED:github-token]"
