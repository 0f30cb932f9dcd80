"""A workspace of the second schema gets the usefulness ledger's new columns and tables, and keeps what was in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from diarist.model.use import Use
from diarist.stores import open_store
from old_stores import write_old_store


def test_the_ledger_of_an_older_workspace_is_kept(tmp_path: Path) -> None:
    write_old_store(tmp_path, "INSERT INTO usefulness VALUES ('local', 'kh-aaaaaaaaaaaaaaaa', 'codex:s1', 1000000, 'shown')")
    store = open_store(tmp_path)
    kept = Use("kh-aaaaaaaaaaaaaaaa", "codex:s1", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "shown")
    assert store.list_uses() == store.list_uses_of_sessions(["codex:s1"]) == [kept]
    assert store.list_tallies() == []
    assert store.list_effects(kept.record_id) == []
    assert store.check_history() == store.check_storage() == []
    store.close()
