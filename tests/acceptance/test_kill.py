"""kill -9 at random moments of an ingest: the next run ends with a whole store and the entries of an undisturbed run."""

from __future__ import annotations

import os
import random
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
ROUNDS = 5


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough work that a run can be killed at any stage of it."""
    folder = tmp_path_factory.mktemp("transcripts")
    for number in range(1, 61):
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
    """Nothing is lost, doubled or half done, wherever the process was."""
    began = time.monotonic()
    subprocess.run(command(tmp_path / "whole", transcripts), check=True, capture_output=True, env=environ, timeout=120)
    whole = time.monotonic() - began
    expected = entries(tmp_path / "whole")
    assert expected.count(b"\n") == 60
    chance = random.Random(20261130)
    killed = 0
    for number in range(ROUNDS):
        workspace = tmp_path / f"round-{number}"
        for _ in range(KILLS // ROUNDS):
            process = subprocess.Popen(command(workspace, transcripts), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
            time.sleep(chance.uniform(0.1, 0.8) * whole)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            process.wait(timeout=60)
            if chance.random() < 0.3 and number != 0:
                _forget(workspace)
        subprocess.run(command(workspace, transcripts), check=True, capture_output=True, env=environ, timeout=120)
        assert entries(workspace) == expected
        with diarist.open_memory(workspace, read_only=True) as memory:
            assert memory.doctor()["faults"] == []
            assert memory.doctor()["counts"]["sessions_to_distil"] == 0
            assert all(memory.verify(record.id).ok for record in memory.list_records(RecordFilter(kinds=("entry",))))
            assert len(memory.search("parser tests width", limit=100)) == 60
    assert killed >= KILLS * 0.6


def _forget(workspace: Path) -> None:
    """Starts the round over, so that early moments are met as often as late ones."""
    import shutil

    shutil.rmtree(workspace, ignore_errors=True)
