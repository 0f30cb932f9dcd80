"""Records as every page and answer shows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from diarist.model.record import Record


def body_of(record: Record) -> dict[str, Any]:
    """The JSON that a record holds."""
    body = json.loads(record.body)
    return body if isinstance(body, dict) else {"value": body}


def iso(at: datetime | None) -> str:
    """ISO 8601 with Z; "" for None."""
    return "" if at is None else at.isoformat().replace("+00:00", "Z")
