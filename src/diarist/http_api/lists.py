"""Pages of lists, and cursors that stay right while records come and go."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import msgspec

from diarist.app.graph import scope_of
from diarist.asgi.problems import Problem
from diarist.asgi.reading import iso
from diarist.errors import UsageError
from diarist.http_api.answered import Found, Item
from diarist.text.durations import parse_moment

if TYPE_CHECKING:
    from diarist.http_api.route import Call
    from diarist.model.hit import Hit
    from diarist.model.record import Record, RecordFilter

T = TypeVar("T")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
MOST = 1_000_000


def make_cursor(*parts: object) -> str:
    """An opaque place in a list."""
    return base64.urlsafe_b64encode(":".join(map(str, parts)).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> list[str]:
    """The parts of a cursor. Raises Problem 422 for what cannot be one of ours."""
    try:
        return base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode("ascii").split(":")
    except (binascii.Error, ValueError) as error:
        raise _no_cursor() from error


def offset_of(cursor: str) -> int:
    """The number a cursor of `page` holds; 0 for none."""
    if not cursor:
        return 0
    [*rest, number] = read_cursor(cursor)
    if rest or not (number.isascii() and number.isdigit()) or int(number) > MOST:
        raise _no_cursor()
    return int(number)


def page(found: Sequence[T], cursor: str, limit: int) -> tuple[Sequence[T], str | None]:
    """A page of a list that is at hand whole, and the next cursor."""
    start = offset_of(cursor)
    return found[start : start + limit], make_cursor(start + limit) if len(found) > start + limit else None


def list_page(call: Call, where: RecordFilter, limit: int, cursor: str) -> tuple[list[Record], str | None]:
    """A page of records, newest first: it goes on after the last record of the page before, whatever was written since."""
    at, last = None, ""
    if cursor:
        at, beyond, last = _place_of(cursor)
        where = msgspec.structs.replace(where, before=beyond if where.before is None else min(where.before, beyond))
    records = call.memory.list_records(where, limit=limit + 1 + (limit if cursor else 0))
    fresh = (record for record in records if at is None or record.created_at < at or record.id > last)
    found = list(islice(fresh, limit + 1))
    if len(found) <= limit:
        return found, None
    end = found[limit - 1]
    return found[:limit], make_cursor((end.created_at - _EPOCH) // _MICRO, end.id)


def _place_of(cursor: str) -> tuple[datetime, datetime, str]:
    """When the last record of the page before was made, the moment after that, and its id."""
    try:
        number, last = read_cursor(cursor)
        at = _EPOCH + int(number) * _MICRO
        return at, at + _MICRO, last
    except (ValueError, OverflowError) as error:  # no number, or one beyond all times
        raise _no_cursor() from error


def item_of(record: Record) -> Item:
    """A record in a list."""
    return Item(
        id=record.id,
        kind=record.kind,
        title=record.title,
        scope=scope_of(record.kind, record.project, record.agent),
        project=record.project,
        agent=record.agent,
        workflow=record.workflow,
        task_id=record.task_id,
        outcome=record.outcome,
        verified=record.verified,
        tags=list(record.tags),
        trust=record.trust,
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        revision=record.revision,
    )


def found_of(call: Call, hit: Hit) -> Found:
    """A hit as an answer tells it."""
    told = hit._asdict()
    told.pop("reasons", None)
    return Found(**told, scope=scope_of(hit.kind, hit.project, hit.agent), url=call.url(hit.id))


def time_of(text: str, name: str, now: datetime) -> datetime | None:
    """A duration back from now, or an ISO date or time; None for "". Raises UsageError."""
    if not text:
        return None
    try:
        return parse_moment(text, now)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def _no_cursor() -> Problem:
    return Problem(422, "that is no cursor of this list; pass `next_cursor` of the page before, or leave it out to begin anew")
