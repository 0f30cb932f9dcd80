"""Documents and entries: read, edit, history, transcript, neighbourhood, verification, erasing."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from diarist.app.documents import Edit, path_of
from diarist.app.graph import scope_of
from diarist.asgi.problems import Problem
from diarist.asgi.reading import body_of
from diarist.errors import ConflictError, NotFoundError
from diarist.model.codec import from_json
from diarist.model.entry import Entry
from diarist.model.record import Note
from diarist.model.session import Step
from diarist.web.page import Go, Raw, Shown, Visit, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.graph import Neighbour
    from diarist.model.entry import Evidence
    from diarist.model.record import Record

STEPS = 60
LONGEST_STEP = 6_000
VERDICTS = ("helped", "harmful", "ignored", "followed", "refuted")


class Bullet(NamedTuple):
    """A line of an entry and what it rests on."""

    text: str
    quote: str
    step: int | None


class Shot(NamedTuple):
    """A step of a transcript as it is shown."""

    number: int
    kind: str
    head: str
    text: str
    failed: bool
    cut: int


class Spot(NamedTuple):
    """A neighbour in the drawing."""

    x: float
    y: float
    neighbour: Neighbour


def show(visit: Visit) -> Shown | Go:
    """Any record by its id: an entry with its evidence, a document, a lesson; proposals and skills have pages of their own."""
    record = visit.memory.get(visit.ids["id"])
    if record.kind == "proposal":
        return Go(f"/review/{record.id}")
    shared = _shared(visit, record)
    if record.kind == "entry":
        entry = from_json(record.body, Entry)
        lists = [(name, _bullets(entry, name)) for name in ("tried", "worked", "failed")]
        related = visit.memory.neighbours(record.id)
        return Shown("entry.html", {**shared, "entry": entry, "lists": lists, "related": related, "verdicts": VERDICTS})
    return Shown("document.html", {**shared, "text": visit.memory.markdown(record.id), "related": visit.memory.neighbours(record.id)})


def history(visit: Visit) -> Shown:
    """Every change of a record, with what it changed."""
    from diarist.app.differences import unified
    from diarist.web.render import diff_lines

    record = visit.memory.get(visit.ids["id"])
    found = visit.memory.history(record.id)
    changes = []
    for number, each in enumerate(found):
        before = found[number - 1].text if number else ""
        changes.append((each, diff_lines(unified(before or "", each.text or "", record.id), 400)))
    return Shown("history.html", {**_shared(visit, record), "changes": changes[::-1][:100], "can_revert": bool(path_of(record))})


def revert(visit: Visit) -> Go:
    """Brings the text of an earlier revision back."""
    edited = visit.memory.revert(visit.ids["id"], number_of(visit.form.get("revision", "")), by=visit.who)
    return Go(f"/review/{edited.review_id}" if edited.review_id else f"/kb/{edited.id}")


def edit(visit: Visit) -> Shown | Go:
    """The form, and what it sends: below an auto-merge prefix it lands at once, elsewhere it becomes a proposal."""
    record = visit.memory.get(visit.ids["id"], ("note",))
    note = from_json(record.body, Note)
    if not visit.form:
        values = {"title": note.title, "body": note.body, "tags": ", ".join(note.tags), "revision": record.revision, "conflict": ""}
        return Shown("edit.html", {**_shared(visit, record), **values})
    return _save(visit, record, note)


def _save(visit: Visit, record: Record, note: Note) -> Shown | Go:
    title, body = visit.form.get("title", ""), visit.form.get("body", "").replace("\r\n", "\n")
    tags = [tag.strip() for tag in visit.form.get("tags", "").split(",") if tag.strip()]
    base = number_of(visit.form.get("revision", ""))
    path = path_of(record)
    try:
        if not path:
            _check_note(visit, record, base)
            visit.memory.edit_note(record.id, body=body, title=title, tags=tags or None)
            return Go(f"/kb/{record.id}")
        source = str(note.extra.get("source_type", ""))
        wish = Edit(path, title, body, tags, source, note.related, visit.who, base, project=record.project)
        edited = visit.memory.edit_document(wish, by=visit.who)
    except ConflictError as error:
        values = {"title": title, "body": body, "tags": ", ".join(tags), "revision": record.revision, "conflict": str(error)}
        return Shown("edit.html", {**_shared(visit, record), **values, "now": note}, 409)
    return Go(f"/review/{edited.review_id}" if edited.review_id else f"/kb/{edited.id}")


def _check_note(visit: Visit, record: Record, base: int) -> None:
    """A note without a path is changed at once: by those who may review, and only as it was read."""
    if base != record.revision:
        raise ConflictError(f"it is at revision {record.revision} now, not {base}", record)
    if not visit.caller.may("review"):
        raise Problem(403, "a note without a path is edited by those who may review")


def create(visit: Visit) -> Shown | Go:
    """A new document."""
    if not visit.form:
        return Shown("new.html", {"values": {"path": visit.query.get("path", "guides/"), "title": "", "body": "", "tags": ""}})
    project = visit.caller.project if visit.caller.project is not None else visit.form.get("project", "")
    tags = [tag.strip() for tag in visit.form.get("tags", "").split(",") if tag.strip()]
    body = visit.form.get("body", "").replace("\r\n", "\n")
    wish = Edit(visit.form.get("path", ""), visit.form.get("title", ""), body, tags, "note", (), visit.who, 0, project=project)
    edited = visit.memory.edit_document(wish, by=visit.who)
    return Go(f"/review/{edited.review_id}" if edited.review_id else f"/kb/{edited.id}")


def transcript(visit: Visit) -> Shown:
    """A part of the redacted transcript; the next one is loaded when the reader comes near it."""
    entry = visit.memory.get_entry(visit.ids["id"])
    lines = visit.memory.transcript(entry.id).splitlines()
    told = number_of(visit.query.get("step", ""), -1) if visit.query.get("step") else None
    start = number_of(visit.query.get("from", ""), max(0, (told or 0) - 10))
    shots = [_shot(number, line) for number, line in enumerate(lines[start : start + STEPS], start)]
    values = {
        "entry": entry,
        "shots": shots,
        "start": start,
        "total": len(lines),
        "told": told,
        "next": start + STEPS if start + STEPS < len(lines) else None,
        "before": max(0, start - STEPS) if start else None,
    }
    return Shown("steps.html" if visit.lively else "transcript.html", values)


def step(visit: Visit) -> Raw:
    """One step whole, as plain text."""
    lines = visit.memory.transcript(visit.memory.get_entry(visit.ids["id"]).id).splitlines()
    number = number_of(visit.ids["number"])
    if number >= len(lines):
        raise NotFoundError("the transcript has no such step")
    return Raw(lines[number].encode(), "text/plain; charset=utf-8", {"content-disposition": "inline"})


def near(visit: Visit) -> Shown:
    """What a record is related to, drawn."""
    record = visit.memory.get(visit.ids["id"])
    found = visit.memory.neighbours(record.id)
    spots = []
    for number, each in enumerate(found):
        angle = 2 * math.pi * number / max(1, len(found)) - math.pi / 2
        reach = 150 if number % 2 == 0 or len(found) < 13 else 105
        spots.append(Spot(round(300 + 1.55 * reach * math.cos(angle), 1), round(190 + reach * math.sin(angle), 1), each))
    return Shown("near.html", {**_shared(visit, record), "spots": spots})


def verify(visit: Visit) -> Shown:
    """Really checks an entry: its own hash, its evidence, every field against it."""
    told = visit.memory.verify(visit.ids["id"])
    if visit.lively:
        return Shown("verified.html", {"told": told})
    return Shown("verify.html", {**_shared(visit, visit.memory.get(told.id)), "told": told})


def feedback(visit: Visit) -> Go:
    """Says whether a record helped."""
    record = visit.memory.get(visit.ids["id"])
    visit.memory.feedback(record.id, visit.form.get("verdict", ""), session=visit.caller.key_id)
    return Go(f"/kb/{record.id}")


def erase(visit: Visit) -> Shown | Go:
    """What erasing would reach; once that is confirmed by the id, erases for good."""
    from diarist.model.erasing import EraseWish

    record = visit.memory.get(visit.ids["id"])
    wish = EraseWish(ids=(record.id,))
    if visit.form.get("confirm") == record.id:
        visit.memory.erase(wish)
        visit.shelf.clear()
        return Go("/")
    return Shown("erase.html", {**_shared(visit, record), "reach": visit.memory.preview_erase(wish), "wrong": bool(visit.form)})


def raw(visit: Visit) -> Raw:
    """A record as Markdown, to save."""
    record = visit.memory.get(visit.ids["id"])
    name = quote(f"{record.id}.md")
    headers = {"content-disposition": f"attachment; filename={name}"}
    return Raw(visit.memory.markdown(record.id).encode("utf-8", "replace"), "text/markdown; charset=utf-8", headers)


def _shared(visit: Visit, record: Record) -> dict[str, Any]:
    body = body_of(record) if record.kind in ("note", "lesson") else {}
    return {
        "record": record,
        "scope": scope_of(record.kind, record.project, record.agent),
        "path_name": path_of(record),
        "uses": visit.memory.uses(record.id)[-20:],
        "source": body.get("extra", {}).get("source_type", "") if isinstance(body.get("extra"), dict) else "",
    }


def _bullets(entry: Entry, name: str) -> list[Bullet]:
    known: dict[int, Evidence] = {}
    for each in entry.evidence.get(name, ()):
        known.setdefault(each.bullet, each)
    lines: Sequence[str] = getattr(entry, name)
    return [
        Bullet(line, known[number].quote if number in known else "", next(iter(known[number].steps), None) if number in known else None)
        for number, line in enumerate(lines)
    ]


def _shot(number: int, line: str) -> Shot:
    try:
        found = msgspec.json.decode(line, type=Step)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return Shot(number, "text", "", line[:LONGEST_STEP], failed=False, cut=max(0, len(line) - LONGEST_STEP))
    text: str = found.text
    if found.arguments is not None:
        text = _arguments(dict(found.arguments)) + (f"\n{text}" if text else "")
    head = found.tool or (f"exit {found.exit_code}" if found.exit_code is not None else found.mark)
    failed = bool(found.error) or bool(found.exit_code)
    return Shot(number, found.kind, head, text[:LONGEST_STEP], failed, max(0, len(text) - LONGEST_STEP) + found.clipped)


def _arguments(told: dict[str, Any]) -> str:
    if len(told) == 1 and isinstance(next(iter(told.values())), str):
        return str(next(iter(told.values())))
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for name, value in told.items()
    )
