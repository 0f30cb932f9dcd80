"""`diarist ingest --watch` with real files: they grow, are renamed, cut short, deleted, and folders come and go."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import diarist
from builders import ClaudeSession, fixed_test_session
from diarist.app.ingest import IngestOptions, IngestReport
from diarist.app.memory import Memory
from diarist.app.watching import Pending
from diarist.model.record import RecordFilter

PATIENCE = 30.0


def until(true: Callable[[], bool], what: str) -> None:
    """Waits for something that happens in another thread or process."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.05)


class Watcher:
    """A watch in a thread, and a second handle on its workspace to look at what it did."""

    def __init__(self, workspace: Path, *roots: Path) -> None:
        self.reports: list[IngestReport] = []
        self._workspace = workspace
        self._roots = roots
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._failed: list[BaseException] = []

    def _run(self) -> None:
        try:
            with diarist.open_memory(self._workspace) as memory:
                memory.watch(self._roots, IngestOptions(), self.reports.append, self._stop)
        except BaseException as error:
            self._failed.append(error)
            raise

    def titles(self) -> set[str]:
        """Prompts of all entries."""
        with self.reading() as memory:
            return {str(memory.get_entry(record.id).prompt) for record in memory.list_records(RecordFilter(kinds=("entry",)))}

    @contextmanager
    def reading(self) -> Iterator[Memory]:
        with diarist.open_memory(self._workspace, read_only=True) as memory:
            yield memory

    def wait_for(self, *prompts: str) -> None:
        """Until there are entries with these prompts and no others."""
        until(lambda: bool(self.reports) and self.titles() == set(prompts), f"import of {prompts}")

    def __enter__(self) -> Watcher:
        self._thread.start()
        until(lambda: bool(self.reports), "the first import")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        assert not self._failed


def session(number: int, prompt: str) -> ClaudeSession:
    return ClaudeSession(number).prompt(prompt).reply("Done.")


def test_files_that_come_grow_and_are_replaced_are_imported(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    session(1, "First.").write(folder)
    with Watcher(tmp_path / "ws", folder) as watcher:
        watcher.wait_for("First.")
        growing = session(2, "Second.").write(folder / "deeper" / "still")
        watcher.wait_for("First.", "Second.")
        longer = session(2, "Second.").bash("pytest -q", "1 passed")
        with growing.open("a", encoding="utf-8") as stream:
            stream.writelines(longer.lines()[2:])
        until(lambda: any("Bash" in entry.tools for report in watcher.reports for entry in report.entries), "the rest of it")
        session(3, "Third.").write(folder, "draft.tmp").replace(folder / "third.jsonl")
        watcher.wait_for("First.", "Second.", "Third.")
    assert all(not problem.lost for report in watcher.reports for problem in report.problems)


def test_what_is_renamed_cut_short_or_deleted_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    long = fixed_test_session(1).write(folder, "a.jsonl")
    session(2, "Second.").write(folder, "b.jsonl")
    prompts = ("The parser tests fail, please fix them.", "Second.")
    with Watcher(tmp_path / "ws", folder) as watcher:
        watcher.wait_for(*prompts)
        with watcher.reading() as memory:
            before = {record.id: record.digest for record in memory.list_records(RecordFilter(kinds=("entry",)))}
        long.write_text("".join(long.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
        (folder / "b.jsonl").rename(folder / "c.jsonl")
        until(lambda: len(watcher.reports) > 1, "another import")
        (folder / "c.jsonl").unlink()
        session(3, "Third.").write(folder, "d.jsonl")
        watcher.wait_for(*prompts, "Third.")
        with watcher.reading() as memory:
            after = {record.id: record.digest for record in memory.list_records(RecordFilter(kinds=("entry",)))}
            assert memory.doctor()["faults"] == []
        assert before.items() <= after.items()


def test_a_folder_that_goes_away_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diarist.app.watching.FOLDERS_SECONDS", 0.5)
    folder = tmp_path / "in"
    session(1, "First.").write(folder)
    with Watcher(tmp_path / "ws", folder, tmp_path / "later") as watcher:
        watcher.wait_for("First.")
        folder.rename(tmp_path / "gone")
        time.sleep(1.5)
        session(2, "Second.").write(folder)
        session(3, "Third.").write(tmp_path / "later")
        watcher.wait_for("First.", "Second.", "Third.")


def test_a_single_file_is_followed_too(tmp_path: Path) -> None:
    path = session(1, "First.").write(tmp_path / "in")
    session(2, "Second.").write(tmp_path / "in")
    with Watcher(tmp_path / "ws", path) as watcher:
        watcher.wait_for("First.")
        with path.open("a", encoding="utf-8") as stream:
            stream.writelines(session(1, "First.").bash("pytest -q", "1 passed").lines()[2:])
        until(lambda: any("Bash" in entry.tools for report in watcher.reports for entry in report.entries), "the rest of it")
        watcher.wait_for("First.")


def test_paths_are_due_when_they_are_quiet_or_have_waited_long() -> None:
    pending = Pending(quiet=2, longest=10)
    one, two = Path("one"), Path("two")
    pending.add([one, two], 0)
    assert pending.take_due(1) == []
    pending.add([one], 1.5)
    assert pending.take_due(2) == [two]
    for now in range(2, 10):
        pending.add([one], now)
        assert pending.take_due(now) == []
    pending.add([one], 10)
    assert pending.take_due(10) == [one]
    assert len(pending) == 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_command_tells_what_it_does_and_ends_when_told(ending: signal.Signals, environ: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    session(1, "First.").write(folder)
    command = [sys.executable, "-m", "diarist", "ingest", "--watch", "--json", str(folder)]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["created"] == 1
        session(2, "Second.").write(folder)
        assert json.loads(process.stdout.readline())["created"] == 1
        process.send_signal(ending)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Stopped watching" in said
    assert "Traceback" not in said


def test_what_cannot_be_watched_is_said(environ: dict[str, str]) -> None:
    command = [sys.executable, "-m", "diarist", "ingest", "--watch", "-"]
    done = subprocess.run(command, env=environ, input="", capture_output=True, text=True, timeout=60)
    assert (done.returncode, "--watch follows files and folders" in done.stderr) == (2, True)
