"""What the HTTP API answers about corrections, erasing and small facts. Times are ISO 8601, UTC."""

from __future__ import annotations

from typing import Any

import msgspec


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """A correction was written. `look_at`: lessons and skills that rest on the record too."""

    id: str
    target: str
    shape: str
    lessons: list[str]
    look_at: list[str]


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A record that an erasure reaches."""

    id: str
    kind: str


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """What was erased, or would be. `done` false with a receipt: the rest follows by itself."""

    receipt: str
    done: bool
    reached: list[Reached]


class FactStored(msgspec.Struct, frozen=True, kw_only=True):
    """A fact was stored."""

    id: str


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact of a namespace."""

    id: str
    key: str
    value: Any
    tags: list[str]
    stored_at: str


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """A page of facts, oldest first."""

    facts: list[Fact]
    next_cursor: str | None = None


class FactHit(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that fits."""

    score: float
    fact: Fact


class FactsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that fit a query, best first, and how they were looked for."""

    hits: list[FactHit]
    mode: str


class FactsForgotten(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of the facts that are forgotten now."""

    ids: list[str]
