"""Records as every page and answer shows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from diarist.app.memory import Memory
    from diarist.model.record import Record


def markdown_of(memory: Memory, record: Record) -> str:
    """A record as Markdown: an entry's hub document, a note's or skill's own text, else its fields."""
    if record.kind == "entry":
        return memory.render(record.id)
    body = body_of(record)
    for name in ("body", "text"):
        if isinstance(body.get(name), str):
            return str(body[name])
    return f"```json\n{json.dumps(body, ensure_ascii=False, indent=2)}\n```\n"


def body_of(record: Record) -> dict[str, Any]:
    """The JSON that a record holds."""
    body = json.loads(record.body)
    return body if isinstance(body, dict) else {"value": body}


def iso(at: datetime | None) -> str:
    """ISO 8601 with Z; "" for None."""
    return "" if at is None else at.isoformat().replace("+00:00", "Z")
