"""Whether what the store says is what its history says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Protocol

from diarist.stores import rows
from diarist.stores.chain import Event, commit, make_link
from diarist.stores.database import Row


class Fetch(Protocol):
    """Runs a named query for the tenant."""

    def __call__(self, name: str, **parameters: object) -> list[Row]: ...


class Pages(Protocol):
    """Rows of a named query, a page at a time."""

    def __call__(self, name: str, after: object, **parameters: object) -> Iterator[Row]: ...


def check_history(fetch: Fetch, pages: Pages) -> Iterator[str]:
    """One line per break: events and links in order, then each record against its last event. Memory does not grow with texts."""
    yield from _check_chain(pages("list_events_to_check", 0), dict(fetch("list_erasures")), dict(fetch("list_rescans")))
    for row in pages("list_records_to_check", ""):
        yield from _check_record(row)
    for record_id, seq, last in fetch("list_unsettled"):
        if not seq:
            yield f"record {record_id}: it is at change {last}, which history does not have"
        else:
            state = "is missing" if last is None else f"is at change {last}"
            yield f"record {record_id}: history ends with change {seq}, but the record {state}"


def _check_chain(events: Iterator[Row], erasures: dict[str, int], rescans: dict[str, int]) -> Iterator[str]:
    head, expected = "", 1
    waiting: list[Event] = []
    for *columns, link, salt, payload in events:
        event = Event(*columns)
        if event.seq != expected:
            yield f"event {expected}: it is missing"
        expected = event.seq + 1
        erased = event.action == "erase" or erasures.get(event.record_id, 0) > event.seq
        if payload is not None or not rescans.get(event.record_id, 0) > event.seq:  # a rescan may have had it forgotten
            yield from _check_event(event, salt, payload, erased=erased)
        waiting.append(event)
        if link is not None:
            if make_link(head, waiting) != link:
                yield f"event {event.seq}: its link does not fit the events {waiting[0].seq} to {event.seq} and the link before"
            head, waiting = link, []
    if waiting:
        yield f"event {waiting[-1].seq}: the link that closes its transaction is missing"


def _check_event(event: Event, salt: object, payload: object, *, erased: bool) -> Iterator[str]:
    name = f"event {event.seq} ({event.record_id})"
    if payload is None:
        if not erased:
            yield f"{name}: its payload is missing, and it was not erased"
    elif erased:
        yield f"{name}: its payload is there, though it was erased"
    elif not (isinstance(salt, bytes) and isinstance(payload, bytes)) or commit(salt, payload) != event.commitment:
        yield f"{name}: its payload is not what was committed to"


def _check_record(row: Row) -> Iterator[str]:
    *columns, last, search = row
    try:
        record = rows.row_to_record(columns)
        rows.json_to_search(search)
        facts = rows.envelope(record, revision=record.revision, search=search)
    except (ValueError, TypeError, OverflowError) as error:
        yield f"record {row[0]}: it cannot be read ({error})"
        return
    if hashlib.sha256(record.body).hexdigest() != record.digest:
        yield f"record {record.id}: its body is not what its digest says"
    if last is None or bytes(last).partition(b"\n")[0] + b"\n" != rows.make_payload(facts):
        yield f"record {record.id}: it is not what its last event says"
