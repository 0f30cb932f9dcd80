"""Times that come from outside."""

from __future__ import annotations

from datetime import UTC, datetime

from diarist.errors import InvalidInputError


def utc(at: datetime, name: str) -> datetime:
    """The time in UTC. Raises InvalidInputError where it does not tell its zone."""
    if at.tzinfo is None:
        raise InvalidInputError(f"{name} must be an aware datetime; add tzinfo=timezone.utc")
    return at.astimezone(UTC)
