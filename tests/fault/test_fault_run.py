"""The short version of the fault run: each kind of fault, against the oracle of acknowledged writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FAULTS = 30


def test_nothing_acknowledged_is_lost() -> None:
    """`python tests/fault/run.py --faults 500` is the long one."""
    command = [sys.executable, str(Path(__file__).with_name("run.py")), "--faults", str(FAULTS), "--seed", "20261130"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f'"faults": {FAULTS}' in done.stdout
