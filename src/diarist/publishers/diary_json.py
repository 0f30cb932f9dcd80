"""`runtime/diaries/<task_id>.json`: Bernstein's nine fields, same names and meanings, and ours beside them."""

from __future__ import annotations

import msgspec

from diarist.model.record import Record
from diarist.text.names import file_name

BERNSTEIN_FIELDS = ("task_id", "tried", "worked", "failed", "rationale", "tags", "redaction_hash", "created_at", "schema_version")


def path_of(record: Record) -> str | None:
    """Where the entry is published, relative to the publish root; None for what is no entry."""
    return f"runtime/diaries/{file_name(record.task_id or record.id)}.json" if record.kind == "entry" else None


def render(record: Record) -> bytes:
    """UTF-8 JSON, indent 2, keys sorted: same entry, same bytes. Times as Bernstein writes them (`+00:00`)."""
    entry = msgspec.json.decode(record.body)
    entry["created_at"] = record.created_at.isoformat(timespec="seconds")
    return msgspec.json.format(msgspec.json.encode(entry, order="sorted"), indent=2) + b"\n"
