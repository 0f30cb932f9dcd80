"""Runs and notes that a host or a person hands over directly, without a transcript file of an agent."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from diarist.app.delivering import queue_delivery
from diarist.app.distilling import Task, Told, id_of, tell_task
from diarist.app.journal import log
from diarist.app.observing import observe_entry
from diarist.app.publishing import publishing
from diarist.app.records import entry_record, note_record
from diarist.app.times import utc
from diarist.errors import DiaristError, ErasedError, InvalidInputError, RedactionError
from diarist.model.codec import from_json, to_json
from diarist.model.host import HostFacts
from diarist.model.ids import make_id
from diarist.model.record import Note, Part, Record, SearchText, Trust
from diarist.model.redacted import Redacted, derived
from diarist.model.session import CaptureReport, SessionInfo

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader, Toolbox
    from diarist.model.entry import Entry
    from diarist.model.observation import ToolUse
    from diarist.ports import Vault
    from diarist.stages.distil import Distilled

MAX_TASK_ID = 1000


def _task_name(box: Toolbox, task_id: str) -> Redacted:
    """The task id as it is stored. One that redaction masks gets a mark, so that ids that are masked alike stay different tasks.

    The mark is keyed with the workspace's secret: who does not have that cannot try guesses on it.
    """
    name = box.reader().redactor.redact(task_id)
    if name == task_id:
        return name
    told = b"diarist-task/1\0" + task_id.encode("utf-8", "surrogatepass")
    return derived(f"{name}~{hmac.new(box.store.tombstone_key(), told, hashlib.sha256).hexdigest()[:8]}")


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished run as a host tells it: plain text or JSON lines under its own task id. `created_at` None: now."""

    task_id: str
    transcript: str
    agent: str = "agent"
    project: str = ""
    created_at: datetime | None = None
    host: dict[str, Any] | None = None


class ToTell(NamedTuple):
    """A run that is known, its transcript still as it came: no other program sees it."""

    transcript: str
    task: Task
    """Its evidence, without the chunk that will hold it."""


class ToldText(NamedTuple):
    """A redacted transcript, and what it tells."""

    text: bytes
    told: Told


class Handed(NamedTuple):
    """A run as it was read: its evidence, which waits in the vault, and what it tells."""

    part: Part
    distilled: Distilled
    tools: Sequence[ToolUse]
    offered: Sequence[str]


def add_entry(
    box: Toolbox,
    *,
    task_id: str,
    transcript: str,
    agent: str,
    project: str,
    created_at: datetime,
    host: dict[str, Any] | None = None,
    trust: Trust = "host",
) -> Entry:
    """Distils a transcript (plain text or JSON lines) under a host's own task id. The same task id again replaces the entry.

    Raises
    ------
    InvalidInputError
        `task_id` is blank or too long, or the transcript says nothing (no prompt, call or reply).
    """
    handed = read_run(with_one_reader(box), Run(task_id, transcript, agent, project, created_at, host))
    box.reader().vault.flush()
    write_run(box, handed, trust)
    return handed.distilled.entry


def with_one_reader(box: Toolbox) -> Toolbox:
    """The toolbox with the tombstones of this moment: they are looked up once. The store refuses what was erased since."""
    reader = box.reader()
    return box._replace(reader=lambda: reader)


def read_run(box: Toolbox, run: Run) -> Handed:
    """Redacts and distils a run; its text is put into the vault, not flushed. Raises InvalidInputError, ErasedError."""
    ready = to_tell(box, run)
    return hand_over(box, ready, tell_run(box.reader(), ready))


def to_tell(box: Toolbox, run: Run) -> ToTell:
    """What the store knows of a run, so that any process can tell the rest. Raises InvalidInputError, ErasedError."""
    if not isinstance(run.transcript, str):
        raise InvalidInputError(f"the transcript must be text, not {type(run.transcript).__name__}")
    if not run.task_id.strip() or len(run.task_id) > MAX_TASK_ID:
        raise InvalidInputError(f"the task id must hold 1 to {MAX_TASK_ID} characters; it has {len(run.task_id)}")
    reader = box.reader()
    redact = reader.redactor.redact
    task = _task_name(box, run.task_id)
    info = SessionInfo(
        session=task,
        agent=redact(run.agent),
        format="text",
        ended_at=utc(run.created_at or box.now(), "created_at"),
        task=task,
        project=redact(run.project),
        host=_host_facts(reader, run.host) if run.host else {},
    )
    if reader.erased.holds("session", info.agent, f"task:{info.project}/{info.task}"):
        raise ErasedError(f"the run of task {info.task!r} was erased; nothing was added")
    part = Part(
        agent=info.agent,
        session=f"task:{info.project}/{info.task}",
        key="text",
        role="text",
        chunks=("",),
        steps=0,
        first_at=info.ended_at,
        info=_told(info),
        capture=to_json(CaptureReport(seen=1, kept=1)),
        rules_version=reader.redactor.version,
    )
    return ToTell(run.transcript, Task((part,), id_of(box, [part])))


class _OneText:
    """A vault that holds one text: what was just redacted is not read back from the disk."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def get(self, _chunk_id: str) -> bytes:
        return self._text


def tell_run(reader: Reader, run: ToTell) -> ToldText:
    """Redacts and distils the transcript. Touches no store and no vault. What goes wrong is told as the run's `problem`."""
    try:
        text = reader.redactor.redact(run.transcript.encode("utf-8", "replace").decode("utf-8")).encode()
    except RedactionError:
        return ToldText(b"", Told(None, problem="it could not be redacted"))
    return ToldText(text, tell_task(reader._replace(vault=cast("Vault", _OneText(text))), run.task))


def hand_over(box: Toolbox, run: ToTell, read: ToldText) -> Handed:
    """Puts the text into the vault, not flushed. Raises InvalidInputError where it says nothing."""
    (part,), told = run.task.parts, read.told
    if told.distilled is None:
        task = msgspec.json.decode(part.info, type=SessionInfo).task
        if told.problem:
            raise InvalidInputError(f"the transcript of task {task!r} could not be distilled ({told.problem}); nothing was added")
        raise InvalidInputError(f"the transcript of task {task!r} holds no prompt, tool call or reply; nothing was added")
    part = msgspec.structs.replace(part, chunks=(box.reader().vault.put(read.text),))
    return Handed(part, told.distilled, told.tools, told.offered)


def _host_facts(reader: Reader, host: dict[str, Any]) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = reader.redactor.json(host)
        msgspec.convert(facts, HostFacts)
    except (RedactionError, msgspec.ValidationError) as error:
        raise InvalidInputError(f"what the host states is not told as it should be: {error}") from error
    return facts


def _told(info: SessionInfo) -> bytes:
    try:
        return to_json(info)
    except UnicodeEncodeError as error:
        raise InvalidInputError("what is told of the run is not valid Unicode (it holds half of a surrogate pair)") from error


def write_run(box: Toolbox, handed: Handed, trust: Trust) -> None:
    """Keeps and publishes what a run told. Raises ErasedError where it holds what was erased meanwhile."""
    record = entry_record(handed.distilled.entry, trust=trust, at=box.now())
    with publishing(box) as plan, box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_part(handed.part)
        tx.clear_dirty(handed.part.agent, handed.part.session)
        tx.put_record(record, handed.distilled.search)
        observe_entry(box, tx, handed.distilled.entry, handed.tools, handed.offered)
        plan(tx, [(record, "")])
        queue_delivery(box, tx, record)


class Recorded(msgspec.Struct, frozen=True):
    """What `record` did. `problem` says why nothing was recorded, or what failed after it was; empty if all went well."""

    recorded: bool
    id: str = ""
    outcome: str = ""
    problem: str = ""


def record(box: Toolbox, run: dict[str, Any], afterwards: Callable[[Sequence[Entry]], None] | None) -> Recorded:
    """`add_entry` for hosts: whatever goes wrong becomes part of the answer and a line of the log."""
    done = Recorded(False)
    try:
        if afterwards is None:
            return Recorded(False, problem="this workspace was opened for reading only")
        entry = add_entry(box, **{"agent": "agent", "project": "", "created_at": box.now(), **run})
        done = Recorded(True, entry.id, entry.outcome)
        afterwards([entry])
    except Exception as error:  # noqa: BLE001 - the diary never fails the task it tells of
        problem = str(error) if isinstance(error, DiaristError) else type(error).__name__
        log(box.settings.workspace, box.now(), "record-failed", error=type(error).__name__, id=done.id)
        return msgspec.structs.replace(done, problem=problem)
    return done


class NewNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A curated document as it is told. `created_at` None: now. `note_id`: of the one it replaces. `agent`: who noted it, if one did."""

    title: str
    body: str
    tags: tuple[str, ...] = ()
    project: str = ""
    created_at: datetime | None = None
    note_id: str | None = None
    workflow: str = ""
    agent: str = ""

    @property
    def trust(self) -> Trust:
        """Whose word it is, where it is written for the first time."""
        return "agent" if self.agent else "person"


def add_note(box: Toolbox, note: NewNote, trust: Trust | None = None) -> Record:
    """Adds a curated document, or replaces the one with `note_id`. Raises InvalidInputError where the title is blank."""
    record, search = make_note(box, note, trust)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_record(record, search)
    return record


def make_note(box: Toolbox, told: NewNote, trust: Trust | None = None) -> tuple[Record, SearchText]:
    """The record of a note, redacted, and what the index is told of it. Raises InvalidInputError where the title is blank."""
    if not told.title.strip():
        raise InvalidInputError("a note needs a title")
    redact = box.reader().redactor.redact
    created = utc(told.created_at or box.now(), "created_at")
    kept = (redact(tag.strip()) for tag in told.tags if tag.strip())  # as it was written: rules may depend on the case
    workflow = redact(told.workflow.strip())
    named = [f"workflow:{workflow}"] if workflow else []
    note = Note(
        title=redact(told.title), body=redact(told.body), tags=tuple(dict.fromkeys(derived(tag.lower()) for tag in (*kept, *named)))
    )
    digest = hashlib.sha256(to_json(note)).hexdigest()
    record_id = told.note_id or make_id("note", told.project, created.isoformat(), digest)
    project = redact(told.project)
    record, search = note_record(record_id, note, project=project, trust=trust or told.trust, created_at=created, at=box.now())
    return msgspec.structs.replace(record, workflow=workflow, agent=redact(told.agent.strip())), search


def edit_note(box: Toolbox, record: Record, *, body: str, title: str | None, tags: Sequence[str] | None) -> Record:
    """Replaces a note's text, and its title and tags where given; its id and time stay."""
    old = from_json(record.body, Note)
    note = NewNote(
        title=old.title if title is None else title,
        body=body,
        tags=tuple(old.tags if tags is None else tags),
        project=record.project,
        created_at=record.created_at,
        note_id=record.id,
        workflow=record.workflow,
        agent=record.agent,
    )
    return add_note(box, note, record.trust)
