"""`runtime/diaries/<task_id>.json`: Bernstein's nine fields, same names and meanings, and ours beside them."""

from __future__ import annotations

import json

from diarist.model.record import Record
from diarist.text.names import file_name

BERNSTEIN_FIELDS = ("task_id", "tried", "worked", "failed", "rationale", "tags", "redaction_hash", "created_at", "schema_version")


def path_of(record: Record) -> str | None:
    """Where the entry is published, relative to the publish root; None for what is no entry."""
    return f"runtime/diaries/{file_name(record.task_id or record.id)}.json" if record.kind == "entry" else None


def render(record: Record) -> bytes:
    """UTF-8 JSON, indent 2, keys sorted: same entry, same bytes."""
    entry = json.loads(record.body)
    entry["created_at"] = record.created_at.isoformat(timespec="seconds")
    return json.dumps(entry, ensure_ascii=False, indent=2, sort_keys=True).encode("utf-8", "replace") + b"\n"
