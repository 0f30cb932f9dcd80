"""File names: safe, injective, and the same for reader and writer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.text.names import MAX_BYTES, file_name, slug


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("task-42", "task-42"),
        ("a/b", "a%2Fb"),
        ("a b", "a%20b"),
        ("a_b", "a_b"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("end.", "end%2E"),
        ("", "%"),
        ("CON", "%43ON"),
        ("nul.txt", "%6Eul.txt"),
        ("é", "%C3%A9"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
    ],
)
def test_known_names(text: str, name: str) -> None:
    """Separators, dots, device names and other scripts are written as bytes."""
    assert file_name(text) == name


@given(st.text(max_size=400), st.text(max_size=400))
def test_two_texts_never_share_a_name(one: str, other: str) -> None:
    """Injective, also for texts that have to be cut."""
    assert (file_name(one) == file_name(other)) == (one == other)


@given(st.text(max_size=2000))
def test_a_name_stays_in_its_folder(text: str) -> None:
    """No separator, no leading or trailing dot, bounded."""
    name = file_name(text)
    assert name
    assert not set(name) & set("/\\\0:~") or "%~" in name
    assert name[0] != "."
    assert name[-1] != "."
    assert len(name) <= MAX_BYTES + 30


def test_slug_keeps_words_of_any_script() -> None:
    """Readable, bounded, lower-case."""
    assert slug("Fix the Login — test!") == "fix-the-login-test"
    assert slug("ログインの修正") == "ログインの修正"
    assert slug("!!!") == ""
    assert len(slug("word " * 100)) <= 48
