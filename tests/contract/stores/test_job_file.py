"""What is told of background work where there is no queue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from diarist.stores.job_file import FileBoard

NOTES = """
import sys
from pathlib import Path
from diarist.model.job import JobState
from diarist.stores.job_file import FileBoard

board = FileBoard(Path(sys.argv[1]))
for number in range(25):
    board.note(JobState(job=f"job-{sys.argv[2]}-{number}", phase="done"))
"""


def test_processes_that_tell_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    """Each adds to what the others told."""
    processes = [subprocess.Popen([sys.executable, "-c", NOTES, str(tmp_path), str(number)]) for number in range(4)]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    found = [state.job for state in FileBoard(tmp_path).list_jobs()]
    assert found == sorted(f"job-{process}-{number}" for process in range(4) for number in range(25))
