"""What holds for any text."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from diarist.errors import UsageError
from diarist.stages.rank.query import parse_query
from diarist.text.analyse import analyse
from diarist.text.clip import clip
from diarist.text.durations import parse_duration
from diarist.text.fingerprint import errors_in
from diarist.text.terminal import plain, safe
from diarist.text.wrap import unwrap

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ANY = st.text(max_size=400)
CONSOLE = st.lists(
    st.sampled_from(
        [
            "Traceback (most recent call last):",
            '  File "a.py", line 3, in f',
            "ValueError: bad",
            "error: no",
            "[ERROR] x",
            "E   assert 1",
            "@@ -1 +1 @@",
            "+x",
            "",
            "npm ERR! code",
            "* What went wrong:",
            "> x",
            "CMake Error at a:1:",
            "2026-01-01 00:00:00 ERROR y",
            "\x1b[31mred",
        ]
    )
    | st.text(max_size=90),
    max_size=30,
).map("\n".join)


@given(ANY)
def test_terms_are_what_the_index_can_hold(text: str) -> None:
    for term in analyse(text):
        assert 0 < len(term) <= 64
        assert not any(char in " \t\n\r\x0b\x0c" for char in term)


@given(ANY)
def test_the_same_text_gives_the_same_terms(text: str) -> None:
    assert analyse(text) == analyse(text)


@given(ANY)
def test_safe_is_stable_and_holds_no_control(text: str) -> None:
    made = safe(text)
    assert safe(made) == made
    assert not any(ord(char) < 32 and char not in "\t\n" for char in made)


@given(ANY)
def test_plain_text_holds_no_escape(text: str) -> None:
    assert "\x1b" not in plain(text)


@given(ANY, st.integers(0, 60))
def test_a_clipped_text_fits(text: str, limit: int) -> None:
    assert len(clip(text, limit)) <= max(limit, 0) or len(text) <= limit


@given(CONSOLE, st.booleans())
def test_errors_stand_on_lines_of_their_text(text: str, failed: bool) -> None:
    found = errors_in(text, failed=failed)
    assert len({error.fingerprint for error in found}) == len(found)
    for error in found:
        assert 0 <= error.line < len(plain(text).split("\n"))
        assert len(error.fingerprint) == 16
        assert len(error.message) <= 300


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\n"), max_size=80), max_size=20))
def test_unwrapping_loses_no_character(lines: list[str]) -> None:
    joined, starts = unwrap(lines)
    assert "".join("".join(joined).split()) == "".join("".join(lines).split())
    assert len(starts) == len(joined)


@given(ANY)
def test_a_query_is_read_or_explained(text: str) -> None:
    with suppress(UsageError):
        parse_query(text, NOW)
    parse_query(text, NOW, lenient=True)


@given(st.text(max_size=12))
def test_a_span_of_time_is_read_or_explained(text: str) -> None:
    with suppress(UsageError):
        assert parse_duration(text).total_seconds() > 0
