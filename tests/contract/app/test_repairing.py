"""`doctor --repair`: a consistent workspace from what is whole; the damaged file is kept, and what could not be saved is named."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist.bootstrap import repair
from diarist.errors import DiaristError
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

SESSIONS = 12


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {"HOME": str(tmp_path_factory.mktemp("home"))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, environ: dict[str, str]) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    with diarist.open_memory(folder / "ws", environ=environ) as memory:
        memory.ingest([fixed_test_session(number, padding=8).write(folder / "in") for number in range(1, SESSIONS + 1)])
        for number in range(20):
            memory.add_note(title=f"Note {number}", body=f"Body {number}. " * 200)
        gone = memory.add_note(title="Gone", body="It is GRAMPUS-4711.")
        memory.erase(EraseWish(ids=(gone.id,), values=("GRAMPUS-4711",)))
    connection = sqlite3.connect(folder / "ws" / "diarist.db")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return folder / "ws"


def check(workspace: Path, environ: dict[str, str]) -> int:
    """Everything fits together; returns how many records there are."""
    with diarist.open_memory(workspace, environ=environ) as memory:
        assert memory.doctor()["faults"] == []
        assert memory.verify_index() == []
        assert memory.verify_all().faults == ()
        memory.add_note(title="Afterwards", body="It goes on.")
        return sum(1 for _ in memory.list_records(RecordFilter(kinds=("entry", "note"), include_inactive=True)))


def test_a_whole_workspace_is_left_alone(whole: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    shutil.copytree(whole, tmp_path / "ws")
    done = repair(tmp_path / "ws", environ=environ)
    assert (done.done, done.lost, done.kept) == ([], [], [])
    assert check(tmp_path / "ws", environ) == SESSIONS + 21


def test_torn_pages_of_the_database(whole: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    """Pages of zeros, of noise, of another place, at random: what is whole is saved, or it says that nothing can be."""
    chance = random.Random(4711)
    data = (whole / "diarist.db").read_bytes()
    size = int.from_bytes(data[16:18], "big")
    pages = len(data) // size
    saved = []
    for number in range(10):
        broken = bytearray(data)
        for page in chance.sample(range(1, pages), 1 + number % 3):
            other = chance.randrange(pages)
            piece = (bytes(size), chance.randbytes(size), data[other * size : (other + 1) * size])[number % 3]
            broken[page * size : (page + 1) * size] = piece
        workspace = tmp_path / f"ws{number}"
        shutil.copytree(whole, workspace)
        (workspace / "diarist.db").write_bytes(broken)
        try:
            done = repair(workspace, environ=environ)
        except DiaristError:
            assert (workspace / "diarist.db").read_bytes() == broken, "what cannot be repaired is left as it is"
            continue
        saved.append(check(workspace, environ))
        if done.done:
            assert not done.kept or Path(done.kept[0]).read_bytes() == broken
    assert len(saved) >= 6
    assert max(saved) >= SESSIONS


def test_a_record_that_says_something_else_is_not_believed(whole: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    """Changed behind the store's back: history begins anew, that record is named, the others are there; tombstones hold."""
    shutil.copytree(whole, tmp_path / "ws")
    connection = sqlite3.connect(tmp_path / "ws" / "diarist.db")
    (chosen, seq) = connection.execute("SELECT id, body_seq FROM records WHERE kind = 'note' AND title = 'Note 3'").fetchone()
    connection.execute("UPDATE history_payloads SET payload = replace(payload, 'Body 3', 'Body X') WHERE seq = ?", (seq,))
    connection.execute("UPDATE history_payloads SET payload = CAST(payload AS BLOB) WHERE seq = ?", (seq,))
    connection.commit()
    connection.close()
    done = repair(tmp_path / "ws", environ=environ)
    assert any(chosen in line for line in done.lost)
    assert check(tmp_path / "ws", environ) == SESSIONS + 20
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        memory.add_note(title="Again", body="It is GRAMPUS-4711.")
        assert memory.residue(["GRAMPUS-4711"]) == []


def test_damaged_evidence_is_put_aside_and_its_file_read_again(whole: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    shutil.copytree(whole, tmp_path / "ws")
    chunk = next((tmp_path / "ws" / "vault").glob("[0-9a-f][0-9a-f]/*.zst"))
    chunk.write_bytes(b"noise")
    done = repair(tmp_path / "ws", environ=environ)
    assert any("evidence of session" in line for line in done.lost)
    assert Path(done.kept[0]).read_bytes() == b"noise"
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        memory.ingest([whole.parent / "in"])
        assert memory.doctor()["faults"] == []
        assert memory.verify_all().faults == ()


def test_missing_files_and_a_damaged_index_are_made_anew(whole: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    shutil.copytree(whole, tmp_path / "ws")
    shutil.rmtree(tmp_path / "ws" / "projects")
    for path in (tmp_path / "ws" / "index").rglob("*.store"):
        path.write_bytes(b"noise")
    done = repair(tmp_path / "ws", environ=environ)
    assert any("published files" in line for line in done.done)
    assert done.lost == []
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        assert memory.search("parser tests")
        assert memory.verify_all().missing_files == 0
