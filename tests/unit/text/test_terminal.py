"""Text from terminals and to terminals."""

from __future__ import annotations

import pytest

from diarist.text.terminal import plain, safe

ESC = "\x1b"


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        (f"{ESC}[1;31mfailed{ESC}[0m{ESC}[K", "failed"),
        (f"{ESC}]0;window title\x07done", "done"),
        (f"{ESC}]8;;https://example.org{ESC}\\link{ESC}]8;;{ESC}\\", "link"),
        (f"{ESC}(Bplain{ESC}=", "plain"),
        ("10%\r55%\r100%\nnext", "100%\nnext"),
        ("kept\r", "kept"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        (f"{ESC}]0;a title that never ends\nthe next line", "\nthe next line"),
        ("", ""),
    ],
)
def test_plain_is_what_a_person_saw_in_the_end(shown: str, read: str) -> None:
    assert plain(shown) == read


def test_safe_text_cannot_act_on_a_terminal() -> None:
    hostile = f"a{ESC}[2Jb\x07c\u202ed\u2066e\u200ff\x9bg\U000e0041h\ud800i\x00"
    made = safe(hostile)
    assert made.startswith("ab\ufffdc\ufffdd\ufffde\ufffdf")
    assert all(char.isprintable() or char == "\ufffd" for char in made)


def test_safe_text_keeps_what_is_harmless() -> None:
    text = "tabs\tand\nlines, größe, 漢字, 👩‍🔧"
    assert safe(text) == text
