"""Dirty sessions → entries: load the evidence, distil, write record and search text, publish."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.delivering import queue_delivery
from diarist.app.evidence import Evidence, load_session, main_info
from diarist.app.faults import fault_of
from diarist.app.observing import CallTap, learning_state, observe_entry
from diarist.app.projects import resolve_project
from diarist.app.publishing import publishing
from diarist.app.records import entry_record
from diarist.app.usefulness import look_back_at, write_outlook
from diarist.errors import DiaristError, ErasedError, StoreCorruptError
from diarist.model.ids import make_id
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader, Toolbox
    from diarist.app.usefulness import Outlook
    from diarist.model.entry import Entry
    from diarist.model.observation import ToolUse
    from diarist.model.record import Part, Record
    from diarist.model.redacted import Redacted
    from diarist.model.session import SessionInfo
    from diarist.ports import Store, Transaction
    from diarist.stages.distil import Distilled
    from diarist.stages.redact import Redactor

BATCH_SECONDS = 1.0
BATCH_ENTRIES = 128


class Changed(msgspec.Struct):
    """What a pass over sessions did."""

    entries: list[Entry] = msgspec.field(default_factory=list)
    created: int = 0
    updated: int = 0
    without_entry: int = 0
    problems: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    """By agent and session: what went wrong when it was distilled. Such a session stays dirty; the others are done."""


class _Made(msgspec.Struct, frozen=True):
    key: tuple[str, str]
    chunks: list[tuple[str, ...]]
    distilled: Distilled | None
    cwd: str = ""
    tools: tuple[ToolUse, ...] = ()
    offered: tuple[str, ...] = ()
    outlook: Outlook | None = None
    """What the session tells of the records it was shown."""
    problem: str = ""


def project_of(parts: Sequence[Part]) -> str:
    """The project that a session's parts tell of."""
    info = main_info(parts)
    return info.project or resolve_project(info.cwd, info.repository)


class Task(NamedTuple):
    """One session to distil: its parts, and the id of its entry."""

    parts: tuple[Part, ...]
    record_id: str


class Told(NamedTuple):
    """What a session's evidence tells, and what its calls were."""

    distilled: Distilled | None
    tools: tuple[ToolUse, ...] = ()
    offered: tuple[str, ...] = ()
    problem: str = ""
    """What kept it from being distilled: evidence that is damaged, or a fault of ours."""


Tell = Callable[[int, int], None]
"""Is told how many sessions are done, of how many."""
TellAll = Callable[[Iterator[Task]], Iterator[Told]]
"""Distils tasks in order; other processes may do the work."""


def distil_dirty(box: Toolbox, tell: Tell, tell_all: TellAll | None = None) -> Changed:
    """Distils every dirty session. Entries that come out as they were are not counted as changed."""
    changed = Changed()
    _distil(box, box.store.list_dirty(), changed, tell, tell_all)
    return changed


def distil_all(box: Toolbox, tell: Tell = lambda _done, _total: None, tell_all: TellAll | None = None) -> Changed:
    """Every session anew, dirty or not; what comes out as it was is left alone. Counts only: the entries of a store may be too many."""
    changed = Changed()

    def drop(done: int, total: int) -> None:
        changed.entries.clear()
        tell(done, total)

    _distil(box, list(box.store.list_sessions()), changed, drop, tell_all)
    return changed


def _distil(box: Toolbox, keys: Sequence[tuple[str, str]], changed: Changed, tell: Tell, tell_all: TellAll | None) -> None:
    """In batches, each written down at once."""
    batch: list[_Made] = []
    began = time.monotonic()
    for number, made in enumerate(_made_of(box, keys, tell_all), 1):
        batch.append(made)
        if len(batch) >= BATCH_ENTRIES or time.monotonic() - began >= BATCH_SECONDS or number == len(keys):
            _write(box, batch, changed)
            batch, began = [], time.monotonic()
            tell(number, len(keys))


def distil_parts(box: Toolbox, parts: Sequence[Part]) -> Distilled | None:
    """The entry of one session's parts; its project and ids follow from the parts alone."""
    return _distilled(box.reader(), parts, id_of(box, parts), None)


def tell_task(reader: Reader, task: Task) -> Told:
    """What one session gives. Touches no store."""
    if not task.parts:
        return Told(None)
    tap = CallTap()
    try:
        distilled = _distilled(reader, task.parts, task.record_id, tap)
    except StoreCorruptError as error:
        return Told(None, problem=str(error))
    except DiaristError:
        raise
    except Exception as error:  # noqa: BLE001 - a run that we cannot tell keeps no other out
        return Told(None, problem=f"{fault_of(error)}, please report it")
    return Told(distilled, tap.uses, tap.offered)


def id_of(box: Toolbox, parts: Sequence[Part], redact: Callable[[str], Redacted] | None = None) -> str:
    """The id of the entry of one session's parts. `redact`: the redactor's, where many sessions of few projects are asked for."""
    return entry_id(box.store, main_info(parts), (redact or box.reader().redactor.redact)(project_of(parts)))


def _distilled(reader: Reader, parts: Sequence[Part], record_id: str, tap: CallTap | None) -> Distilled | None:
    from diarist.model.host import HostFacts
    from diarist.stages.distil import distil

    info = main_info(parts)
    session = load_session(Evidence(parts, reader), reader.redactor.redact(project_of(parts)))
    return distil(
        tap.watch(session) if tap is not None else session,
        entry_id=record_id,
        task_id=derived(info.task or info.session),
        host=msgspec.convert(info.host, HostFacts) if info.host else None,
        rules_version=reader.redactor.version,
    )


def entry_id(store: Store, info: SessionInfo, project: str) -> str:
    """Id of the entry of a session, or of the task a host gave.

    An id stays what it was first, also where a name that it was made from has been masked since.
    """
    named = info.task and "[REDACTED:" not in info.task  # tasks that are masked alike are not the same
    made = make_id("task", info.agent, project, info.task) if named else make_id(info.agent, info.session, info.split_of or info.task)
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


def _made_of(box: Toolbox, keys: Sequence[tuple[str, str]], tell_all: TellAll | None) -> Iterator[_Made]:
    """What each session gives, in order."""
    if not keys:
        return
    begun: deque[tuple[tuple[str, str], Task]] = deque()
    reader = box.reader()  # with the tombstones of this moment; the store refuses what was erased since

    def tasks() -> Iterator[Task]:
        redacted = lru_cache(maxsize=256)(_project_name)
        for key in keys:
            parts = tuple(box.store.get_parts(*key))
            task = Task(parts, id_of(box, parts, partial(redacted, reader.redactor)) if parts else "")
            begun.append((key, task))
            yield task

    for told in (tell_all or partial(map, partial(tell_task, reader)))(tasks()):
        key, task = begun.popleft()
        yield _made(box, key, task.parts, told)


def _project_name(redactor: Redactor, project: str) -> Redacted:
    return redactor.redact(project)


def _made(box: Toolbox, key: tuple[str, str], parts: Sequence[Part], told: Told) -> _Made:
    distilled = _reflected(box, told.distilled)
    cwd = main_info(parts).cwd if parts else ""
    outlook = look_back_at(box, list(parts), distilled.entry) if distilled is not None else None
    return _Made(key, [part.chunks for part in parts], distilled, cwd, told.tools, told.offered, outlook, told.problem)


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
    published: list[tuple[Record, str]] = []
    learns: dict[str, bool] = {}
    with publishing(box) as plan, box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for made in batch:
            if [part.chunks for part in box.store.get_parts(*made.key)] != made.chunks:
                continue  # another process added to it meanwhile: it stays dirty
            if made.problem:
                changed.problems[made.key] = made.problem
                continue
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
                published.append((record, made.cwd))
                queue_delivery(box, tx, record)
                if entry.project not in learns:
                    learns[entry.project] = learning_state(box.store, entry.project).enabled
                observe_entry(box, tx, entry, made.tools, made.offered, learns=learns[entry.project])
        plan(tx, published)
