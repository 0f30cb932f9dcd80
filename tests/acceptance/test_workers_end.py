"""An import in several processes that is stopped: no process is left behind, and the next run ends as an undisturbed one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist.model.record import RecordFilter

SESSIONS = 120
SCRIPT = """
import sys
import diarist
import diarist.app.ingest
from diarist.app.ingest import IngestOptions

diarist.app.ingest.POOL_BYTES = 0
if __name__ == "__main__":
    with diarist.open_memory(sys.argv[1]) as memory:
        sys.exit(memory.ingest([sys.argv[2]], IngestOptions(jobs=2)).interrupted)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def kill_parent(process: subprocess.Popen[bytes]) -> None:
    """As the kernel does when memory runs out."""
    process.kill()


def kill_worker(process: subprocess.Popen[bytes]) -> None:
    """The same to one of the others."""
    os.kill(children(process.pid)[0], signal.SIGKILL)


def press_ctrl_c(process: subprocess.Popen[bytes]) -> None:
    """As a terminal does: to all of them."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize("stop", [kill_parent, kill_worker, press_ctrl_c])
def test_a_stopped_import_leaves_no_process_and_loses_nothing(
    stop: Callable[[subprocess.Popen[bytes]], None], tmp_path: Path, environ: dict[str, str]
) -> None:
    folder, script = tmp_path / "in", tmp_path / "run.py"
    script.write_text(SCRIPT)
    for number in range(1, SESSIONS + 1):
        fixed_test_session(number, padding=20).write(folder)
    stopped = start(script, tmp_path / "stopped", folder, environ)
    workers = wait_for(lambda: children(stopped.pid) if len(children(stopped.pid)) == 2 else [])
    stop(stopped)
    stopped.wait(timeout=60)
    wait_for(lambda: [] if any(map(is_running, workers)) else [1])
    for workspace in ("stopped", "whole"):
        assert start(script, tmp_path / workspace, folder, environ).wait(timeout=120) == 0
    assert entries(tmp_path / "stopped") == entries(tmp_path / "whole")
    with diarist.open_memory(tmp_path / "stopped", read_only=True) as memory:
        assert memory.doctor()["faults"] == []


def start(script: Path, workspace: Path, folder: Path, environ: dict[str, str]) -> subprocess.Popen[bytes]:
    """An import in a group of its own."""
    return subprocess.Popen(
        [sys.executable, str(script), str(workspace), str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environ,
        start_new_session=True,
    )


def children(pid: int) -> list[int]:
    """Processes that a process started."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_running(pid: int) -> bool:
    """Neither gone nor waiting to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(look: Callable[[], list[int]]) -> list[int]:
    """What `look` finds, as soon as it finds anything."""
    for _ in range(3000):
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("nothing of the kind within a minute")


def entries(workspace: Path) -> bytes:
    """All entries, in the form that is the same for the same entries."""
    with diarist.open_memory(workspace) as memory:
        return b"".join(memory.export(RecordFilter(kinds=("entry",))))
