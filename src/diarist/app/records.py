"""Typed models → the store's envelope."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from diarist.model.codec import from_json, to_json
from diarist.model.entry import Entry
from diarist.model.record import Note, Record, SearchText, Trust
from diarist.model.redacted import Redacted, derived


def entry_record(entry: Entry, *, trust: Trust, at: datetime) -> Record:
    """The record of a diary entry; `at` is the time of writing."""
    body = to_json(entry)
    return Record(
        id=entry.id,
        kind="entry",
        namespace=derived(f"diaries/agents/{entry.agent}"),
        project=entry.project,
        agent=entry.agent,
        workflow=entry.workflow,
        task_id=entry.task_id,
        session_id=entry.session_id,
        outcome=entry.outcome,
        verified=entry.verified,
        title=entry.title,
        tags=entry.tags,
        trust=trust,
        created_at=entry.created_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )


def state_record(
    record_id: str,
    body: bytes,
    *,
    namespace: str,
    title: str,
    at: datetime,
    project: str = "",
    trust: Trust = "agent",
    tags: Sequence[str] = (),
) -> Record:
    """A record of something the program keeps for itself; `body` is its JSON. Title and project must be redacted or our own words."""
    return Record(
        id=record_id,
        kind="state",
        namespace=derived(namespace),
        project=derived(project),
        title=derived(title),
        tags=tuple(derived(tag) for tag in tags),
        trust=trust,
        created_at=at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )


def entry_of(record: Record) -> Entry:
    """The entry a record holds."""
    return from_json(record.body, Entry)


def note_record(
    record_id: str, note: Note, *, project: Redacted, trust: Trust, created_at: datetime, at: datetime
) -> tuple[Record, SearchText]:
    """The record of a curated document, and what the index is told of it."""
    body = to_json(note)
    record = Record(
        id=record_id,
        kind="note",
        namespace=derived("notes"),
        project=project,
        title=note.title,
        tags=note.tags,
        trust=trust,
        created_at=created_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    return record, SearchText(title=note.title, tags=derived(" ".join(note.tags)), body=note.body)
