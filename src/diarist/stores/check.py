"""Whether what the store says is what its history says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from diarist.model.record import Record
from diarist.stores import rows
from diarist.stores.chain import Event, commit, link_hash
from diarist.stores.database import Row


class Fetch(Protocol):
    """Runs a named query for the tenant."""

    def __call__(self, name: str, **parameters: object) -> list[Row]: ...


class Pages(Protocol):
    """Rows of a named query, a page at a time."""

    def __call__(self, name: str, after: object, **parameters: object) -> Iterator[Row]: ...


def check_history(fetch: Fetch, pages: Pages) -> Iterator[str]:
    """One line per break: events, links, the head, then each record against its last event. Memory does not grow with texts."""
    yield from _check_chain(fetch, pages)
    for row in pages("list_records_to_check", ""):
        yield from _check_record(row, fetch("list_tags", record_id=row[0]))
    for record_id, seq, last in fetch("list_unsettled"):
        state = "is missing" if last is None else f"is at change {last}"
        yield f"record {record_id}: history ends with change {seq}, but the record {state}"
    for seq, record_id in fetch("list_wrong_changes"):
        yield f"change {seq}: the change log does not say what happened to {record_id}"


def _check_chain(fetch: Fetch, pages: Pages) -> Iterator[str]:
    erasures: dict[str, int] = dict(fetch("list_erasures"))
    events = pages("list_raw_events", 0)
    waiting = next(events, None)
    head, expected, last_seq = "", 1, 0
    for link, at, actor, count, stored in pages("list_links", 0):
        if link != expected:
            yield f"link {expected}: missing"
        expected = link + 1
        mine: list[Event] = []
        while waiting is not None and waiting[1] <= link:
            yield from _check_event(waiting, link, erasures)
            last_seq = waiting[0]
            mine.append(Event(waiting[0], *waiting[2:6]))
            waiting = next(events, None)
        if len(mine) != count:
            yield f"link {link}: {count} events were written, {len(mine)} are there"
        elif link_hash(head, link, at, actor, mine) != stored:
            yield f"link {link}: its hash does not fit its events and the link before"
        head = stored
    if waiting is not None:
        yield f"event {waiting[0]}: it belongs to no link"
    for _, _, seq, link, stored in fetch("find_workspace"):
        last_link = expected - 1
        if (seq, link, stored) != (last_seq, last_link, head):
            yield f"head: the workspace says change {seq} and link {link}; history ends with change {last_seq} and link {last_link}"


def _check_event(row: Row, link: int, erasures: dict[str, int]) -> Iterator[str]:
    seq, own_link, record_id, action, _, commitment, salt, payload = row
    gone = action == "erase" or erasures.get(record_id, 0) > seq
    if own_link != link:
        yield f"event {seq} ({record_id}): it belongs to no link"
    if payload is None:
        if not gone:
            yield f"event {seq} ({record_id}): its payload is missing, and it was not erased"
    elif gone:
        yield f"event {seq} ({record_id}): its payload is there, though it was erased"
    elif not (isinstance(salt, bytes) and isinstance(payload, bytes)) or commit(salt, payload) != commitment:
        yield f"event {seq} ({record_id}): its payload is not what was committed to"


def _check_record(row: Row, tags: Iterable[Row]) -> Iterator[str]:
    width = len(rows.RECORD_COLUMNS) + 2
    columns, last, search = row[:width], row[width], row[width + 1 :]
    try:
        record = rows.row_to_record(columns)
        facts = _facts(record, search)
    except (ValueError, TypeError, OverflowError) as error:
        yield f"record {row[0]}: it cannot be read ({error})"
        return
    if hashlib.sha256(record.body).hexdigest() != record.digest:
        yield f"record {record.id}: its body is not what its digest says"
    if last is None or bytes(last).partition(b"\n")[0] != facts:
        yield f"record {record.id}: it is not what its last event says"
    if [tag for (tag,) in tags] != sorted(set(record.tags)):
        yield f"record {record.id}: it is filed under other tags than its own"


def _facts(record: Record, search: Sequence[Any]) -> bytes:
    if search[0] is None:
        raise msgspec.ValidationError("its search text is missing")
    digest = rows.search_digest(rows.row_to_search(search))
    return rows.make_payload(rows.envelope(record, revision=record.revision, search=digest)).rstrip(b"\n")
