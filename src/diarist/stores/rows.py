"""Model values to rows and back. The only place that knows how a value is spelled in columns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

import msgspec

from diarist.errors import InvalidInputError
from diarist.model.record import Change, HistoryEvent, Part, Record, SearchText, SourceState
from diarist.stores.database import NOT_UNICODE

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_json = msgspec.json.Encoder(order="deterministic")
_texts = msgspec.json.Decoder(tuple[str, ...])
_search = msgspec.json.Decoder(SearchText)

RECORD_COLUMNS = (
    "id",
    "kind",
    "namespace",
    "project",
    "agent",
    "workflow",
    "task_id",
    "session_id",
    "outcome",
    "verified",
    "title",
    "tags",
    "trust",
    "status",
    "created_at",
    "updated_at",
    "revision",
    "digest",
)
"""Columns of `record_columns` in the vocabulary, in order; after them come seq and the payload that holds the body."""
_columns_of = attrgetter(*RECORD_COLUMNS)


def _encode(value: object) -> bytes:
    try:
        return _json.encode(value)
    except UnicodeEncodeError as error:
        raise InvalidInputError(NOT_UNICODE) from error


def to_micros(at: datetime) -> int:
    """Whole microseconds since 1970 UTC.

    Raises
    ------
    InvalidInputError
        The time has no time zone.
    """
    if at.tzinfo is None:
        raise InvalidInputError(f"the time {at.isoformat()} has no time zone; give aware UTC times")
    return (at - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Microseconds since 1970, as stored → an aware UTC datetime."""
    return EPOCH + timedelta(microseconds=micros)


def list_to_text(values: Sequence[object]) -> str:
    """Texts → JSON, as stored."""
    return _encode(values).decode()


def text_to_list(text: str) -> Any:
    """JSON, as stored → texts."""
    return _texts.decode(text)


def record_to_row(record: Record, *, revision: int, seq: int) -> dict[str, object]:
    """Columns of the table records, the tenant left out."""
    row: dict[str, object] = dict(zip(RECORD_COLUMNS, _columns_of(record), strict=True))
    row.update(
        verified=None if record.verified is None else int(record.verified),
        tags=list_to_text(record.tags),
        created_at=to_micros(record.created_at),
        updated_at=to_micros(record.updated_at),
        revision=revision,
        seq=seq,
    )
    return row


def row_to_record(row: Sequence[Any]) -> Record:
    """From the columns of `record_columns`.

    Raises
    ------
    ValueError
        The row does not make a record: its body is gone, or a column holds what it cannot.
    """
    *columns, seq, payload = row
    if payload is None:
        raise ValueError("its body is missing")
    values = dict(zip(RECORD_COLUMNS, columns, strict=True))
    values.update(
        verified=None if values["verified"] is None else bool(values["verified"]),
        tags=text_to_list(values["tags"]),
        created_at=from_micros(values["created_at"]),
        updated_at=from_micros(values["updated_at"]),
    )
    return Record(**values, seq=seq, body=payload_body(payload))


def row_to_indexed(row: Sequence[Any]) -> tuple[Record, SearchText | None]:
    """From a change, the search text and the columns of `record_columns`. Raises ValueError as `row_to_record` does."""
    _, search, *columns = row
    return row_to_record(columns), None if search is None else json_to_search(search)


def search_to_json(search: SearchText) -> bytes:
    """What the index is told of a record → JSON, as stored."""
    return _encode(search)


def json_to_search(text: bytes) -> SearchText:
    """JSON, as stored → what the index is told of a record."""
    return _search.decode(text)


def envelope(record: Record, *, revision: int, search: bytes) -> dict[str, object]:
    """Everything that is said of a record beside its body; of its search text the digest, so that history vouches for that too."""
    facts: dict[str, object] = dict(zip(RECORD_COLUMNS, _columns_of(record), strict=True))
    facts.update(
        created_at=record.created_at.astimezone(UTC),
        updated_at=record.updated_at.astimezone(UTC),
        revision=revision,
        search=hashlib.sha256(search).hexdigest(),
    )
    return facts


def make_payload(facts: dict[str, object], body: bytes = b"") -> bytes:
    """What a history event keeps: the envelope as one line of JSON, then the body if it is a new one."""
    return _encode(facts) + b"\n" + body


def payload_facts(payload: bytes) -> dict[str, Any]:
    """The envelope of a payload, as plain JSON values."""
    facts: dict[str, Any] = msgspec.json.decode(payload.partition(b"\n")[0], type=dict[str, Any])
    return facts


def payload_body(payload: bytes) -> bytes:
    """The record's body out of a history payload."""
    return payload.partition(b"\n")[2]


def row_to_change(row: Sequence[Any]) -> Change:
    """A row of the change log."""
    seq, record_id, op = row
    return Change(seq=seq, record_id=record_id, op=op)


def row_to_event(row: Sequence[Any]) -> HistoryEvent:
    """A row of the history, with its payload where that was not erased."""
    seq, record_id, action, actor, at, revision, commitment, payload = row
    return HistoryEvent(
        seq=seq,
        record_id=record_id,
        action=action,
        actor=actor,
        at=from_micros(at),
        revision=revision,
        commitment=commitment,
        payload=payload,
    )


def part_to_row(part: Part) -> dict[str, object]:
    """Columns of the table parts, the tenant left out."""
    return {
        "agent": part.agent,
        "session": part.session,
        "part": part.key,
        "role": part.role,
        "chunks": list_to_text(part.chunks),
        "steps": part.steps,
        "first_at": None if part.first_at is None else to_micros(part.first_at),
        "info": part.info,
        "capture": part.capture,
        "rules_version": part.rules_version,
    }


def row_to_part(row: Sequence[Any]) -> Part:
    """A row of a session's parts."""
    agent, session, key, role, chunks, steps, first_at, info, capture, rules_version = row
    return Part(
        agent=agent,
        session=session,
        key=key,
        role=role,
        chunks=text_to_list(chunks),
        steps=steps,
        first_at=None if first_at is None else from_micros(first_at),
        info=info,
        capture=capture,
        rules_version=rules_version,
    )


def source_to_row(source: SourceState) -> dict[str, object]:
    """Columns of the table sources, the tenant left out."""
    return {
        "source": source.key,
        "path": source.path,
        "importer": source.importer,
        "size": source.size,
        "mtime_ns": source.mtime_ns,
        "inode": str(source.inode),
        "head": source.head,
        "offset": source.offset,
        "state": source.state,
        "sessions": list_to_text(source.sessions),
        "read_at": to_micros(source.read_at),
        "problem": source.problem,
    }


def row_to_source(row: Sequence[Any]) -> SourceState:
    """A row of the files that were read."""
    key, path, importer, size, mtime_ns, inode, head, offset, state, sessions, read_at, problem = row
    return SourceState(
        key=key,
        path=path,
        importer=importer,
        size=size,
        mtime_ns=mtime_ns,
        inode=int(inode),
        head=head,
        offset=offset,
        state=state,
        sessions=text_to_list(sessions),
        read_at=from_micros(read_at),
        problem=problem,
    )
