"""kill -9 at random moments of a rescan: the next one ends with a workspace that holds nothing the new rule masks."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import diarist
import residue
from builders import fixed_test_session
from diarist.model.record import RecordFilter

KILLS = 12
SESSIONS = 16
SECRET = "GRAMPUS-4711"


def command(workspace: Path) -> list[str]:
    return [sys.executable, "-m", "diarist", "--workspace", str(workspace), "redact", "--rescan"]


def test_no_moment_of_a_rescan_is_a_bad_one_to_die(tmp_path: Path, environ: dict[str, str]) -> None:
    """Entries keep their ids, verify and are found; file bytes, vault, history and index are free of the value."""
    for number in range(1, SESSIONS + 1):
        fixed_test_session(number, padding=10).prompt(f"Then deploy {SECRET} {number}").reply("Done.").write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([tmp_path / "in"])
        ids = {record.id for record in memory.list_records(RecordFilter(kinds=("entry",)))}
    rules = tmp_path / "rules.toml"
    rules.write_text("[[pattern]]\nid = 'codename'\nregex = 'GRAMPUS-[0-9]+'\n")
    environ |= {"DIARIST_REDACT_RULES": str(rules)}
    shutil.copytree(tmp_path / "ws", tmp_path / "whole")
    began = time.monotonic()
    subprocess.run(command(tmp_path / "whole"), check=True, capture_output=True, env=environ, timeout=120)
    whole = time.monotonic() - began
    chance = random.Random(20261130)
    shutil.copytree(tmp_path / "ws", tmp_path / "killed")
    for _ in range(KILLS):
        if not kill_within(chance.uniform(0.2, 1.0) * whole, tmp_path / "killed", environ):
            check(tmp_path / "killed", ids, environ)
            shutil.rmtree(tmp_path / "killed")
            shutil.copytree(tmp_path / "ws", tmp_path / "killed")
    subprocess.run(command(tmp_path / "killed"), check=True, capture_output=True, env=environ, timeout=120)
    check(tmp_path / "killed", ids, environ)


def kill_within(seconds: float, workspace: Path, environ: dict[str, str]) -> bool:
    """Starts a rescan and kills it after so long; False if it was done before."""
    process = subprocess.Popen(command(workspace), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        return True
    return False


def check(workspace: Path, ids: set[str], environ: dict[str, str]) -> None:
    with diarist.open_memory(workspace, read_only=True, environ=environ) as memory:
        assert memory.doctor()["faults"] == []
        entries = list(memory.list_records(RecordFilter(kinds=("entry",))))
        assert {record.id for record in entries} == ids
        assert all(memory.verify(record.id).ok for record in entries)
        assert len(memory.search("parser tests", limit=100)) == SESSIONS
    assert residue.find(workspace, [SECRET]) == []
