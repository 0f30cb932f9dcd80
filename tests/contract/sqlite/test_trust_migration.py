"""A store of schema 2 with tombstones becomes one of today, and they hold."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import diarist
from diarist.errors import ErasedError
from diarist.stores import migrate
from diarist.text.erased import hash_source


def test_a_store_of_schema_2_keeps_its_tombstones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made by the steps up to 2, with a tombstone in the old form; opened by this version."""
    folder = tmp_path / "ws"
    folder.mkdir()
    secret = bytes(range(32))
    with monkeypatch.context() as old:
        old.setattr(migrate, "SCHEMA", 2)
        connection = sqlite3.connect(folder / "diarist.db", isolation_level=None)
        migrate.bring_up_to_date(connection, "x")
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.execute("INSERT INTO workspaces VALUES ('local', 'ab', ?)", (secret,))
    row = ("local", "source", hash_source(secret, "session", "agent", "task:/T-1"), 1, "kim")
    connection.execute("INSERT INTO tombstones (tenant, kind, hash, at, actor) VALUES (?, ?, ?, ?, ?)", row)
    connection.close()
    with diarist.open_memory(folder, environ={"HOME": str(tmp_path)}) as memory:
        with pytest.raises(ErasedError):
            memory.add_entry(task_id="T-1", transcript="User: fix it\n$ make\nok")
        memory.add_entry(task_id="T-2", transcript="User: fix it\n$ make\nok")
        assert memory.erasures() == []
        assert memory.doctor()["faults"] == []
