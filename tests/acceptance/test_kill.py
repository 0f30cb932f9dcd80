"""kill -9 at random moments of an ingest: the next run ends with a whole store and the entries of an undisturbed run."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist.model.record import RecordFilter

KILLS = 50
KILLS_EACH = 10
SESSIONS = 24


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough work that a run can be killed at any stage of it."""
    folder = tmp_path_factory.mktemp("transcripts")
    for number in range(1, SESSIONS + 1):
        fixed_test_session(number, padding=20).write(folder)
    return folder


def command(workspace: Path, transcripts: Path) -> list[str]:
    """An ingest in one process: what is killed is all there is."""
    return [sys.executable, "-m", "diarist", "--workspace", str(workspace), "ingest", "--yes", "--jobs", "1", str(transcripts)]


def entries(workspace: Path) -> bytes:
    """All entries, in the form that is the same for the same entries."""
    with diarist.open_memory(workspace) as memory:
        return b"".join(memory.export(RecordFilter(kinds=("entry",))))


def test_no_moment_of_an_ingest_is_a_bad_one_to_die(transcripts: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    """Nothing is lost, doubled or half done, wherever the process was: five workspaces, each killed ten times or more."""
    whole = finish(tmp_path / "whole", transcripts, environ)
    expected = entries(tmp_path / "whole")
    assert expected.count(b"\n") == SESSIONS
    chance = random.Random(20261130)
    for number in range(KILLS // KILLS_EACH):
        workspace = tmp_path / f"workspace-{number}"
        killed = 0
        while killed < KILLS_EACH:
            if kill_within(chance.uniform(0.1, 1.0) * whole, workspace, transcripts, environ):
                killed += 1
            else:
                shutil.rmtree(workspace)  # it was done: begin anew, so that early moments are met as often as late ones
        finish(workspace, transcripts, environ)
        assert entries(workspace) == expected
        check(workspace)


def finish(workspace: Path, transcripts: Path, environ: dict[str, str]) -> float:
    """Runs an ingest to its end; returns the seconds it took."""
    began = time.monotonic()
    subprocess.run(command(workspace, transcripts), check=True, capture_output=True, env=environ, timeout=120)
    return time.monotonic() - began


def kill_within(seconds: float, workspace: Path, transcripts: Path, environ: dict[str, str]) -> bool:
    """Starts an ingest and kills it after so long; False if it was done before."""
    process = subprocess.Popen(command(workspace, transcripts), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        return True
    return False


def check(workspace: Path) -> None:
    """Everything fits together, nothing is left to do, every entry verifies and is found."""
    with diarist.open_memory(workspace, read_only=True) as memory:
        report = memory.doctor()
        assert report["faults"] == []
        assert report["counts"]["sessions_to_distil"] == 0
        assert all(memory.verify(record.id).ok for record in memory.list_records(RecordFilter(kinds=("entry",))))
        assert len(memory.search("parser tests", limit=100)) == SESSIONS
