"""What an erasure reaches beyond what was named: observations, proposals, lessons, skills and reports that were made from it.

Whatever names an erased record as its evidence goes with it: its text may tell of what was erased, and it can be made anew from
the evidence that is left. Of what named it in earlier revisions only, those revisions go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.memories import event_record_id, list_events
from diarist.app.records import entry_of
from diarist.app.verifying import parts_of
from diarist.errors import NotFoundError, UsageError
from diarist.model.codec import from_json
from diarist.model.erasing import EraseWish, Reached
from diarist.model.memory_item import MemoryItem
from diarist.model.record import RecordFilter
from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Kind, Record

OWN: tuple[Kind, ...] = ("entry", "note", "memory", "observation")
"""Kinds that filters reach; the others follow from them, and with a project everything goes."""
DERIVED = ("observation", "proposal", "lesson", "skill", "state")
MOST_FOUND = 1000
"""Hits of a query that are erased at most."""
_STATES = ("syntheses", "reflections")
"""Namespaces of records of kind state that hold texts made from others."""
_ID = lazy(rb"kh-[a-z2-7]{16}")


class Reach(NamedTuple):
    """Everything an erasure reaches. Records by id, in the order they were reached."""

    named: dict[str, Record]
    derived: dict[str, tuple[Record, str]]
    """The record, and the id of what it was derived from."""
    revisions: dict[str, list[int]]
    """Changes of records that stay, whose texts go."""
    sessions: list[tuple[str, str]]

    @property
    def records(self) -> list[Record]:
        """All records that go."""
        return [*self.named.values(), *(record for record, _ in self.derived.values())]

    def told(self) -> tuple[Reached, ...]:
        """The same for a receipt."""
        named = [Reached(id=record.id, kind=record.kind) for record in self.named.values()]
        derived = [Reached(id=record.id, kind=record.kind, because=because) for record, because in self.derived.values()]
        old = [Reached(id=each, kind="", what="earlier revisions erased") for each in sorted(self.revisions)]
        return (*named, *derived, *old)


def reach(box: Toolbox, wish: EraseWish) -> Reach:
    """What the wish names and what was made from it. Reads only.

    Raises
    ------
    UsageError
        It names nothing.
    NotFoundError
        There is no record of an id.
    """
    if not (wish.ids or wish.values or wish.filters):
        raise UsageError("say what to erase: an id, --query, --session, --project, --agent, --since, --before or --value")
    named = {record.id: record for record in _named(box, wish)}
    sessions = dict.fromkeys(_sessions(box, wish, named))
    for record in _of_items(box, list(named.values())):
        named.setdefault(record.id, record)
    found = Reach(named, {}, {}, list(sessions))
    if named:
        _follow(box, found)
    return found


# --- what is named --------------------------------------------------------------------------------------------------------


def _named(box: Toolbox, wish: EraseWish) -> Iterator[Record]:
    for each in wish.ids:
        record = box.store.get_record(each)
        if record is None:
            raise NotFoundError(f"nothing has the id {each}")
        yield record
    if not wish.filters:
        return
    where = RecordFilter(
        kinds=() if wish.project is not None and not (wish.agent or wish.since or wish.before or wish.query) else OWN,
        project=wish.project,
        agent=wish.agent,
        session_id=wish.session or None,
        since=wish.since,
        before=wish.before,
        include_inactive=True,
    )
    found = set(_hits(box, wish)) if wish.query else None
    for record in box.store.list_records(where, sort="created_at"):
        if (found is None or record.id in found) and not _is_bookkeeping(record):
            yield record


def _is_bookkeeping(record: Record) -> bool:
    """Diarist's own marks say nothing of what was done."""
    return record.kind == "state" and record.namespace == "redaction"


def _hits(box: Toolbox, wish: EraseWish) -> Iterator[str]:
    from diarist.app.recall import search

    for hit in search(box.store, box.search_index(), wish.query, limit=MOST_FOUND, project=wish.project, kinds=OWN):
        yield hit.id


def _sessions(box: Toolbox, wish: EraseWish, named: dict[str, Record]) -> Iterator[tuple[str, str]]:
    """Sessions of the entries, and sessions that fit the filters and gave no entry."""
    for record in named.values():
        if record.kind == "entry":
            yield from {(part.agent, part.session): None for part in parts_of(box, entry_of(record))} or [(record.agent, record.session_id)]
    if wish.session:
        yield from ((agent, session) for agent, session in box.store.list_sessions() if session == wish.session and _fits(wish, agent))
    elif wish.project is not None and not (wish.query or wish.since or wish.before):
        from diarist.app.distilling import project_of

        for agent, session in box.store.list_sessions():
            parts = box.store.get_parts(agent, session)
            if _fits(wish, agent) and parts and box.reader().redactor.redact(project_of(parts)) == wish.project:
                yield agent, session


def _fits(wish: EraseWish, agent: str) -> bool:
    return wish.agent is None or agent == wish.agent


def _of_items(box: Toolbox, named: list[Record]) -> Iterator[Record]:
    """Events of a namespace that tell of an item: updates hold its values, forgetting what it was found by."""
    items: dict[tuple[str, str], set[str]] = {}
    for record in named:
        if record.kind == "memory":
            items.setdefault((record.namespace, record.project), set()).add(from_json(record.body, MemoryItem).id)
    for (space, project), ids in items.items():
        for each in list_events(box.store, space, project):
            told = {str(each.event.get("id", "")), *map(str, each.event.get("forgotten_ids") or ())}
            event = box.store.get_record(event_record_id(space, project, each.event)) if ids & told else None
            if event is not None:
                yield event


# --- what was derived -----------------------------------------------------------------------------------------------------


def _follow(box: Toolbox, found: Reach) -> None:
    """Adds what names something that goes, until nothing new does."""
    mentions: dict[str, list[tuple[int, set[str]]]] = {}
    for record_id, seq, payload in box.store.find_mentions(DERIVED):
        ids = {each.decode() for each in _ID.findall(payload)} - {record_id}
        if ids:
            mentions.setdefault(record_id, []).append((seq, ids))
    gone = set(found.named)
    tainted: set[str] = set()
    for correction in box.store.list_corrections():
        if correction.target in gone and correction.record_id not in gone:
            _add(box, found, gone, correction.record_id, correction.target)
    while True:
        before = len(gone) + len(tainted)
        for record_id, told in mentions.items():
            if record_id not in gone:
                _judge(box, found, gone, tainted, record_id, told)
        if len(gone) + len(tainted) == before:
            return


def _judge(box: Toolbox, found: Reach, gone: set[str], tainted: set[str], record_id: str, told: list[tuple[int, set[str]]]) -> None:
    """A record that names what goes now goes too; one that did so earlier loses those revisions, and its reports go."""
    record = box.store.get_record(record_id)
    if record is None or (record.kind == "state" and record.namespace not in _STATES):
        return
    last = told[-1][1] if told else set()
    current = {each.decode() for each in _ID.findall(record.body)} - {record_id}
    because = next(iter(sorted(current & gone)), "")
    if not because and record.kind == "state":
        because = next(iter(sorted((current | last) & tainted)), "")
    if because:
        _add(box, found, gone, record_id, because)
        return
    old = [seq for seq, ids in told if ids & gone]
    if old:
        tainted.add(record_id)
        found.revisions[record_id] = old


def _add(box: Toolbox, found: Reach, gone: set[str], record_id: str, because: str) -> None:
    record = box.store.get_record(record_id)
    if record is not None:
        gone.add(record_id)
        found.derived[record_id] = (record, because)
        found.revisions.pop(record_id, None)
