"""Namespaced memory: the current value of an item, and the events it came from (those of Harn's `events.jsonl`)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted

RecallMode: TypeAlias = Literal["bm25", "vector", "hybrid"]


class MemoryItem(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind memory."""

    id: str
    """The caller's own id, or the record's. Distinct within its namespace."""
    key: Redacted
    value: Any
    """JSON, redacted."""
    text: Redacted
    """What recall searches besides key and tags."""
    tags: tuple[Redacted, ...] = ()
    stored_at: datetime
    provenance: dict[str, Any] | None = None
    status: Redacted | None = None
    scope: Redacted | None = None
    flags: dict[str, Any] | None = None
    event: dict[str, Any]
    """The event that stored it, as it was (redacted)."""
    order: int
    """Place of that event in the log of its namespace."""
    updated_at: datetime | None = None


class MemoryEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind state tagged "memory-event": an event that stores nothing (open, update, forget)."""

    event: dict[str, Any]
    order: int


class SpaceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a namespace was opened; the latest opening holds."""

    backend: RecallMode = "bm25"
    model_hint: Redacted = Redacted("")
    bm25_weight: float = 0.5
    vector_weight: float = 0.5
    retain: int = 10_000
    """Newest items that are kept; older ones are forgotten when more are stored."""


class MemoryHit(msgspec.Struct, frozen=True, kw_only=True):
    """What recall gives back."""

    item: MemoryItem
    score: float


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """Hits, best first, and how they were found: a mode that was asked for is never exchanged silently."""

    hits: tuple[MemoryHit, ...]
    requested_mode: RecallMode
    effective_mode: RecallMode
    fallback_reason: str = ""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The newest items of a namespace in a few lines, nothing but their own words."""

    count: int
    text: Redacted
    ids: tuple[str, ...]
