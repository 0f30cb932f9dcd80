"""Spans and points of time as people write them on a command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from diarist.errors import UsageError

_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_LONGEST = 36_500 * 86_400


def parse_duration(text: str) -> timedelta:
    """Reads "14d", "36h", "30m", "5s", "2w" or "7" (days) as a positive timedelta, exactly.

    Raises
    ------
    UsageError
        Anything else: no number, a sign, a fraction, another unit, digits that are not 0 to 9, zero, or more than a hundred
        years.
    """
    cleaned = text.strip()
    number, unit = (cleaned[:-1], cleaned[-1:].lower()) if cleaned[-1:].isalpha() else (cleaned, "d")
    if not (number.isascii() and number.isdigit() and unit in _UNITS):
        raise UsageError(f"{text!r} is not a span of time. Write a whole number and a unit: 14d, 36h, 30m, 5s or 2w (no unit: days).")
    seconds = int(number) * _UNITS[unit] if len(number.lstrip("0")) <= 11 else _LONGEST + 1
    if seconds == 0:
        raise UsageError(f"{text!r} spans no time at all. Write at least 1s.")
    if seconds > _LONGEST:
        raise UsageError(f"{text!r} is longer than a hundred years. Write at most 36500d.")
    return timedelta(seconds=seconds)


def parse_moment(text: str, now: datetime) -> datetime:
    """Reads a span back from `now` ("14d"), or an ISO date or time (UTC unless it tells its zone), as an aware UTC datetime.

    Raises
    ------
    UsageError
        It is neither, or lies outside the years 1 to 9999.
    """
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    try:
        return now - parse_duration(text)
    except OverflowError:
        raise UsageError(f"{text!r} goes back beyond the year 1.") from None
