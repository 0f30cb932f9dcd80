"""`diarist correct`: a person says that a record was wrong, or is no longer so. History stays whole; what is told agrees.

A correction is a record of its own, linked to its target. The link decides what the target counts as, also when its source is
imported again, its session distilled anew or the index rebuilt. Five shapes: see `model.machinery.SHAPES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.corrected import is_gone
from diarist.app.records import note_record
from diarist.app.times import utc
from diarist.errors import DiaristError, InvalidInputError, NotFoundError
from diarist.model.codec import from_json
from diarist.model.ids import make_id
from diarist.model.machinery import SHAPES, Correction
from diarist.model.record import Note, RecordFilter, SearchText
from diarist.model.redacted import derived
from diarist.model.skill import AcceptedSkill
from diarist.model.theme import Lesson

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record
    from diarist.model.redacted import Redacted
    from diarist.ports import Transaction

NAMESPACE = derived("corrections")
_STATUS = {"retracted": "retracted", "replaced": "superseded", "reversed": "superseded"}
_NEEDS_TEXT = ("replaced", "reversed", "partly")
_CORRECTED = ("entry", "note", "lesson", "memory", "observation")


class Amends(NamedTuple):
    """What a person says. `text`: what holds instead, or of the part; `until`: shape until only."""

    shape: str
    text: str = ""
    why: str = ""
    until: datetime | None = None


class Corrected(NamedTuple):
    """What a correction brought about."""

    correction: str
    """Its id."""
    target: str
    shape: str
    lessons: tuple[str, ...] = ()
    """Lessons that rested on it mainly, and are superseded."""
    look_at: tuple[str, ...] = ()
    """Lessons and skills that rest on it among other things: read them again."""
    files: tuple[str, ...] = ()
    """Instruction files that were written anew without those lessons."""


def correct(box: Toolbox, target: Record, amends: Amends) -> Corrected:
    """Corrects a record.

    Raises
    ------
    InvalidInputError
        The shape needs a text or a time, or records of that kind cannot be corrected.
    """
    _check(target, amends)
    at = box.now()
    redact = box.reader().redactor.redact
    until = None if amends.until is None else utc(amends.until, "until")
    text, why = redact(amends.text.strip()), redact(amends.why.strip())
    number = sum(1 for each in box.store.list_corrections([target.id]))
    note = _note(target, amends.shape, text, why, until)
    record_id = make_id("correction", target.id, str(number))
    record, search = note_record(record_id, note, project=target.project, trust="person", created_at=at, at=at)
    record = msgspec.structs.replace(record, namespace=NAMESPACE, agent=target.agent, workflow=target.workflow)
    with box.store.transaction(actor=box.actor, at=at) as tx:
        tx.put_record(record, search if text or amends.shape == "until" else SearchText(), action="correct")
        tx.put_correction(Correction(target.id, record_id, amends.shape, until, at))
        status = _STATUS.get(amends.shape, target.status)
        if status != target.status:
            tx.set_status(target.id, status, action="correct")
        lessons, look_at = _settle_derived(box, tx, target.id, at)
    files = _rewrite_targets(box, target.project) if lessons else ()
    return Corrected(record_id, target.id, amends.shape, tuple(lessons), tuple(look_at), files)


def take_back(box: Toolbox, correction_id: str) -> str:
    """Takes a correction back: its target counts as it did before. Returns the target's id. Raises NotFoundError."""
    link = next((each for each in box.store.list_corrections() if each.record_id == correction_id), None)
    if link is None:
        raise NotFoundError(f"{correction_id} is no correction")
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.delete_corrections(correction_id)
        tx.set_status(correction_id, "retracted", action="retract")
        left = [_STATUS.get(each.shape, "active") for each in box.store.list_corrections([link.target])]
        status = next((each for each in ("retracted", "superseded") if each in left), "active")
        target = box.store.get_record(link.target)
        if target is not None and target.status != status:
            tx.set_status(link.target, status, action="restore")
    return link.target


def _check(target: Record, amends: Amends) -> None:
    if amends.shape not in SHAPES:
        raise InvalidInputError(f"{amends.shape!r} is no shape of a correction; there are {', '.join(SHAPES)}")
    if target.kind not in _CORRECTED:
        raise InvalidInputError(f"{target.id} is a {target.kind}; {', '.join(_CORRECTED)} can be corrected")
    if amends.shape in _NEEDS_TEXT and not amends.text.strip():
        raise InvalidInputError(f"say what holds: a correction of the shape {amends.shape} needs a text")
    if amends.shape == "retracted" and amends.text.strip():
        raise InvalidInputError("nothing takes the place of what is retracted; use the shape replaced for a text")
    if (amends.until is not None) != (amends.shape == "until"):
        raise InvalidInputError("a time goes with the shape until, and that shape needs one")


def _note(target: Record, shape: str, text: Redacted, why: Redacted, until: datetime | None) -> Note:
    """The document of a correction. It repeats the title of its target only where that still holds in part."""
    first = text.split("\n", 1)[0].strip() or f"Correction of {target.id}"
    lines: list[str] = [text] if text else []
    if shape == "partly":
        lines.append(f'This corrects a part of "{target.title}" ({target.id}); the rest of it holds.')
    elif until is not None:
        lines.insert(0, f"{target.id} held until {until:%Y-%m-%d %H:%M} UTC." if text else "")
    else:
        lines += [f"This takes the place of {target.id}."] if text else [f"{target.id} does not hold, and nothing takes its place."]
    lines += [f"Why: {why}"] if why else []
    return Note(
        title=derived(first[:120]),
        body=derived("\n\n".join(line for line in lines if line)),
        tags=target.tags,
        related=(target.id,),
        supersedes=(target.id,) if shape in ("replaced", "reversed") else (),
        extra={"correction": shape, **({} if until is None else {"until": until.isoformat()})},
    )


def _settle_derived(box: Toolbox, tx: Transaction, target_id: str, at: datetime) -> tuple[list[str], list[str]]:
    """Lessons that rest on what fell for at least a half are superseded; other lessons and skills that rest on it are named."""
    fallen = {each.target for each in box.store.list_corrections() if is_gone(each, at)}
    if target_id not in fallen:
        return [], []
    superseded, look_at = [], []
    for record, evidence in _resting_on(box, target_id):
        lost = len(fallen.intersection(evidence))
        if record.kind == "lesson" and record.status == "active" and 2 * lost >= len(evidence):
            tx.set_status(record.id, "superseded", action="correct")
            superseded.append(record.id)
        elif record.status == "active":
            look_at.append(record.id)
    return superseded, look_at


def _resting_on(box: Toolbox, target_id: str) -> Iterator[tuple[Record, tuple[str, ...]]]:
    for record in box.store.list_records(RecordFilter(kinds=("lesson", "skill")), sort="id"):
        lesson = record.kind == "lesson"
        evidence = from_json(record.body, Lesson).evidence if lesson else from_json(record.body, AcceptedSkill).evidence
        if target_id in evidence:
            yield record, evidence


def _rewrite_targets(box: Toolbox, project: Redacted) -> tuple[str, ...]:
    from diarist.app.targets import carry_out, plan_block

    with suppress(DiaristError):  # none is configured, or the checkout is not known
        return tuple(map(str, carry_out(box, project, plan_block(box, project), at=box.now())))
    return ()
