"""Documents of the hub, by path: an edit below an auto-merge prefix lands at once, any other waits for review.

A document is a note that has a path. Its id follows from project and path, so that two writers mean the same one.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from diarist.app.editing import Wish, propose_edit
from diarist.errors import ConflictError, IndexUnavailableError, InvalidInputError, NotFoundError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import is_id, make_id
from diarist.model.record import Note, Record, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.text.fingerprint import errors_in
from diarist.text.sections import front_matter_end, sections_of

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import HistoryEvent, Trust

MAX_PATH = 400
MAX_BODY = 200_000
MAX_TITLE = 400
ACTION = "merge"


class Edit(NamedTuple):
    """What a client wants a document to be, as `/v1/kb/edit` takes it. `base_revision`: what it was read at; 0: it is to be new."""

    path: str
    title: str
    body: str
    tags: Sequence[str] = ()
    source_type: str = ""
    related: Sequence[str] = ()
    actor: str = ""
    base_revision: int | None = None
    idempotency_key: str = ""
    project: str = ""


class Edited(NamedTuple):
    """What became of an edit. `revision`: the document's own now; 0 where it is not there yet. `review_id`: where it waits."""

    id: str
    path: str
    revision: int
    status: Literal["merged", "pending_review"]
    review_id: str | None = None


class Revision(NamedTuple):
    """One change of a record. `text` None: erased since."""

    revision: int
    seq: int
    action: str
    actor: str
    at: datetime
    title: str = ""
    text: str | None = None


def edit_document(box: Toolbox, edit: Edit, by: str = "") -> Edited:
    """Carries an edit out, or files it for review. `by`: who calls, where that is known better than by `edit.actor`.

    Raises
    ------
    InvalidInputError
        The path leads out of the hub, or a text is blank or too long.
    ConflictError
        The document is not at `base_revision`.
    """
    redact = box.reader().redactor.redact
    path = clean_path(redact(edit.path))
    _check(edit)
    project = redact(edit.project)
    record_id = document_id(project, path)
    if not merges(path, box.settings.get("hub.auto_merge")):
        return _propose(box, edit, path, record_id, by)
    note = Note(
        title=redact(edit.title.strip()),
        body=redact(edit.body),
        tags=tuple(dict.fromkeys(redact(tag.strip()) for tag in edit.tags if tag.strip())),
        related=tuple(dict.fromkeys(edit.related)),
        extra={"path": path, "source_type": redact(edit.source_type or "note")},
    )
    at = box.now()
    with box.store.transaction(actor=actor_of(box, edit.actor, by), at=at) as tx:
        current = box.store.get_record(record_id)
        _check_base(edit, record_id, current)
        created = current.created_at if current is not None else at
        record, search = document_record(note, project=project, trust="agent", created_at=created, at=at)
        tx.put_record(record, search, action=ACTION)
    now = box.store.get_record(record_id)
    assert now is not None
    return Edited(record_id, path, now.revision, "merged")


def document_id(project: str, path: str) -> str:
    """The `kh-` id of the document at a path."""
    return make_id("document", project, path)


def clean_path(path: str) -> Redacted:
    """A path as it is kept: segments joined by slashes, NFC. Raises InvalidInputError for one that could mean another place."""
    told = unicodedata.normalize("NFC", path)
    parts = told.split("/")
    unfit = (
        len(told) > MAX_PATH
        or "\\" in told
        or any(not c.isprintable() for c in told)
        or any(part.strip(" .") == "" or part != part.strip() for part in parts)
    )
    if unfit:
        raise InvalidInputError(
            f"a document's path is up to {MAX_PATH} characters of names joined by single slashes, as diaries/agents/codex/2026-03-15-fix.md"
        )
    return derived(told)


def merges(path: str, prefixes: Sequence[str]) -> bool:
    """Does the path lie below an auto-merge prefix? Prefixes are whole segments: "diaries" is not "diaries-old"."""
    return any(f"{path}/".startswith(prefix.strip("/") + "/") for prefix in prefixes if prefix.strip("/"))


def path_of(record: Record) -> str:
    """The path of a document; "" for a record that has none."""
    if record.kind != "note":
        return ""
    return str(from_json(record.body, Note).extra.get("path", ""))


def document_record(note: Note, *, project: Redacted, trust: Trust, created_at: datetime, at: datetime) -> tuple[Record, SearchText]:
    """The record of a document, and what the index is told of it.

    Columns follow from the note: agent and folder from its path, outcome and task from its tags.
    """
    path = str(note.extra["path"])
    folder = path.rpartition("/")[0]
    body = to_json(note)
    record = Record(
        id=document_id(project, path),
        kind="note",
        namespace=derived(folder or "notes"),
        project=project,
        agent=derived(_agent(path)),
        task_id=derived(_tagged(note.tags, "task")),
        workflow=derived(_tagged(note.tags, "workflow")),
        outcome=_outcome(note.tags),
        title=note.title,
        tags=note.tags,
        trust=trust,
        created_at=created_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    return record, _search(note, record.outcome)


def markdown_of(box: Toolbox, record: Record) -> str:
    """A record as Markdown: an entry's hub document, a note's or skill's own text, else its fields."""
    if record.kind == "entry":
        from diarist.app.relating import related_ids

        with suppress(IndexUnavailableError):  # what is related is found by the index
            return box.publisher().render(record, "hub", related_ids(box, record)).decode()
        return box.publisher().render(record, "hub").decode()
    body = json.loads(record.body)
    for name in ("body", "text"):
        if isinstance(body, dict) and isinstance(body.get(name), str):
            return str(body[name])
    return f"```json\n{json.dumps(body, ensure_ascii=False, indent=2)}\n```\n"


def history(box: Toolbox, record: Record) -> list[Revision]:
    """Every change of a record, oldest first, with the text it had then."""
    told: list[Revision] = []
    title, text = "", None
    for event in box.store.get_history(record.id):
        title, text = _told(event, record.kind, title, text)
        told.append(Revision(event.revision, event.seq, event.action, event.actor, event.at, title, text))
    return told


def revert(box: Toolbox, record: Record, revision: int, by: str = "") -> Edited:
    """Gives a document the text of an earlier revision: a new edit, merged or filed as any other.

    Raises
    ------
    NotFoundError
        There is no such revision, or its text was erased.
    InvalidInputError
        The record is no document.
    """
    path = path_of(record)
    if not path:
        raise InvalidInputError(f"{record.id} is no document with a path, so it cannot be reverted")
    found = next((each for each in _notes(box, record) if each[0] == revision), None)
    if found is None:
        raise NotFoundError(f"{record.id} has no revision {revision} whose text is still kept. Its history shows them.")
    old = found[1]
    source = str(old.extra.get("source_type", ""))
    wish = Edit(path, old.title, old.body, old.tags, source, old.related, by, record.revision, project=record.project)
    return edit_document(box, wish, by)


def actor_of(box: Toolbox, claimed: str, by: str) -> str:
    """Who did it, for the history: the credential's name, and whom it says it acts for."""
    redact = box.reader().redactor.redact
    if not by:
        return redact(claimed) or box.actor
    return f"{redact(by)} for {redact(claimed)}" if claimed and claimed != by else redact(by)


def _notes(box: Toolbox, record: Record) -> Iterator[tuple[int, Note]]:
    for event in box.store.get_history(record.id):
        body = event.payload.partition(b"\n")[2] if event.payload else b""
        if body:
            yield event.revision, from_json(body, Note)


def _told(event: HistoryEvent, kind: str, title: str, text: str | None) -> tuple[str, str | None]:
    """Title and text after a change: those before where it changed neither."""
    if event.payload is None:
        return "", None
    line, _, body = event.payload.partition(b"\n")
    title = str(msgspec.json.decode(line).get("title", title))
    if not body:
        return title, text
    return title, from_json(body, Note).body if kind == "note" else body.decode("utf-8", "replace")


def _propose(box: Toolbox, edit: Edit, path: str, record_id: str, by: str) -> Edited:
    current = box.store.get_record(record_id)
    _check_base(edit, record_id, current)
    target = current if current is not None and current.status == "active" else None
    wish = Wish(
        edit.title,
        edit.body,
        edit.project,
        edit.tags,
        None,
        actor_of(box, edit.actor, by),
        edit.idempotency_key,
        path=path,
        source_type=edit.source_type or "note",
        related=edit.related,
    )
    filed = propose_edit(box, wish, target)
    return Edited(record_id, path, target.revision if target is not None else 0, "pending_review", filed.proposal.id)


def _check(edit: Edit) -> None:
    if not edit.title.strip() or len(edit.title) > MAX_TITLE:
        raise InvalidInputError(f"a document needs a title of at most {MAX_TITLE} characters")
    if not edit.body.strip() or len(edit.body) > MAX_BODY:
        raise InvalidInputError(f"a document needs a body of at most {MAX_BODY:,} characters")
    if wrong := [each for each in edit.related if not is_id(each)]:
        raise InvalidInputError(f"`related` holds ids of records (kh-…); {len(wrong)} of them are none")


def _check_base(edit: Edit, record_id: str, current: Record | None) -> None:
    now = current.revision if current is not None and current.status == "active" else 0
    if edit.base_revision is not None and edit.base_revision != now:
        raise ConflictError(
            f"{record_id} is at revision {now} now, not {edit.base_revision}. Fetch it, redo the edit on that, send it again.", current
        )


def _agent(path: str) -> str:
    parts = path.split("/")
    return parts[2] if len(parts) > 3 and parts[:2] == ["diaries", "agents"] else ""


def _tagged(tags: Sequence[str], name: str) -> str:
    return next((tag.partition(":")[2] for tag in tags if tag.startswith(f"{name}:")), "")


def _outcome(tags: Sequence[str]) -> str:
    told = _tagged(tags, "outcome")
    return told if told in ("completed", "recovered", "failed", "interrupted", "unknown") else ""


def _search(note: Note, outcome: str) -> SearchText:
    """A diary's sections go where an entry's facts go: an error is found as an error."""
    text = note.body[front_matter_end(note.body) :]
    parts = sections_of(text)
    errors = parts.get("error encountered", "")
    fixes = "\n".join(parts[name] for name in ("how it was recovered", "what was learned") if parts.get(name))
    seen = tuple(dict.fromkeys(found.fingerprint for found in errors_in(errors, failed=True))) if errors else ()
    return SearchText(
        title=note.title,
        errors=derived(errors),
        fixes=derived(fixes),
        tags=derived(" ".join(note.tags)),
        body=derived(text),
        fingerprints=seen,
        fixed_fingerprints=seen if outcome == "recovered" else (),
    )
