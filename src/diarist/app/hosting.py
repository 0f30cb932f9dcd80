"""Runs and notes that a host or a person hands over directly, without a transcript file of an agent."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.delivering import queue_delivery
from diarist.app.distilling import distil_parts
from diarist.app.journal import log
from diarist.app.observing import CallTap, observe_entry
from diarist.app.publishing import plan_publications, write_publications
from diarist.app.records import entry_record, note_record
from diarist.app.times import utc
from diarist.errors import DiaristError, ErasedError, InvalidInputError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.record import Note, Part, Record, Trust
from diarist.model.redacted import Redacted, derived
from diarist.model.session import CaptureReport, SessionInfo

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry

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
    if not isinstance(transcript, str):
        raise InvalidInputError(f"the transcript must be text, not {type(transcript).__name__}")
    if not task_id.strip() or len(task_id) > MAX_TASK_ID:
        raise InvalidInputError(f"the task id must hold 1 to {MAX_TASK_ID} characters; it has {len(task_id)}")
    reader = box.reader()
    redact = reader.redactor.redact
    created = utc(created_at, "created_at")
    task = _task_name(box, task_id)
    info = SessionInfo(
        session=task,
        agent=redact(agent),
        format="text",
        ended_at=created,
        task=task,
        project=redact(project),
        host=reader.redactor.json(host) if host else {},
    )
    if reader.erased.holds("session", info.agent, f"task:{info.project}/{info.task}"):
        raise ErasedError(f"the run of task {info.task!r} was erased; nothing was added")
    content = redact(transcript.encode("utf-8", "replace").decode("utf-8")).encode()
    chunk = reader.vault.put(content)
    part = Part(
        agent=info.agent,
        session=f"task:{info.project}/{info.task}",
        key="text",
        role="text",
        chunks=(chunk,),
        steps=0,
        first_at=created,
        info=to_json(info),
        capture=to_json(CaptureReport(seen=1, kept=1)),
        rules_version=reader.redactor.version,
    )
    tap = CallTap()
    distilled = distil_parts(box, [part], tap)
    if distilled is None:
        raise InvalidInputError(f"the transcript of task {redact(task_id)!r} holds no prompt, tool call or reply; nothing was added")
    reader.vault.flush()
    record = entry_record(distilled.entry, trust=trust, at=box.now())
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_part(part)
        tx.clear_dirty(part.agent, part.session)
        tx.put_record(record, distilled.search)
        observe_entry(box, tx, distilled.entry, tap.uses, tap.offered)
        planned = plan_publications(box, tx, record)
        queue_delivery(box, tx, record)
    write_publications(box, planned)
    return distilled.entry


@dataclass(frozen=True)
class Recorded:
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
        return replace(done, problem=problem)
    return done


class Noting(NamedTuple):
    """Who notes something, and on which workflow."""

    trust: Trust
    workflow: str = ""
    agent: str = ""


def add_note(
    box: Toolbox,
    *,
    title: str,
    body: str,
    tags: Sequence[str],
    project: str,
    created_at: datetime,
    by: Noting,
    note_id: str | None = None,
) -> Record:
    """Adds a curated document, or replaces the one with `note_id`.

    Raises
    ------
    InvalidInputError
        The title is blank.
    """
    if not title.strip():
        raise InvalidInputError("a note needs a title")
    redact = box.reader().redactor.redact
    created = utc(created_at, "created_at")
    kept = (redact(tag.strip()) for tag in tags if tag.strip())  # as it was written: rules may depend on the case
    workflow = redact(by.workflow.strip())
    named = [f"workflow:{workflow}"] if workflow else []
    note = Note(title=redact(title), body=redact(body), tags=tuple(dict.fromkeys(derived(tag.lower()) for tag in (*kept, *named))))
    digest = hashlib.sha256(to_json(note)).hexdigest()
    record_id = note_id or make_id("note", project, created.isoformat(), digest)
    record, search = note_record(record_id, note, project=redact(project), trust=by.trust, created_at=created, at=box.now())
    record = msgspec.structs.replace(record, workflow=workflow, agent=redact(by.agent.strip()))
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_record(record, search)
    return record


def edit_note(box: Toolbox, record: Record, *, body: str, title: str | None, tags: Sequence[str] | None) -> Record:
    """Replaces a note's text, and its title and tags where given; its id and time stay."""
    old = from_json(record.body, Note)
    return add_note(
        box,
        title=old.title if title is None else title,
        body=body,
        tags=old.tags if tags is None else tags,
        project=record.project,
        created_at=record.created_at,
        by=Noting(record.trust, record.workflow, record.agent),
        note_id=record.id,
    )
