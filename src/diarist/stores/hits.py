"""Rows of a result list. Nothing beyond the standard library: a cold search loads this and not the model."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from diarist.model.hit import HitRow

if TYPE_CHECKING:
    from collections.abc import Sequence

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row_to_hit(row: Sequence[Any]) -> HitRow:
    """From the columns of the query `list_hits`."""
    (seq, id_, kind, status, trust, namespace, project, agent, workflow, task_id, session_id, outcome) = row[:12]
    verified, title, tags, created_at, updated_at, search = row[12:]
    texts = json.loads(search)
    return HitRow(
        seq=seq,
        id=id_,
        kind=kind,
        status=status,
        trust=trust,
        namespace=namespace,
        project=project,
        agent=agent,
        workflow=workflow,
        task_id=task_id,
        session_id=session_id,
        outcome=outcome,
        verified=None if verified is None else bool(verified),
        title=title,
        tags=() if tags == "[]" else tuple(json.loads(tags)),
        created_at=_time(created_at),
        updated_at=_time(updated_at),
        errors=texts["errors"],
        fixes=texts["fixes"],
        text=texts["body"],
    )


def body_of(payload: bytes) -> bytes:
    """The body in what a history event keeps: it stands behind the envelope's line."""
    return bytes(payload.partition(b"\n")[2])


@lru_cache(maxsize=2_000)
def _time(micros: int) -> str:
    return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
