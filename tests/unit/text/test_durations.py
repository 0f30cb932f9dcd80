"""Spans of time on a command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from diarist.errors import UsageError
from diarist.text.durations import parse_duration, parse_moment


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


NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("14d", datetime(2026, 2, 24, 12, tzinfo=UTC)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T08:30+02:00", datetime(2026, 3, 1, 6, 30, tzinfo=UTC)),
    ],
)
def test_a_moment_is_a_span_back_or_a_date_in_utc(text: str, moment: datetime) -> None:
    assert parse_moment(text, NOW) == moment


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "0001-01-01T00:00+09:00"])
def test_what_is_no_moment_is_said(text: str) -> None:
    with pytest.raises(UsageError):
        parse_moment(text, NOW)


def test_a_span_back_beyond_the_first_year_is_said() -> None:
    with pytest.raises(UsageError, match="year 1"):
        parse_moment("36500d", datetime(90, 1, 1, tzinfo=UTC))
