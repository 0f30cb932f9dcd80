"""Many runs or notes in one transaction: the same outcome as one by one, and what is wrong with one is told of that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import diarist
from diarist.app.memory import Memory
from diarist.bootstrap import DATABASE_URL
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
RUN = "User: mend part {n}\n$ make part-{n}\nerror: no rule for {n}\n$ make part-{n}\nok\nAssistant: Part {n} is mended."


@pytest.fixture(params=["sqlite", "postgres"])
def open_at(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Memory]]:
    """Opens workspaces by name, each with a store of its own."""
    with ExitStack() as stack:

        def opened(name: str) -> Memory:
            if request.param == "postgres":
                monkeypatch.setenv(DATABASE_URL, request.getfixturevalue("postgres").make_database())
            return stack.enter_context(diarist.open_memory(tmp_path / name))

        yield opened


def run(number: int, **more: Any) -> dict[str, Any]:
    return {"task_id": f"T-{number}", "transcript": RUN.format(n=number), "agent": "host", "project": "shop", "created_at": NOW, **more}


def nested(deep: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(deep):
        value = [value]
    return value


def told(memory: Memory) -> list[tuple[Any, ...]]:
    """What the store holds, but for when it was written."""
    found = memory.list_records(RecordFilter(include_inactive=True), sort="id")
    return [(record.id, record.kind, record.digest, record.trust, record.status, record.revision) for record in found]


def test_a_batch_gives_what_one_by_one_gives(open_at: Callable[[str], Memory], tmp_path: Path) -> None:
    together, single = open_at("together"), open_at("single")
    answers = together.add_entries([run(number) for number in range(7)])
    entries = [single.add_entry(**run(number)) for number in range(7)]
    assert [(each.id, each.outcome, each.problem) for each in answers] == [(entry.id, entry.outcome, "") for entry in entries]
    assert told(together) == told(single)
    published = [sorted(p.relative_to(tmp_path / n) for p in (tmp_path / n / "projects").rglob("*.*")) for n in ("together", "single")]
    assert published[0] == published[1]
    assert len(published[0]) == 14
    assert together.verify_all().faults == ()
    assert together.verify(answers[3].id).ok
    assert together.transcript("T-3") == single.transcript("T-3")


def test_bad_items_are_told_singly_and_the_rest_is_kept(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    items = [
        run(1),
        run(2, task_id=" "),
        run(3, transcript=""),
        run(4),
        {"task_id": "T-5"},
        run(6, agent=7),
        run(7, colour="red"),
        run(8, created_at=datetime(2026, 1, 1)),  # noqa: DTZ001 - that is what is wrong with it
        run(9, project="\udc00"),
        run(10, host={"route": ["by hand"]}),
        run(11, host={"outcome": "splendid"}),
        run(12, host={"tags": nested(600)}),
    ]
    answers = memory.add_entries(items)
    assert [bool(answer.problem) for answer in answers] == [False, True, True, False, *([True] * 8)]
    assert {record.task_id for record in memory.list_records(RecordFilter(kinds=("entry",)))} == {"T-1", "T-4"}
    assert all(answer.problem and not answer.id for answer in answers if answer.problem)
    assert memory.verify_all().faults == ()


def test_the_same_task_again_replaces_it_also_within_a_batch(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    first, other, second = memory.add_entries([run(1), run(2), run(1, transcript=RUN.format(n=9))])
    assert first.id == second.id != other.id
    assert memory.get(first.id).revision == 2
    memory.add_entries([run(2, transcript=RUN.format(n=8))])
    assert memory.get(other.id).title == "mend part 8"
    assert [each.text is not None for each in memory.history(other.id)] == [True, True]
    assert memory.verify_all().faults == ()


def test_a_value_that_was_erased_does_not_come_back_in_a_batch(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    word = "marlinspike-" + "7731"
    memory.add_entries([run(1, transcript=f"User: ship {word}\n$ make\nok")])
    memory.erase(EraseWish(values=(word,)))
    answers = memory.add_entries([run(2, transcript=f"User: ship {word} again\n$ make\nok"), run(3)])
    assert not answers[1].problem
    assert all(word not in memory.transcript(answer.id) for answer in answers if answer.id)


def test_secrets_are_masked_in_a_batch(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    secret = "AKIA" + "QY3F7ZKX2MWN5RTB"
    [run_answer] = memory.add_entries([run(1, transcript=f"User: use {secret}\n$ make\nok")])
    [note_answer] = memory.add_notes([{"title": f"About {secret}", "body": f"The key is {secret}."}])
    assert secret not in memory.transcript(run_answer.id)
    assert secret not in memory.get(note_answer.id).body.decode()


def test_notes_come_in_batches_too(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    answers = memory.add_notes(
        [{"title": f"Note {n}", "body": f"Keep the {n} dry.", "tags": ("rope",), "project": "shop", "created_at": NOW} for n in range(5)]
        + [{"title": " ", "body": "nameless"}, {"body": "no title"}]
    )
    assert [bool(answer.problem) for answer in answers] == [False] * 5 + [True, True]
    alone = memory.add_note(title="Note 3", body="Keep the 3 dry.", tags=("rope",), project="shop", created_at=NOW)
    assert alone.id == answers[3].id
    assert [hit.id for hit in memory.search("keep dry 4", limit=1)] == [answers[4].id]


def test_what_was_handed_in_in_a_batch_is_found_at_once(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    answers = memory.add_entries([run(number) for number in range(30)])
    assert answers[17].id in [hit.id for hit in memory.search("no rule for 17", limit=3)]


def test_an_empty_batch_changes_nothing(open_at: Callable[[str], Memory]) -> None:
    memory = open_at("w")
    before = memory.last_change()
    assert memory.add_entries([]) == []
    assert memory.last_change() == before
