"""Dirty sessions → entries: load the evidence, distil, write record and search text, publish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from diarist.app.delivering import queue_delivery
from diarist.app.evidence import Evidence, load_session, main_info
from diarist.app.observing import CallTap, observe_entry
from diarist.app.projects import resolve_project
from diarist.app.publishing import Publication, plan_publications, write_publications
from diarist.app.records import entry_record
from diarist.app.usefulness import look_back_at, write_outlook
from diarist.errors import ErasedError
from diarist.model.ids import make_id
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.app.usefulness import Outlook
    from diarist.model.entry import Entry
    from diarist.model.observation import ToolUse
    from diarist.model.record import Part, Record
    from diarist.model.session import SessionInfo
    from diarist.ports import Store, Transaction
    from diarist.stages.distil import Distilled

BATCH_SECONDS = 1.0
BATCH_ENTRIES = 128


@dataclass
class Changed:
    """What a pass over the dirty sessions did."""

    entries: list[Entry] = field(default_factory=list)
    created: int = 0
    updated: int = 0
    without_entry: int = 0


@dataclass(frozen=True)
class _Made:
    key: tuple[str, str]
    chunks: list[tuple[str, ...]]
    distilled: Distilled | None
    cwd: str = ""
    tools: tuple[ToolUse, ...] = ()
    offered: tuple[str, ...] = ()
    outlook: Outlook | None = None
    """What the session tells of the records it was shown."""


def project_of(parts: Sequence[Part]) -> str:
    """The project that a session's parts tell of."""
    info = main_info(parts)
    return info.project or resolve_project(info.cwd, info.repository)


def distil_dirty(box: Toolbox, tell: Callable[[int, int], None]) -> Changed:
    """Distils every dirty session. Entries that come out as they were are not counted as changed."""
    changed = Changed()
    dirty = box.store.list_dirty()
    batch: list[_Made] = []
    began = time.monotonic()
    for number, (agent, session) in enumerate(dirty, 1):
        batch.append(_distil(box, agent, session))
        if len(batch) >= BATCH_ENTRIES or time.monotonic() - began >= BATCH_SECONDS or number == len(dirty):
            _write(box, batch, changed)
            batch, began = [], time.monotonic()
            tell(number, len(dirty))
    return changed


def distil_all(box: Toolbox) -> Changed:
    """Every session anew, dirty or not; what comes out as it was is left alone."""
    changed = Changed()
    for agent, session in box.store.list_sessions():
        _write(box, [_distil(box, agent, session)], changed)
    return changed


def distil_parts(box: Toolbox, parts: Sequence[Part], tap: CallTap | None = None) -> Distilled | None:
    """The entry of one session's parts; its project and ids follow from the parts alone. `tap` is shown the calls on the way."""
    from diarist.model.host import HostFacts
    from diarist.stages.distil import distil

    reader = box.reader()
    info = main_info(parts)
    project = reader.redactor.redact(project_of(parts))
    session = load_session(Evidence(parts, reader), project)
    return distil(
        tap.watch(session) if tap is not None else session,
        entry_id=entry_id(box.store, info, project),
        task_id=derived(info.task or info.session),
        host=msgspec.convert(info.host, HostFacts) if info.host else None,
        rules_version=reader.redactor.version,
    )


def entry_id(store: Store, info: SessionInfo, project: str) -> str:
    """Id of the entry of a session, or of the task a host gave.

    An id stays what it was first, also where a name that it was made from has been masked since.
    """
    made = make_id("task", info.agent, project, info.task) if info.task else make_id(info.agent, info.session, info.split_of)
    if not any("[REDACTED:" in name for name in (info.agent, info.session, info.task, project)):
        return made
    where = RecordFilter(
        kinds=("entry",),
        agent=info.agent,
        session_id=info.session,
        task_id=info.task or info.session,
        project=project if info.task else None,
        include_inactive=True,
    )
    known = next(store.list_records(where, sort="id", limit=1), None)
    return made if known is None else known.id


def _distil(box: Toolbox, agent: str, session: str) -> _Made:
    parts = box.store.get_parts(agent, session)
    tap = CallTap()
    distilled = _reflected(box, distil_parts(box, parts, tap)) if parts else None
    cwd = main_info(parts).cwd if parts else ""
    outlook = look_back_at(box, parts, distilled.entry) if distilled is not None else None
    return _Made((agent, session), [part.chunks for part in parts], distilled, cwd, tap.uses, tap.offered, outlook)


def _reflected(box: Toolbox, distilled: Distilled | None) -> Distilled | None:
    """What a model wrote about the same state of the run earlier stays."""
    from diarist.app.reflecting import with_reflection

    if distilled is None:
        return None
    return msgspec.structs.replace(distilled, entry=with_reflection(box.store, distilled.entry))


def _put(tx: Transaction, record: Record, distilled: Distilled) -> bool:
    try:
        return tx.put_record(record, distilled.search)
    except ErasedError:  # by its id: it does not come back through another source of the same run
        return False


def _write(box: Toolbox, batch: list[_Made], changed: Changed) -> None:
    planned: list[Publication] = []
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for made in batch:
            if [part.chunks for part in box.store.get_parts(*made.key)] != made.chunks:
                continue  # another process added to it meanwhile: it stays dirty
            tx.clear_dirty(*made.key)
            if made.distilled is None:
                changed.without_entry += 1
                continue
            entry = made.distilled.entry
            record = entry_record(entry, trust="agent", at=box.now())
            known = box.store.get_record(entry.id)
            if made.outlook is not None:
                write_outlook(tx, made.outlook)
            if _put(tx, record, made.distilled):
                changed.entries.append(entry)
                changed.created += known is None
                changed.updated += known is not None
                planned += plan_publications(box, tx, record, made.cwd)
                queue_delivery(box, tx, record)
                observe_entry(box, tx, entry, made.tools, made.offered)
    write_publications(box, planned)
