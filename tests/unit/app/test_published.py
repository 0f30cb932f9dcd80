"""Published files after a process was killed between the commit of a record and the writing of its files."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist.app.memory import Memory
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

KILLED = """
import os, signal, sys
import diarist

def die(event, arguments):
    if event == "open" and "projects" in str(arguments[0]) and ".diarist-tmp-" in str(arguments[0]):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
with diarist.open_memory(sys.argv[1]) as memory:
    memory.ingest([sys.argv[2]])
"""


def ingest_and_die(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "ws", tmp_path / "in"], timeout=60)
    assert done.returncode == -signal.SIGKILL


def contents(workspace: Path) -> dict[str, bytes]:
    folder = workspace / "projects"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("then", ["an import", "what a server does now and then"])
def test_the_next_import_writes_what_a_killed_one_did_not(tmp_path: Path, then: str) -> None:
    """New files, and those of a run that went on: an old text under a new entry would pass for its words."""
    session = fixed_test_session(1)
    path = session.write(tmp_path / "in")
    ingest_and_die(tmp_path)
    with diarist.open_memory(tmp_path / "ws") as memory, diarist.open_memory(tmp_path / "other") as other:
        assert contents(tmp_path / "ws") == {}
        settle(memory, then, path)
        other.ingest([path])
        assert contents(tmp_path / "ws") == contents(tmp_path / "other") != {}
    session.prompt("Now rename it.").edit("src/parser.py", "parse", "read").write(tmp_path / "in")
    ingest_and_die(tmp_path)
    with diarist.open_memory(tmp_path / "ws") as memory, diarist.open_memory(tmp_path / "other") as other:
        before = contents(tmp_path / "ws")
        settle(memory, then, path)
        other.ingest([path])
        assert before != contents(tmp_path / "ws") == contents(tmp_path / "other")
        assert list((tmp_path / "ws" / "publications-begun").iterdir()) == []


def settle(memory: Memory, then: str, path: Path) -> None:
    if then == "an import":
        assert memory.ingest([path]).files_read == 0
    else:
        assert memory.tidy()["published"] == 1


def test_what_was_erased_since_is_not_published(tmp_path: Path) -> None:
    fixed_test_session(1).write(tmp_path / "in")
    ingest_and_die(tmp_path)
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.erase(EraseWish(ids=tuple(entry.id for entry in memory.list_records(RecordFilter(kinds=("entry",))))))
        assert memory.tidy()["published"] == 0
    assert contents(tmp_path / "ws") == {}
    assert list((tmp_path / "ws" / "publications-begun").iterdir()) == []
