"""Databases of other programs are read where they lie: nothing is written beside them or anywhere else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from diarist.importers import databases
from diarist.importers.databases import open_image, open_in_place


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A database with three notes in its file and two in its write-ahead log, and the program that has it open."""
    path = tmp_path / "agent" / "notes.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as program:
        program.execute("PRAGMA journal_mode=WAL")
        program.execute("PRAGMA wal_autocheckpoint=0")
        program.execute("CREATE TABLE note (text TEXT)")
        program.executemany("INSERT INTO note VALUES (?)", [("one",), ("two",), ("three",)])
        program.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        program.execute("INSERT INTO note VALUES ('four ' || hex(zeroblob(9000)))")
        program.execute("INSERT INTO note VALUES ('five')")
        yield path, program


def notes(database: sqlite3.Connection) -> list[str]:
    with closing(database):
        return [text.split()[0] for (text,) in database.execute("SELECT text FROM note ORDER BY rowid")]


def left_behind(path: Path, to: Path) -> Path:
    """The files as a program leaves them that dies: the log without its shared memory."""
    to.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", to)
    return to / path.name


def test_a_running_programs_last_changes_are_read_and_nothing_is_put_beside_them(running: tuple[Path, sqlite3.Connection]) -> None:
    path, _ = running
    before = sorted(path.parent.iterdir())
    assert notes(open_in_place(path)) == ["one", "two", "three", "four", "five"]
    assert sorted(path.parent.iterdir()) == before


def test_a_log_that_was_left_behind_is_read_in_memory(running: tuple[Path, sqlite3.Connection], tmp_path: Path) -> None:
    path = left_behind(running[0], tmp_path / "left")
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    assert notes(open_in_place(path)) == ["one", "two", "three", "four", "five"]
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


@pytest.mark.parametrize("spoil", [lambda log: log[:-100], lambda log: log[:-3000] + bytes(3000)])
def test_a_transaction_that_was_not_written_whole_is_left_out(
    running: tuple[Path, sqlite3.Connection], tmp_path: Path, spoil: object
) -> None:
    path = left_behind(running[0], tmp_path / "left")
    log = path.with_name(f"{path.name}-wal")
    assert callable(spoil)
    log.write_bytes(spoil(log.read_bytes()))
    assert notes(open_in_place(path)) == ["one", "two", "three", "four"]


def test_a_database_whose_log_is_gone_is_read_without_making_a_new_one(running: tuple[Path, sqlite3.Connection], tmp_path: Path) -> None:
    path = left_behind(running[0], tmp_path / "left")
    path.with_name(f"{path.name}-wal").unlink()
    assert notes(open_in_place(path)) == ["one", "two", "three"]
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert notes(open_image(path.read_bytes())) == ["one", "two", "three"]


def test_a_database_without_a_log_cannot_be_written_through_it(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE note (text TEXT)")
        made.commit()
    with closing(open_in_place(path)) as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("INSERT INTO note VALUES ('mine')")


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\x00", b"SQLite format 3\x00" + bytes(200), b"no database at all" * 100])
@pytest.mark.parametrize("log", [b"", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83" + bytes(8000), b"x" * 9000])
def test_what_is_no_database_is_refused(data: bytes, log: bytes) -> None:
    with pytest.raises(sqlite3.Error), closing(open_image(data, log)) as database:
        database.execute("SELECT * FROM note").fetchall()


def test_a_database_that_is_too_large_for_memory_is_refused(
    running: tuple[Path, sqlite3.Connection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MAX_IMAGE", 1000)
    with pytest.raises(sqlite3.DataError, match="left behind"):
        open_in_place(left_behind(running[0], tmp_path / "left"))
