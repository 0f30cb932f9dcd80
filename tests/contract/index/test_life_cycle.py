"""The index over time: killed, damaged, deleted, out of space, of another version; results stay complete and correct."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import diarist
from diarist.app.memory import Memory

WORDS = 60
"""Notes of the workspace."""
KILLED = """
import sys, diarist
with diarist.open_memory(sys.argv[1]) as memory:
    memory.search("anything")
    print("ready", flush=True)
    sys.stdin.readline()
    memory.rebuild_index()
"""
FULL = """
import os, resource, signal, sys, diarist
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk, as far as this process can tell: no file may grow beyond this
with diarist.open_memory(sys.argv[1]) as memory:
    memory._box.search_index()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    try:
        memory.rebuild_index()
    except diarist.errors.DiaristError as error:
        print(type(error).__name__)
    print(len(memory.search("basket", limit=200)))
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with diarist.open_memory(tmp_path / "ws") as memory:
        for number in range(WORDS):
            memory.add_note(title=f"Note {number}", body=f"The basket number{number} is red. " + f"filler{number} " * 200)
    return tmp_path / "ws"


@pytest.fixture
def memory(workspace: Path) -> Iterator[Memory]:
    with diarist.open_memory(workspace) as opened:
        yield opened


def found(memory: Memory) -> int:
    return len(memory.search("basket", limit=200))


def files(workspace: Path, ending: str) -> list[Path]:
    return sorted(path for path in (workspace / "index").rglob(f"*{ending}") if path.is_file())


@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_a_rebuild_that_is_killed_at_any_point_leaves_a_whole_index(workspace: Path, after: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as dying:
        assert dying.stdin is not None
        assert dying.stdout is not None
        assert dying.stdout.readline() == "ready\n"
        dying.stdin.write("\n")
        dying.stdin.flush()
        with suppress(subprocess.TimeoutExpired):  # on a fast machine it may be done before the last of these moments
            dying.wait(after)
        dying.send_signal(signal.SIGKILL)
    with diarist.open_memory(workspace, read_only=True) as reader:
        assert found(reader) == WORDS
    with diarist.open_memory(workspace) as memory:
        assert found(memory) == WORDS
        assert memory.verify_index() == []


def test_searches_go_on_while_it_is_made_anew(workspace: Path, memory: Memory) -> None:
    assert found(memory) == WORDS
    counts: list[int] = []
    over = threading.Event()

    def read() -> None:
        with diarist.open_memory(workspace, read_only=True) as reader:
            while not over.is_set():
                counts.append(found(reader))

    reading = threading.Thread(target=read)
    reading.start()
    for _ in range(5):
        memory.rebuild_index()
    over.set()
    reading.join()
    assert set(counts) == {WORDS}


def test_what_is_written_while_another_process_makes_it_anew_is_found(workspace: Path, memory: Memory) -> None:
    code = "import sys, diarist\nwith diarist.open_memory(sys.argv[1]) as memory:\n    [memory.rebuild_index() for _ in range(4)]"
    with subprocess.Popen([sys.executable, "-c", code, str(workspace)]) as other:
        for number in range(12):
            memory.add_note(title=f"Late {number}", body="Another basket.")
            memory.search("basket")
        assert other.wait() == 0
    with diarist.open_memory(workspace) as again:
        assert found(again) == WORDS + 12
        assert again.verify_index() == []


@pytest.mark.parametrize("ending", [".term", ".idx", ".fast", ".fieldnorm", ".pos"])
def test_a_flipped_bit_is_noticed_and_mended(workspace: Path, memory: Memory, ending: str) -> None:
    assert found(memory) == WORDS
    (path,) = files(workspace, ending)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
    assert memory.verify_index() == [f"an index file is damaged: {path.name}"]
    assert memory.rebuild_index() == WORDS
    assert memory.verify_index() == []
    assert found(memory) == WORDS


def test_a_missing_file_is_noticed(workspace: Path, memory: Memory) -> None:
    assert found(memory) == WORDS
    files(workspace, ".term")[0].unlink()
    assert "missing" in memory.verify_index()[0]
    files(workspace, "meta.json")[0].write_text("{")
    assert memory.verify_index() == ["the index file meta.json cannot be read"]


def test_a_deleted_folder_is_made_again_by_the_next_search(workspace: Path, memory: Memory) -> None:
    assert found(memory) == WORDS
    shutil.rmtree(workspace / "index")
    with diarist.open_memory(workspace, read_only=True) as reader:
        status = reader.index_status()
        assert (status["behind"], status["records"]) == (WORDS, 0)
        assert "there is no search index" in status["problem"]
    assert found(memory) == WORDS
    assert "problem" not in memory.index_status()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of another kind")
@pytest.mark.parametrize("size", [0, 1_000, 4_000])
def test_a_full_disk_leaves_the_old_index_in_place(workspace: Path, size: int) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", FULL, str(workspace), str(size)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["IndexUnavailableError", str(WORDS)], done.stderr
    assert [path.name for path in (workspace / "index").iterdir() if path.name.startswith("new-")] == []
    with diarist.open_memory(workspace) as memory:
        assert memory.verify_index() == []


def test_an_index_of_another_version_is_never_read(workspace: Path) -> None:
    (current,) = [path for path in (workspace / "index").iterdir() if path.is_dir()]
    current.rename(workspace / "index" / "v-index1-analysis1")
    with diarist.open_memory(workspace) as memory:
        assert memory.index_status()["behind"] == WORDS
        assert found(memory) == WORDS
    os.utime(workspace / "index" / "v-index1-analysis1", (0, 0))
    with diarist.open_memory(workspace) as memory:
        assert found(memory) == WORDS
    assert not (workspace / "index" / "v-index1-analysis1").exists()
