"""Processes of a server that distil what is handed in many at a time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from diarist.app.crew import DIED, MANY, Crew
from diarist.app.ingest import IngestOptions
from diarist.app.memory import Memory
from diarist.bootstrap import build_crew, open_memory
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

RUNS = 3 * MANY
START = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Crew]:
    (tmp_path / "config.toml").write_text("")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    made = build_crew(tmp_path / "any")
    assert made is not None
    yield made
    made.close()


def run(number: int, said: str = "") -> dict[str, Any]:
    steps = [
        {"role": "user", "content": f"Mend part {number}. {said}"},
        {"role": "assistant", "content": "", "tool_calls": [_call("a", {"command": "pytest -q"})]},
        {"role": "tool", "tool_call_id": "a", "content": f"E   ValueError: part {number}\n1 failed in 0.1s"},
        {"role": "assistant", "content": "The value of the part was wrong, so I set it before it is read."},
    ]
    return {"task_id": f"t{number}", "transcript": "\n".join(map(json.dumps, steps)), "project": "shop"}


def _call(call_id: str, arguments: dict[str, str]) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": json.dumps(arguments)}}


def ids(memory: Memory) -> list[str]:
    return [record.id for record in memory.list_records(RecordFilter(kinds=("entry",)))]


def told(memory: Memory) -> list[tuple[str, str, str]]:
    """Each entry with its hash: over all it says."""
    return sorted((entry.id, entry.entry_hash, memory.transcript(entry.id)) for entry in map(memory.get_entry, ids(memory)))


def test_they_tell_what_the_server_itself_would(crew: Crew, tmp_path: Path) -> None:
    """A bad run among them has its own answer; what was erased is masked there too."""
    runs: list[dict[str, Any]] = [run(number, "The word is marzipan-flute." if number == 7 else "") for number in range(RUNS)]
    runs[3] = {"task_id": "t3", "transcript": " "}
    runs[5] = {"task_id": "", "transcript": "x"}
    seen = []
    for name, helpers in (("alone", None), ("crew", crew)):
        with open_memory(tmp_path / name, now=lambda: START) as memory:
            memory.crew = helpers
            gone = memory.add_entry(task_id="old", transcript=run(0, "marzipan-flute")["transcript"], agent="a", project="shop")
            memory.erase(EraseWish(ids=(gone.id,), values=("marzipan-flute",)))
            answers = memory.add_entries(runs)
            assert [number for number, answer in enumerate(answers) if answer.problem] == [3, 5]
            assert "marzipan" not in str(told(memory))
            seen.append((answers, told(memory)))
    assert seen[0] == seen[1]
    assert len(seen[1][1]) == RUNS - 2


def test_they_start_only_when_much_comes_at_once(crew: Crew, tmp_path: Path) -> None:
    """Then small batches have the use of them too."""
    with open_memory(tmp_path / "w") as memory:
        memory.crew = crew
        memory.add_entries([run(number) for number in range(MANY - 1)])
        assert _pids(crew) == []
        memory.add_entries([run(number) for number in range(MANY, 2 * MANY)])
        assert _pids(crew)
        assert not any(answer.problem for answer in memory.add_entries([run(100), run(101), run(102)]))
        assert {"t100", "t101", "t102"} <= {memory.get_entry(each).task_id for each in ids(memory)}


def test_one_that_dies_costs_nothing(crew: Crew, tmp_path: Path) -> None:
    """The runs of the batch are told one by one, by new processes, which the next batch has too."""
    with open_memory(tmp_path / "w") as memory:
        memory.crew = crew
        assert not any(answer.problem for answer in memory.add_entries([run(number) for number in range(RUNS)]))
        first = _pids(crew)
        os.kill(first[0], signal.SIGKILL)
        for start in (RUNS, 2 * RUNS):
            assert not any(answer.problem for answer in memory.add_entries([run(number) for number in range(start, start + RUNS)]))
        assert not set(_pids(crew)) & set(first)
        assert len(ids(memory)) == 3 * RUNS


def test_a_run_that_ends_its_process_does_not_end_the_server(crew: Crew, tmp_path: Path) -> None:
    """As one would for which there is too little memory: it is refused by itself, nothing of it is kept, and things go on."""

    def end_some() -> None:
        """One of the batch's processes, then the first two that are started after it."""
        while not (seen := set(_pids(crew))):
            time.sleep(0.01)
        os.kill(min(seen), signal.SIGKILL)
        killed = 0
        while killed < 2:
            time.sleep(0.01)
            for pid in sorted({child.pid for child in active_children() if child.pid} - seen)[: 2 - killed]:
                os.kill(pid, signal.SIGKILL)
                seen.add(pid)
                killed += 1

    with open_memory(tmp_path / "w") as memory:
        memory.crew = crew
        killer = threading.Thread(target=end_some)
        killer.start()
        answers = memory.add_entries([run(number) for number in range(MANY)])
        killer.join()
        refused = [answer.problem for answer in answers if answer.problem]
        assert refused in ([DIED], [DIED, DIED])  # the second killed may have been the batch's, too
        assert len(ids(memory)) == MANY - len(refused)
        assert not any(answer.problem for answer in memory.add_entries([run(number) for number in range(MANY)]))
        assert len(ids(memory)) == MANY


def _pids(crew: Crew) -> list[int]:
    return sorted(crew._workers._pool._processes) if crew._workers is not None else []


def test_where_no_process_can_be_started_it_is_done_here(crew: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container without shared memory: no semaphore can be made there."""

    def refuse(*_: Any) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("_multiprocessing.SemLock", refuse)
    monkeypatch.setattr("diarist.app.ingest.POOL_BYTES", 0)
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text(run(number)["transcript"])
    with open_memory(tmp_path / "w") as memory:
        memory.crew = crew
        assert not any(answer.problem for answer in memory.add_entries([run(number) for number in range(RUNS)]))
        assert _pids(crew) == []
        report = memory.ingest(sorted(tmp_path.glob("*.jsonl")), IngestOptions(jobs=2))
        assert (len(report.entries), report.problems) == (3, [])
