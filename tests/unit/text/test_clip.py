"""Shortening text."""

from __future__ import annotations

import pytest

from diarist.text.clip import clip


@pytest.mark.parametrize(
    ("text", "limit", "clipped"),
    [
        ("short enough", 12, "short enough"),
        ("One sentence stands here. Another one follows it.", 40, "One sentence stands here.…"),
        ("words without any stop go on and on", 20, "words without any…"),
        ("words, then a comma", 8, "words…"),
        ("unbrokenunbrokenunbroken", 10, "unbrokenu…"),
        ("句子一。句子二。句子三。", 9, "句子一。句子二。…"),
        ("anything", 1, "…"),
        ("anything", 0, ""),
    ],
)
def test_cuts_where_a_reader_would(text: str, limit: int, clipped: str) -> None:
    assert clip(text, limit) == clipped


def test_never_parts_a_letter_from_its_accent() -> None:
    assert clip("e\u0301" * 9, 8).removesuffix("…").count("e") == clip("e\u0301" * 9, 8).count("\u0301")
