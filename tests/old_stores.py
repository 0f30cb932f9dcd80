"""Stores as earlier versions left them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from diarist.stores import migrate


def write_old_store(folder: Path, *statements: str, schema: int = 2) -> None:
    """A store of that schema in a workspace folder, with what these SQL statements put into it."""
    store = sqlite3.connect(folder / "diarist.db", isolation_level=None)
    for number in range(1, schema + 1):
        for statement in migrate.statements(migrate.read_migration(number)):
            store.execute(statement)
    store.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
    store.execute(f"PRAGMA user_version = {schema}")
    for statement in statements:
        store.execute(statement)
    store.close()
