"""Whatever byte of records or history is changed behind the store's back, `verify` says so."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist.app.memory import Memory
from diarist.errors import DiaristError
from diarist.model.erasing import EraseWish

FLIPS = 120
TABLES = ("records", "history", "history_payloads")
ENVIRON = {"HOME": "/nonexistent"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with entries, a note of three revisions, and something erased."""
    folder = tmp_path_factory.mktemp("whole")
    with diarist.open_memory(folder / "ws", environ=ENVIRON) as memory:
        memory.ingest([fixed_test_session(number, padding=2).write(folder / "in") for number in range(1, 6)])
        note = memory.add_note(title="A note", body="First.")
        memory.edit_note(note.id, body="Second.")
        memory.edit_note(note.id, body="Third.")
        gone = memory.add_note(title="Gone", body="It goes.")
        memory.erase(EraseWish(ids=(gone.id,)))
        assert memory.verify_all().faults == ()
    connection = sqlite3.connect(folder / "ws" / "diarist.db")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return folder / "ws"


def told(path: Path) -> list[object] | None:
    """What the tables say; None where they cannot be read."""
    connection = sqlite3.connect(path)
    try:
        return [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES]
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    finally:
        connection.close()


def _another(old: object) -> object:
    return b"x" if isinstance(old, bytes) else old + 1000 if isinstance(old, int) else f"{old}x"


def faults(workspace: Path) -> list[str]:
    try:
        with diarist.open_memory(workspace, read_only=True, environ=ENVIRON) as memory:
            return list(memory.verify_all().faults)
    except DiaristError as error:
        return [str(error)]


def test_any_change_of_a_byte_that_says_something_is_found(whole: Path, tmp_path: Path) -> None:
    """Random bits of the file; those in free pages change nothing that is told and need not be found."""
    chance = random.Random(20261130)
    before = told(whole / "diarist.db")
    data = (whole / "diarist.db").read_bytes()
    shutil.copytree(whole, tmp_path / "ws")
    changed = 0
    for _ in range(FLIPS):
        broken = bytearray(data)
        place = chance.randrange(100, len(data))
        broken[place] ^= 1 << chance.randrange(8)
        (tmp_path / "ws" / "diarist.db").write_bytes(broken)
        if told(tmp_path / "ws" / "diarist.db") != before:
            changed += 1
            assert faults(tmp_path / "ws"), f"byte {place}"
    assert changed >= FLIPS // 10


@pytest.mark.parametrize("table", TABLES)
def test_any_change_of_a_column_is_found_and_the_first_break_named(whole: Path, tmp_path: Path, table: str) -> None:
    """By somebody who writes SQL: every column of some rows, and a row that is taken out."""
    chance = random.Random(table)
    connection = sqlite3.connect(whole / "diarist.db")
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "tenant"]
    key = "id" if table == "records" else "seq"
    keys = [row[0] for row in connection.execute(f"SELECT {key} FROM {table}")]
    connection.close()
    for column in [*columns, ""]:
        shutil.copytree(whole, tmp_path / (column or "row"))
        chosen = chance.choice(keys)
        connection = sqlite3.connect(tmp_path / (column or "row") / "diarist.db")
        if column:
            (old,) = connection.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (chosen,)).fetchone()
            new = int(not old) if column == "verified" else _another(old)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, chosen))
        else:
            connection.execute(f"DELETE FROM {table} WHERE {key} = ?", (chosen,))
        connection.commit()
        connection.close()
        found = faults(tmp_path / (column or "row"))
        assert found, (table, column, chosen)


def test_an_anchor_tells_that_history_was_written_anew(whole: Path, tmp_path: Path) -> None:
    """A whole chain that is another one."""
    with diarist.open_memory(whole, read_only=True, environ=ENVIRON) as memory:
        anchor = memory.anchor()
        assert memory.verify_all(anchor).ok
    shutil.copytree(whole, tmp_path / "ws")
    connection = sqlite3.connect(tmp_path / "ws" / "diarist.db")
    connection.execute("UPDATE history SET link = ? WHERE seq = (SELECT max(seq) FROM history)", ("0" * 64,))
    connection.commit()
    connection.close()
    with diarist.open_memory(tmp_path / "ws", read_only=True, environ=ENVIRON) as memory:
        assert any(fault.startswith("anchor") for fault in memory.verify_all(anchor).faults)
    with diarist.open_memory(tmp_path / "other", environ=ENVIRON) as other:
        _is_of_another(other, anchor)


def _is_of_another(memory: Memory, anchor: bytes) -> None:
    assert memory.verify_all(anchor).first == "anchor: it is of another workspace"
