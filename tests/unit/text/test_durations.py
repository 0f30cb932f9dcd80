"""Spans of time on a command line."""

from __future__ import annotations

from datetime import timedelta

import pytest

from diarist.errors import UsageError
from diarist.text.durations import parse_duration


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("14d", timedelta(days=14)),
        ("36h", timedelta(hours=36)),
        ("30m", timedelta(minutes=30)),
        ("5s", timedelta(seconds=5)),
        ("2w", timedelta(weeks=2)),
        ("7", timedelta(days=7)),
        (" 7D ", timedelta(days=7)),
        ("0007", timedelta(days=7)),
        ("36500d", timedelta(days=36500)),
    ],
)
def test_whole_numbers_with_a_unit(text: str, span: timedelta) -> None:
    assert parse_duration(text) == span


@pytest.mark.parametrize(
    "text", ["", " ", "d", "²", "٣d", "-1d", "+1d", "1.5h", "1e3s", "5 d", "5dd", "5y", "0d", "36501d", "9" * 40 + "d", "1d\x00", "five"]
)
def test_anything_else_is_told_apart_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"Write .*\d"):
        parse_duration(text)
