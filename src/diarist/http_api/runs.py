"""`/v1/*`: runs and notes in, entries and their transcripts out, and what an agent asks before and while it works."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.ingest import IngestOptions
from diarist.asgi.problems import Problem
from diarist.http_api.answered import Batch, BatchItem, Checked, Fix, Fixes, Imported, Items, Noted, Recalled, Transcript, Written
from diarist.http_api.lists import found_of, item_of, list_page, offset_of, time_of
from diarist.http_api.lists import make_cursor as cursor_of
from diarist.http_api.route import Call
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from diarist.app.batches import Added
    from diarist.http_api.many import Told
    from diarist.model.record import Kind

KINDS: tuple[Kind, ...] = ("entry", "note", "lesson", "skill", "memory", "observation")


def list_records(call: Call) -> Items:
    """Records, newest first."""
    asked, now = call.query, call.memory.now()
    where = RecordFilter(
        kinds=(asked.kind,) if asked.kind else KINDS,
        agent=asked.agent,
        project=asked.project,
        workflow=asked.workflow,
        outcome=asked.outcome,
        tag=asked.tag,
        since=time_of(asked.since, "since", now),
        before=time_of(asked.before, "before", now),
    )
    records, cursor = list_page(call, where, asked.limit, asked.cursor)
    return Items(items=[item_of(record) for record in records], next_cursor=cursor)


def trail(call: Call) -> Items:
    """What agents did and noted on a workflow, in order."""
    start, limit = offset_of(call.query.cursor), call.query.limit
    where = RecordFilter(kinds=KINDS, workflow=call.ids["workflow"])
    found = list(call.memory.list_records(where, sort="created_at", limit=start + limit + 1))
    more = cursor_of(start + limit) if len(found) > start + limit else None
    return Items(items=[item_of(record) for record in found[start : start + limit]], next_cursor=more)


def get_entry(call: Call) -> msgspec.Struct:
    """A diary entry with all its fields; `entry_hash` and `evidence` included."""
    return call.memory.get_entry(call.ids["id"])


def verify_entry(call: Call) -> Checked:
    """Checks an entry against its own hash and its evidence."""
    entry = call.memory.get_entry(call.ids["id"])
    told = call.memory.verify(entry.id)
    return Checked(id=entry.id, ok=told.ok, checked=list(told.checked), faults=list(told.faults), notes=list(told.notes))


def transcript(call: Call) -> Transcript:
    """The redacted transcript an entry was made from, in lines."""
    entry = call.memory.get_entry(call.ids["id"])
    lines = call.memory.transcript(entry.id).splitlines()
    start = call.query.offset
    return Transcript(id=entry.id, offset=start, total_lines=len(lines), lines=lines[start : start + call.query.limit])


def add_entry(call: Call) -> Written:
    """Distils a finished run under its host's task id; the same id again replaces the entry."""
    run = _run_of(call, call.body)
    done: Added = call.room.gathering(call.caller).take(run, call.memory.add_entries)
    if done.problem:
        entry = call.memory.add_entry(**run)  # raises what is wrong with it
        return Written(id=entry.id, outcome=entry.outcome)
    return Written(id=done.id, outcome=done.outcome)


def add_entries(call: Call) -> Batch:
    """Distils many finished runs, in one transaction. Each has an answer of its own, in order: a bad one keeps nothing else out."""
    runs = [_run_of(call, told.value) if told.value is not None else None for told in call.body]
    return _batch(call.body, runs, call.memory.add_entries)


def upload(call: Call) -> Imported:
    """Imports a transcript of any known format, sent as it is; gzip and zstd are unpacked. The format is found by looking."""
    if call.caller.project is not None:
        raise Problem(403, "a transcript names its own project; with a key of one project, hand the run in as POST /v1/entries")
    if not call.upload:
        raise Problem(422, "the transcript is empty")
    report = call.memory.ingest((), IngestOptions(project=call.query.project or None), stdin=call.upload)
    if report.lost and not report.entries:
        raise Problem(422, "; ".join(problem.reason for problem in report.problems[:3]) or "no transcript of a known format")
    return Imported(
        ids=[entry.id for entry in report.entries if entry.id not in report.earlier],
        created=report.created,
        updated=report.updated,
        without_entry=report.without_entry,
        problems=[problem.reason for problem in report.problems[:20]],
    )


def add_note(call: Call) -> Written:
    """Adds a curated note."""
    return Written(id=call.memory.add_note(**_note_of(call, call.body)).id)


def add_notes(call: Call) -> Batch:
    """Adds many curated notes, in one transaction. Answers as the batch of runs does."""
    notes = [_note_of(call, told.value) if told.value is not None else None for told in call.body]
    return _batch(call.body, notes, call.memory.add_notes)


def edit_note(call: Call) -> Written:
    """Replaces a note's title, text and tags; history keeps what it was. For those who may review: it lands at once."""
    body = call.body
    record = call.memory.edit_note(call.ids["id"], body=body.body, title=body.title, tags=body.tags or None)
    return Written(id=record.id, revision=call.memory.get(record.id).revision)


def feedback(call: Call) -> Noted:
    """Says what became of a record that was used."""
    body = call.body
    session = f"{call.caller.key_id or 'http'}:{body.session}" if body.session else call.caller.key_id or "http"
    use = call.memory.feedback(body.id, body.verdict, session=session)
    return Noted(id=use.record_id, verdict=use.event)


def recall(call: Call) -> Recalled:
    """What an agent should know before it starts: fenced, cited, within the budget; may be empty."""
    body = call.body
    call.room.refresh(call.memory, call.caller)
    pack = call.memory.recall(body.query, budget=body.budget, project=body.project)
    items = [found_of(call, hit) for hit in pack.items]
    return Recalled(text=pack.text, tokens=pack.tokens, items=items, mode=pack.mode, mode_reason=pack.mode_reason)


def find_fixes(call: Call) -> Fixes:
    """Runs that solved an error like this one, best first, and how."""
    body = call.body
    call.room.refresh(call.memory, call.caller)
    found = call.memory.find_fixes(body.error, project=body.project, limit=body.limit)
    return Fixes(fixes=[_fix(call, each) for each in found])


def _run_of(call: Call, body: Any) -> dict[str, Any]:
    """A run as the façade is told it; a key of one project puts it there."""
    return {
        "task_id": body.task_id,
        "transcript": body.transcript,
        "agent": body.agent,
        "project": call.caller.project if call.caller.project is not None else body.project,
        "host": {name: msgspec.json.decode(value) for name, value in body.host.items()} or None,
    }


def _note_of(call: Call, body: Any) -> dict[str, Any]:
    project = call.caller.project if call.caller.project is not None else body.project
    told = {"title": body.title, "body": body.body, "tags": body.tags, "project": project}
    return {**told, "workflow": body.workflow, "agent": body.agent}


def _batch(told: list[Told], items: list[dict[str, Any] | None], add: Callable[[Sequence[Mapping[str, Any]]], list[Added]]) -> Batch:
    """Adds what could be read, and answers for each item in its place."""
    made = iter(add([item for item in items if item is not None]))
    answers = []
    for place, item in enumerate(items):
        done = next(made) if item is not None else None
        problem = done.problem if done is not None else told[place].problem
        answers.append(BatchItem(id=done.id if done else "", outcome=done.outcome if done else "", problem=problem))
    return Batch(items=answers, added=sum(not each.problem for each in answers), refused=sum(bool(each.problem) for each in answers))


def _fix(call: Call, solved: Any) -> Fix:
    return Fix(
        id=solved.hit.id,
        title=solved.hit.title,
        url=call.url(solved.hit.id),
        outcome=solved.hit.outcome,
        error=solved.error,
        fix=solved.fix,
        same_error=solved.same,
        files=list(solved.files),
        commands=list(solved.commands),
    )
