"""Reading and distilling in several processes: the same records as in one, in the same order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest

import diarist
from builders import fixed_test_session
from contract.importers.passes import TRANSCRIPTS
from diarist.app.ingest import IngestOptions
from diarist.app.sources import Source
from diarist.app.workers import BYTES_AT_ONCE, FILES_AT_ONCE, NAMED, Workers, _grouped, _may_fork, _one_of
from diarist.errors import StoreError
from diarist.model.record import RecordFilter


def test_several_processes_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diarist.app.ingest.POOL_BYTES", 0)
    folder = tmp_path / "in"
    for number in range(1, 30):
        fixed_test_session(number).write(folder / str(number % 3))
    stored, told = [], []
    for jobs in (1, 2):
        with diarist.open_memory(tmp_path / f"ws-{jobs}") as memory:
            report = memory.ingest([folder, TRANSCRIPTS], IngestOptions(jobs=jobs))
            told.append((report.created, report.files_read, report.files_skipped, [entry.id for entry in report.entries]))
            stored.append(b"".join(memory.export(RecordFilter())))
            assert memory.ingest([folder, TRANSCRIPTS], IngestOptions(jobs=jobs)).created == 0
            assert memory.doctor()["faults"] == []
    assert stored[0] == stored[1]
    assert told[0] == told[1]
    assert told[0][0] > 60


def test_small_files_are_handed_over_together_in_their_order() -> None:
    at = datetime(2026, 11, 2, tzinfo=UTC)
    sizes = [1000] * 20 + [BYTES_AT_ONCE * 3] + [1000] * 3
    tasks = [(Source(Path(f"{number}"), size, 0, number, False), None, at) for number, size in enumerate(sizes)]
    groups = list(_grouped(iter(tasks)))
    assert [task for group in groups for task in group] == tasks
    assert [len(group) for group in groups] == [FILES_AT_ONCE, 20 - FILES_AT_ONCE, 1, 3]
    assert list(_grouped(())) == []


def test_a_process_with_other_threads_is_not_copied() -> None:
    done = Event()
    other = Thread(target=done.wait)
    other.start()
    try:
        assert not _may_fork()
    finally:
        done.set()
        other.join()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be stopped here")
def test_where_a_process_dies_the_files_it_was_at_are_named(tmp_path: Path) -> None:
    """The largest of its group first; not those that it had not come to."""
    at = datetime(2026, 11, 2, tzinfo=UTC)
    first = [fixed_test_session(number).write(tmp_path / "first") for number in (1, 2)]
    later = fixed_test_session(3).write(tmp_path / "later")
    sizes = zip([*first, later], [1000, BYTES_AT_ONCE - 1000, BYTES_AT_ONCE], strict=True)
    before = set(multiprocessing.active_children())

    def todo() -> Iterator[tuple[Source, None]]:
        for path, size in sizes:
            yield Source(path, size, 0, 1, True), None
        (process,) = set(multiprocessing.active_children()) - before  # the first two are handed out by now
        process.kill()
        process.join()

    with diarist.open_memory(tmp_path / "ws") as memory, Workers(1, memory._box.make_reader) as workers:
        for process in set(multiprocessing.active_children()) - before:
            os.kill(process.pid or 0, signal.SIGSTOP)
        with pytest.raises(StoreError, match="a reading process died") as caught:
            list(workers.read(todo(), lambda: at))
    assert str(caught.value).endswith(f"It was at one of: {first[1]}, {first[0]}")


def test_of_many_files_some_of_each_process_are_named() -> None:
    told = _one_of([[f"a{number}" for number in range(9)], ["b0"]])
    assert told == f". It was at one of: a0, b0, a1, a2, a3, a4, a5, a6 and {10 - NAMED} more"
    assert _one_of([]) == ""
