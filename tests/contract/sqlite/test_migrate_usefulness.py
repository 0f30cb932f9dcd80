"""A workspace of the second schema gets the usefulness ledger's new columns and tables, and keeps what was in it."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from diarist.model.use import Use
from diarist.stores import migrate, open_store


def test_the_ledger_of_an_older_workspace_is_kept(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "diarist.db", isolation_level=None)
    for number in (1, 2):
        for statement in migrate.statements(migrate.read_migration(number)):
            old.execute(statement)
    old.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
    old.execute("PRAGMA user_version = 2")
    old.execute("INSERT INTO usefulness VALUES ('local', 'kh-aaaaaaaaaaaaaaaa', 'codex:s1', 1000000, 'shown')")
    old.close()
    store = open_store(tmp_path)
    kept = Use("kh-aaaaaaaaaaaaaaaa", "codex:s1", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "shown")
    assert store.list_uses() == store.list_uses_of_sessions(["codex:s1"]) == [kept]
    assert store.list_tallies() == []
    assert store.list_effects(kept.record_id) == []
    assert store.check_history() == store.check_storage() == []
    store.close()
