"""Backups are whole, travel with their tombstones, and never bring back what was erased in the workspace they are restored to."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import diarist
import residue
from builders import fixed_test_session
from diarist.app.backing_up import read_manifest
from diarist.app.backup_drafts import draft_folder
from diarist.bootstrap import restore
from diarist.errors import DiaristError, InvalidInputError, StoreCorruptError, UsageError
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

VALUE = "GRAMPUS-4711"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def fill(workspace: Path, folder: Path, environ: dict[str, str]) -> list[str]:
    """Two sessions, a note with the value, and an edit; returns ids of the entries."""
    with diarist.open_memory(workspace, environ=environ) as memory:
        paths = [fixed_test_session(number).bash(f"deploy {VALUE}", "done").write(folder) for number in (1, 2)]
        made = memory.ingest(paths).entries
        note = memory.add_note(title="A note", body=f"It says {VALUE}.")
        memory.edit_note(note.id, body=f"It says {VALUE}, still.")
        return [entry.id for entry in made]


def test_a_backup_gives_back_everything(tmp_path: Path, environ: dict[str, str]) -> None:
    fill(tmp_path / "ws", tmp_path / "in", environ)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        before = b"".join(memory.export(RecordFilter(include_inactive=True)))
        manifest = memory.back_up(tmp_path / "out" / "b.backup")
        anchor = memory.anchor()
    assert read_manifest(tmp_path / "out" / "b.backup", check=True) == manifest
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["b.backup"]
    assert (tmp_path / "out" / "b.backup").stat().st_mode & 0o777 == 0o600
    done = restore(tmp_path / "out" / "b.backup", tmp_path / "new", environ=environ)
    assert (done.before, done.erased) == ("", 0)
    with diarist.open_memory(tmp_path / "new", environ=environ) as memory:
        assert b"".join(memory.export(RecordFilter(include_inactive=True))) == before
        found = memory.verify_all(anchor)
        assert found.faults == ()
        assert found.entries == 2
        assert memory.doctor()["faults"] == []
        assert memory.search("parser tests")


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
import diarist

asked = []

def now():
    if asked:
        os.kill(os.getpid(), signal.SIGKILL)
    return datetime.now(UTC)

with diarist.open_memory(sys.argv[1], now=now, environ={"HOME": sys.argv[3]}) as memory:
    asked.append(True)
    memory.back_up(sys.argv[2])
"""


@pytest.mark.parametrize("then", ["another backup", "an erasure"])
def test_what_a_killed_backup_leaves_does_not_stay(tmp_path: Path, environ: dict[str, str], then: str) -> None:
    """It may hold what is erased later, and no receipt could name it. A backup that is at work is left alone."""
    ids = fill(tmp_path / "ws", tmp_path / "in", environ)
    out = tmp_path / "out"
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "ws", out / "a.backup", environ["HOME"]], timeout=60)
    [left] = out.iterdir()
    assert (left / "store.zst").stat().st_size
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory, draft_folder(tmp_path / "ws", tmp_path) as busy:
        if then == "an erasure":
            memory.erase(EraseWish(ids=(ids[0],)))
        else:
            memory.back_up(out / "b.backup")
        assert busy.is_dir()
    assert not left.exists()
    assert not busy.exists()
    assert list((tmp_path / "ws" / "backups-begun").iterdir()) == []


def test_tombstones_travel_with_a_backup(tmp_path: Path, environ: dict[str, str]) -> None:
    ids = fill(tmp_path / "ws", tmp_path / "in", environ)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        memory.erase(EraseWish(ids=(ids[0],), values=(VALUE,)))
        memory.back_up(tmp_path / "b.backup")
    restore(tmp_path / "b.backup", tmp_path / "new", environ=environ)
    with diarist.open_memory(tmp_path / "new", environ=environ) as memory:
        memory.ingest([tmp_path / "in"])
        memory.add_note(title="Again", body=f"It is {VALUE}.")
        assert [entry.id for entry in memory.list_records(RecordFilter(kinds=("entry",)))] == [ids[1]]
    assert residue.find(tmp_path / "new", [VALUE]) == []


def test_what_was_erased_since_does_not_come_back(tmp_path: Path, environ: dict[str, str]) -> None:
    """Sessions, records and values; the old workspace is kept beside, and a later erasure names it and the backup."""
    ids = fill(tmp_path / "ws", tmp_path / "in", environ)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        memory.back_up(tmp_path / "b.backup")
        receipt = memory.erase(EraseWish(ids=(ids[0],), values=(VALUE,)))
        assert any("b.backup" in place for place in receipt.out_of_reach)
    with pytest.raises(UsageError, match="--replace"):
        restore(tmp_path / "b.backup", tmp_path / "ws", environ=environ)
    done = restore(tmp_path / "b.backup", tmp_path / "ws", replace=True, environ=environ)
    assert done.erased >= 2
    assert Path(done.before, "diarist.db").exists()
    assert residue.find(tmp_path / "ws", [VALUE]) == []
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        assert [entry.id for entry in memory.list_records(RecordFilter(kinds=("entry",)))] == [ids[1]]
        memory.ingest([tmp_path / "in"])
        assert memory.verify_all().faults == ()
        note = memory.add_note(title="x", body="y")
        again = memory.erase(EraseWish(ids=(note.id,)))
        assert any(done.before in place for place in again.out_of_reach)
    assert residue.find(tmp_path / "ws", [VALUE]) == []


def test_tombstones_of_another_workspace_hold_too(tmp_path: Path, environ: dict[str, str]) -> None:
    """Their hashes were made with another key, which comes along."""
    fill(tmp_path / "one", tmp_path / "in", environ)
    with diarist.open_memory(tmp_path / "one", environ=environ) as memory:
        memory.back_up(tmp_path / "b.backup")
    with diarist.open_memory(tmp_path / "two", environ=environ) as memory:
        note = memory.add_note(title="x", body=VALUE)
        memory.erase(EraseWish(ids=(note.id,), values=(VALUE,)))
    restore(tmp_path / "b.backup", tmp_path / "two", replace=True, environ=environ)
    with diarist.open_memory(tmp_path / "two", environ=environ) as memory:
        memory.add_note(title="Again", body=f"{VALUE}, again.")
        assert memory.residue() == []
    assert residue.find(tmp_path / "two", [VALUE]) == []


def test_a_damaged_backup_is_refused_and_nothing_changes(tmp_path: Path, environ: dict[str, str]) -> None:
    """Whatever byte is wrong, and wherever it ends."""
    fill(tmp_path / "ws", tmp_path / "in", environ)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        memory.back_up(tmp_path / "b.backup")
        with pytest.raises(InvalidInputError, match="there already"):
            memory.back_up(tmp_path / "b.backup")
    data = (tmp_path / "b.backup").read_bytes()
    store = next(at for at in range(0, len(data), 512) if data[at : at + 9] == b"store.zst")
    for place in (store + 600, store + 5000, len(data) // 2):
        broken = bytearray(data)
        broken[place] ^= 0x40
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises((StoreCorruptError, InvalidInputError)):
            restore(tmp_path / "broken", tmp_path / "new", environ=environ)
    for size in (0, 100, 512, len(data) // 2):
        (tmp_path / "broken").write_bytes(data[:size])
        with pytest.raises(DiaristError):
            restore(tmp_path / "broken", tmp_path / "new", environ=environ)
    assert not (tmp_path / "new").exists()
    assert not list(tmp_path.glob(".new*"))


def test_an_archive_cannot_write_elsewhere(tmp_path: Path, environ: dict[str, str]) -> None:
    for name in ("../evil", "/evil", "files/../../evil", "files\\..\\evil"):
        path = tmp_path / "evil.backup"
        with tarfile.open(path, "w") as archive:
            archive.addfile(tarfile.TarInfo(name))
        with pytest.raises(InvalidInputError):
            restore(path, tmp_path / "new", environ=environ)
    link = tarfile.TarInfo("files/projects")
    link.type, link.linkname = tarfile.SYMTYPE, "/"
    with tarfile.open(path, "w") as archive:
        archive.addfile(link)
    with pytest.raises(InvalidInputError):
        restore(path, tmp_path / "new", environ=environ)
    assert not (tmp_path / "evil").exists()


def test_what_lies_beside_the_store_comes_along(tmp_path: Path, environ: dict[str, str]) -> None:
    """A session its user left out stays left out."""
    path = fixed_test_session(1).write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        (tmp_path / "ws" / "left-out").mkdir(mode=0o700)
        (tmp_path / "ws" / "left-out" / path.stem).touch()
        memory.back_up(tmp_path / "b.backup")
    shutil.rmtree(tmp_path / "ws")
    restore(tmp_path / "b.backup", tmp_path / "ws", environ=environ)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        assert memory.ingest([path]).entries == []
