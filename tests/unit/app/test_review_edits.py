"""Proposed edits of notes: written when a person accepts them, and taken back on request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diarist.app.editing import Wish
from diarist.app.memory import Memory
from diarist.bootstrap import open_memory
from diarist.errors import ReviewError
from diarist.model.codec import from_json
from diarist.model.record import Note

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Clock:
    """A minute later each time it is looked at."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        self.at += timedelta(minutes=1)
        return self.at


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace."""
    with open_memory(tmp_path / "ws", now=Clock()) as opened:
        yield opened


def text_of(memory: Memory, wanted: str) -> str:
    """The note's text."""
    return from_json(memory.get(wanted).body, Note).body


def test_a_new_note_is_written_on_acceptance_and_retracted_on_reopening(memory: Memory) -> None:
    """Not before."""
    filed = memory.propose_edit(Wish("Deploying", "Use the blue slot.", project="demo", tags=("ops",), actor="bot"))
    assert memory.search("blue slot") == []
    memory.decide(filed.proposal.name, "accept", why="true")
    [hit] = memory.search("blue slot", kinds=("note",))
    note = from_json(memory.get(hit.id).body, Note)
    assert (note.title, note.tags, memory.get(hit.id).trust) == ("Deploying", ("ops",), "person")
    memory.decide(filed.proposal.name, "reopen")
    assert memory.search("blue slot", kinds=("note",)) == []


def test_a_change_of_a_note_keeps_what_was_not_asked_for_and_is_undone_exactly(memory: Memory) -> None:
    """Its tags, its time and its place."""
    note = memory.add_note(title="Deploying", body="Use the green slot.", tags=("ops",), project="demo")
    filed = memory.propose_edit(Wish("Deploying", "Use the blue slot."), note.id)
    memory.reword(filed.proposal.name, body="Use the blue slot, at night.")
    memory.decide(filed.proposal.name, "accept")
    changed = memory.get(note.id)
    assert text_of(memory, note.id) == "Use the blue slot, at night."
    assert (changed.tags, changed.created_at, changed.project) == (note.tags, note.created_at, note.project)
    memory.decide(filed.proposal.name, "reopen")
    assert memory.get(note.id).body == note.body


def test_an_edit_of_a_note_that_has_moved_on_is_refused(memory: Memory) -> None:
    """So is one of what is no note, or is gone."""
    note = memory.add_note(title="Deploying", body="Use the green slot.", project="demo")
    filed = memory.propose_edit(Wish("Deploying", "Use the blue slot."), note.id)
    memory.edit_note(note.id, body="Use the red slot.")
    with pytest.raises(ReviewError, match="has changed since the edit was proposed"):
        memory.decide(filed.proposal.name, "accept")
    entry = memory.add_entry(task_id="t", transcript="User: do it\nAssistant: Did it.\n", project="demo", created_at=NOW)
    other = memory.propose_edit(Wish("Mine", "All mine."), entry.id)
    with pytest.raises(ReviewError, match="is no note"):
        memory.decide(other.proposal.name, "accept")
    assert text_of(memory, note.id) == "Use the red slot."
