"""Themes in which nothing recurs but the subject: told in the report, known from run to run, and never up for a decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diarist.app.memory import Memory
from diarist.bootstrap import open_memory
from diarist.errors import ReviewError
from diarist.model.codec import from_json
from diarist.model.record import RecordFilter
from diarist.model.theme import Lesson, Report

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace at noon."""
    with open_memory(tmp_path / "ws", now=lambda: NOW, environ={"HOME": str(tmp_path)}) as made:
        yield made


def lessons(memory: Memory) -> list[Lesson]:
    """Lessons that stand."""
    return [from_json(record.body, Lesson) for record in memory.list_records(RecordFilter(kinds=("lesson",)))]


def quiet_runs(memory: Memory, numbers: Sequence[int], told: str = "Done.") -> Report:
    """Runs about the same thing; and the report over them, drafted."""
    for number in numbers:
        text = f"User: please translate the manual to french, part {number}\nAssistant: {told}\n"
        memory.add_entry(task_id=f"quiet-{number}", transcript=text, project="quiet", created_at=NOW - timedelta(hours=1))
    return memory.synthesize(project="quiet", write=True)


def test_a_theme_in_which_nothing_recurs_is_told_and_asks_for_no_decision(memory: Memory) -> None:
    """One line with its entries in the report; not in the queue, not among what an approval accepts."""
    report = quiet_runs(memory, range(3))
    [theme] = report.themes
    assert not theme.is_telling
    assert list(memory.proposals()) == []
    written = memory.find_report(project="quiet")
    assert written is not None
    text = written.file.read_text()
    assert "# Also seen together" in text
    assert theme.id in text
    assert all(entry in text for entry in theme.entries)
    assert "Proposed adjustment" not in text
    approved = memory.approve_report(written)
    assert (approved.written.draft.approved, approved.accepted, approved.lessons, lessons(memory)) == (True, [], 0, [])
    [kept] = memory.proposals(states=())
    with pytest.raises(ReviewError, match="nothing recurs in these entries but the subject"):
        memory.decide(kept.id, "accept")


def test_a_theme_that_asks_for_no_decision_keeps_its_lineage(memory: Memory) -> None:
    """And writing the same report again changes nothing that is kept of it."""
    [first] = quiet_runs(memory, range(3)).themes
    [second] = quiet_runs(memory, range(3, 5)).themes
    assert (second.id != first.id, second.lineage) == (True, first.lineage)
    before = len(list(memory._box.store.get_history()))
    memory.synthesize(project="quiet", write=True)
    [kept] = memory.proposals(states=())
    assert (kept.state, set(kept.evidence)) == ("superseded", set(second.entries))
    assert [event.action for event in memory._box.store.get_history()][before:] in ([], ["draft"])


def test_a_theme_is_filed_once_something_recurs_in_it(memory: Memory) -> None:
    """As a new round of the same matter."""
    [first] = quiet_runs(memory, range(3)).themes
    for number in range(3, 6):
        text = f"please translate the manual to french, part {number}\nWorked:\n- keep the glossary beside the text\n"
        memory.add_entry(task_id=f"quiet-{number}", transcript=text, project="quiet", created_at=NOW - timedelta(minutes=9))
    [theme] = memory.synthesize(project="quiet", write=True).themes
    [waiting] = memory.proposals()
    assert (theme.is_telling, theme.lineage, waiting.key, waiting.round) == (True, first.lineage, first.lineage, 1)


def test_what_a_person_put_into_words_stays_in_the_queue(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theme in which nothing recurs was filed by earlier versions; what waits unworded leaves the queue."""
    with monkeypatch.context() as earlier:
        earlier.setattr("diarist.app.drafts.waits_in_own_words", lambda *_: True)
        quiet_runs(memory, range(3))
    [waiting] = memory.proposals()
    memory.reword(waiting.id, title="Translations", body="Keep the glossary.")
    quiet_runs(memory, range(3, 5))
    memory.decide(waiting.id, "accept")
    assert [lesson.title for lesson in lessons(memory)] == ["Translations"]


def test_a_theme_of_an_earlier_version_leaves_the_queue(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was filed though nothing recurs in it, and nobody decided on it."""
    with monkeypatch.context() as earlier:
        earlier.setattr("diarist.app.drafts.waits_in_own_words", lambda *_: True)
        quiet_runs(memory, range(3))
    assert len(list(memory.proposals())) == 1
    memory.synthesize(project="quiet", write=True)
    assert list(memory.proposals()) == []
