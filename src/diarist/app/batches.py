"""Many runs or notes handed over at once: each is read by itself, all that are good are written in one transaction.

One commit, one look-up of what is known and one word to other nodes for all of them: what a write costs beside its own text is
shared. What is wrong with one is told of that one; the rest is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from diarist.app.delivering import queue_delivery
from diarist.app.hosting import (
    Handed,
    NewNote,
    Run,
    ToldText,
    ToTell,
    add_note,
    hand_over,
    make_note,
    read_run,
    tell_run,
    to_tell,
    with_one_reader,
    write_run,
)
from diarist.app.observing import entry_observation, learning_state, observation_record
from diarist.app.publishing import publishing
from diarist.app.records import entry_record
from diarist.errors import AccessError, ErasedError, InvalidInputError
from diarist.model.record import SearchText

if TYPE_CHECKING:
    from diarist.app.crew import Crew
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record, Trust

MOST_AT_ONCE = 1_000
"""Items of one transaction: others of the same tenant wait for their turn meanwhile."""
_REFUSED = (InvalidInputError, ErasedError, AccessError)
Item = TypeVar("Item")
Made = TypeVar("Made")


class Added(NamedTuple):
    """What became of one item. `problem`: why nothing was added; empty where it was."""

    id: str = ""
    outcome: str = ""
    problem: str = ""


def add_entries(box: Toolbox, runs: Sequence[Mapping[str, Any]], *, trust: Trust = "host", crew: Crew | None = None) -> list[Added]:
    """`hosting.add_entry` for many; each is told as its keyword arguments. One answer for each, in order. Raises StoreError."""
    pinned = with_one_reader(box)

    def read(several: Sequence[Mapping[str, Any]]) -> list[Handed | Added]:
        ready = [_tried(partial(_ready, pinned, told)) for told in several]
        good = [each for each in ready if not isinstance(each, Added)]
        texts = iter(crew.tell(pinned.reader(), good) if crew is not None else [tell_run(pinned.reader(), each) for each in good])
        return [each if isinstance(each, Added) else _tried(partial(_hand_over, pinned, each, next(texts))) for each in ready]

    def alone(told: Mapping[str, Any]) -> None:
        handed = read_run(box, _as(Run, told))
        box.reader().vault.flush()
        write_run(box, handed, trust)

    return _add(
        runs,
        read,
        lambda several: _write_runs(box, several, trust),
        alone,
        lambda handed: Added(handed.distilled.entry.id, handed.distilled.entry.outcome),
    )


def add_notes(box: Toolbox, notes: Sequence[Mapping[str, Any]]) -> list[Added]:
    """`Memory.add_note` for many; each is told as its keyword arguments. One answer for each, in order. Raises StoreError."""
    pinned = with_one_reader(box)

    def write(several: Sequence[tuple[Record, SearchText]]) -> None:
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            tx.put_records([(record, search, "") for record, search in several])

    return _add(
        notes,
        lambda several: [_tried(partial(_note, pinned, told)) for told in several],
        write,
        lambda told: add_note(box, _as(NewNote, told)),
        lambda note: Added(note[0].id),
    )


def _add(
    items: Sequence[Mapping[str, Any]],
    read: Callable[[Sequence[Mapping[str, Any]]], list[Made | Added]],
    together: Callable[[list[Made]], None],
    alone: Callable[[Mapping[str, Any]], object],
    tell: Callable[[Made], Added],
) -> list[Added]:
    """Writes what could be read, a transaction at a time; where one item spoils it, each of that transaction anew by itself."""
    answers: list[Added] = []
    for start in range(0, len(items), MOST_AT_ONCE):
        part = items[start : start + MOST_AT_ONCE]
        made = read(part)
        told_of = [each if isinstance(each, Added) else tell(each) for each in made]
        good = [each for each in made if not isinstance(each, Added)]
        try:
            if good:
                together(good)
        except _REFUSED:
            for place, each in enumerate(made):
                done = None if isinstance(each, Added) else _tried(lambda told=part[place]: alone(told))  # type: ignore[misc]
                told_of[place] = done if isinstance(done, Added) else told_of[place]
        answers += told_of
    return answers


def _tried(work: Callable[[], Made]) -> Made | Added:
    """What `work` gives, or what is wrong with its item."""
    try:
        return work()
    except _REFUSED as error:
        return Added(problem=str(error))


def _ready(box: Toolbox, told: Mapping[str, Any]) -> ToTell:
    return to_tell(box, _as(Run, told))


def _hand_over(box: Toolbox, run: ToTell, told: ToldText | InvalidInputError) -> Handed:
    if isinstance(told, InvalidInputError):
        raise told
    return hand_over(box, run, told)


def _note(box: Toolbox, told: Mapping[str, Any]) -> tuple[Record, SearchText]:
    return make_note(box, _as(NewNote, told))


def _as(kind: type[Item], told: Mapping[str, Any]) -> Item:
    try:
        return msgspec.convert(told, kind)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"this is not told as it should be: {error}") from error


def _write_runs(box: Toolbox, several: Sequence[Handed], trust: Trust) -> None:
    box.reader().vault.flush()
    at = box.now()
    records = [(entry_record(handed.distilled.entry, trust=trust, at=at), handed) for handed in several]
    with publishing(box) as plan, box.store.transaction(actor=box.actor, at=at) as tx:
        for _, handed in records:
            tx.put_part(handed.part, changed=False)
            tx.clear_dirty(handed.part.agent, handed.part.session)
        tx.put_records(_with_observations(box, records))
        plan(tx, [(record, "") for record, _ in records])
        for record, _ in records:
            queue_delivery(box, tx, record)


def _with_observations(box: Toolbox, records: Sequence[tuple[Record, Handed]]) -> list[tuple[Record, SearchText, str]]:
    """The records of runs, each followed by its observation where the project learns."""
    learns = {project: learning_state(box.store, project).enabled for project in {record.project for record, _ in records}}
    told: list[tuple[Record, SearchText, str]] = []
    for record, handed in records:
        told.append((record, handed.distilled.search, ""))
        made = entry_observation(handed.distilled.entry, handed.tools, handed.offered) if learns[record.project] else None
        if made is not None:
            told.append((observation_record(made, trust="agent", at=record.updated_at), SearchText(), "observe"))
    return told
