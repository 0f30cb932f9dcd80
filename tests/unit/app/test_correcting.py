"""`Memory.correct`: recall and search tell what stands, history stays whole, and no import, index or distilling undoes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import diarist
from builders import ClaudeSession
from diarist.app.memory import Memory
from diarist.errors import InvalidInputError, NotFoundError
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

QUESTION = "how does the narwhal deploy go through the gate"
OLD = "The narwhal deploy goes through the green gate with the old token."


@pytest.fixture
def open_(tmp_path: Path) -> Callable[[], Memory]:
    return lambda: diarist.open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path / "home")})


@pytest.fixture
def memory(open_: Callable[[], Memory]) -> Iterator[Memory]:
    with open_() as found:
        yield found


def session(folder: Path) -> Path:
    made = ClaudeSession(1).prompt("How does the narwhal deploy go through the gate? Note it and run the deploy.")
    return made.bash("deploy --gate green", "done").reply(OLD).write(folder)


def shake(open_: Callable[[], Memory], path: Path) -> None:
    """Everything that could bring an old statement back."""
    with open_() as memory:
        memory.redistil()
        memory.ingest([path])
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        memory.ingest([path])
        memory.rebuild_index()


SHAPES: dict[str, dict[str, Any]] = {
    "replaced": {"text": "The narwhal deploy goes through the blue gate, with the new token."},
    "reversed": {"text": "The narwhal deploy must not go through any gate."},
    "retracted": {},
    "partly": {"text": "The narwhal deploy still goes through the gate, but the token is a new one."},
    "until": {"until": datetime(2026, 1, 1, tzinfo=UTC), "text": "Since January the narwhal deploy goes through the blue gate."},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_recall_tells_what_stands_whatever_happens_later(open_: Callable[[], Memory], tmp_path: Path, shape: str) -> None:
    path = session(tmp_path / "in")
    with open_() as memory:
        entry = memory.ingest([path]).entries[0]
        assert "green gate" in memory.recall(QUESTION).text, "the control: it is told before it is corrected"
        done = memory.correct(entry.id, shape, why="it moved", **SHAPES[shape])
    for _ in range(2):
        with open_() as memory:
            told = memory.recall(QUESTION)
            text = str(SHAPES[shape].get("text", ""))
            assert text in told.text
            assert ("green gate" in told.text) == (shape == "partly")
            hits = {hit.id: hit for hit in memory.search("narwhal deploy gate")}
            if shape == "retracted":
                assert entry.id not in hits
            elif shape != "partly":
                assert hits[entry.id].superseded_by == done.correction
                assert list(hits) == [done.correction, entry.id]
            events = [event.action for event in memory._box.store.get_history(entry.id)]
            assert events[0] == "create"
            assert memory.doctor()["faults"] == []
            assert memory.verify_all().faults == ()
        shake(open_, path)


def test_until_a_date_it_holds(memory: Memory) -> None:
    note = memory.add_note(title="Narwhal gate", body=OLD)
    memory.correct(note.id, "until", until=datetime.now(UTC) + timedelta(days=30))
    assert "green gate" in memory.recall(QUESTION).text
    memory.take_back_correction(memory.corrections(note.id)[0].record_id)
    memory.correct(note.id, "until", until=datetime.now(UTC) - timedelta(days=1))
    assert "green gate" not in memory.recall(QUESTION).text


def test_a_correction_can_be_corrected_and_taken_back(memory: Memory) -> None:
    note = memory.add_note(title="Narwhal gate", body=OLD)
    first = memory.correct(note.id, "replaced", text="The narwhal deploy goes through the blue gate.")
    second = memory.correct(first.correction, "replaced", text="The narwhal deploy goes through the red gate.")
    told = memory.recall(QUESTION).text
    assert "red gate" in told
    assert "blue gate" not in told
    assert "green gate" not in told
    memory.take_back_correction(second.correction)
    assert "blue gate" in memory.recall(QUESTION).text
    memory.take_back_correction(first.correction)
    assert "green gate" in memory.recall(QUESTION).text


def test_what_was_derived_agrees(memory: Memory) -> None:
    """A lesson that rests on what fell is superseded; one that rests on it a little is named."""
    made = []
    for number in range(1, 4):
        text = "User: The import fails, please fix it\n$ pytest tests/test_import.py\nKeyError: 'width'\nexit code 1\n"
        text += "$ sed -i s/a/b/ importer.py\n$ pytest tests/test_import.py\n3 passed\nAssistant: Fixed."
        made.append(
            memory.add_entry(task_id=f"T-{number}", transcript=text, project="shop", created_at=datetime(2026, 11, 1, tzinfo=UTC)).id
        )
    memory.synthesize(since="3000d", write=True, project="shop")
    memory.decide(memory.proposals(project="shop")[0].id, "accept")
    (lesson,) = memory.list_records(RecordFilter(kinds=("lesson",)))
    assert memory.correct(made[0], "retracted").look_at == (lesson.id,)
    assert memory.correct(made[1], "replaced", text="It was the locale.").lessons == (lesson.id,)
    assert list(memory.list_records(RecordFilter(kinds=("lesson",)))) == []


def test_a_fix_that_was_retracted_is_not_offered_for_its_error(memory: Memory) -> None:
    text = "User: fix it\n$ pytest\nKeyError: 'narwhal_width'\nexit code 1\n$ sed -i s/a/b/ gate.py\n$ pytest\n3 passed"
    entry = memory.add_entry(task_id="T-1", transcript=text)
    assert memory.search_error("KeyError: 'narwhal_width'")
    memory.correct(entry.id, "reversed", text="That fix hid the fault.")
    assert memory.search_error("KeyError: 'narwhal_width'") == []


def test_bad_corrections_are_refused(memory: Memory) -> None:
    note = memory.add_note(title="A", body="B")
    for shape, text in (("replaced", ""), ("retracted", "x"), ("until", ""), ("partly", ""), ("odd", "x")):
        with pytest.raises(InvalidInputError):
            memory.correct(note.id, shape, text=text)
    with pytest.raises(NotFoundError):
        memory.correct("kh-aaaaaaaaaaaaaaaa", "retracted")
    with pytest.raises(NotFoundError):
        memory.take_back_correction(note.id)


def test_what_is_erased_takes_its_corrections_along(memory: Memory) -> None:
    note = memory.add_note(title="Narwhal gate", body=OLD)
    done = memory.correct(note.id, "replaced", text="Blue gate.")
    receipt = memory.erase(EraseWish(ids=(note.id,)))
    assert {each.id for each in receipt.reached} == {note.id, done.correction}
    assert memory.search("gate") == []
