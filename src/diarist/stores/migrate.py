"""Brings a SQLite database to the schema of this version, in one transaction; refuses files that are not ours.

The file says what it is: `application_id` names the program, `user_version` the schema. Each step is one numbered
file in `migrations/sqlite/`.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from diarist.errors import SchemaTooNewError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

APPLICATION_ID = 0x44694172
"""\"DiAr\"."""
SCHEMA = 6
"""Number of the newest migration."""


def refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """Raises StoreError for another program's database, SchemaTooNewError for that of a newer Diarist."""
    empty = _is_empty(connection)  # looked at first: another process may be making it ours at this moment
    application, schema = _identity(connection)
    if application != APPLICATION_ID and not (application == 0 and empty):
        raise StoreError(f"{path} is a database of another program; Diarist leaves it alone. Choose another workspace folder.")
    _refuse_newer(schema, path)


def refuse_newer(connection: sqlite3.Connection, path: str) -> None:
    """Raises SchemaTooNewError where a newer Diarist has changed the schema, perhaps since the database was opened."""
    _refuse_newer(connection.execute("PRAGMA user_version").fetchone()[0], path)


def _refuse_newer(schema: int, path: str) -> None:
    if schema > SCHEMA:
        raise SchemaTooNewError(
            f"{path} was written by a newer Diarist (schema {schema}; this one knows {SCHEMA}). Upgrade Diarist to use it."
        )


def refuse_outdated(connection: sqlite3.Connection, path: str) -> None:
    """Raises StoreError where the schema would have to be brought up to date first."""
    _, schema = _identity(connection)
    if schema < SCHEMA:
        raise StoreError(
            f"{path} has an older form (schema {schema}; this version reads {SCHEMA}). Any command that writes brings it up to date, "
            "for example `diarist ingest`."
        )


def bring_up_to_date(connection: sqlite3.Connection, path: str, read: Callable[[int], str] | None = None) -> None:
    """Applies what is missing, all or nothing; `read` gives the SQL of step n.

    Another process may try the same at the same time: one does it, the other finds it done.
    """
    if _identity(connection) == (APPLICATION_ID, SCHEMA):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_foreign(connection, path)
        _, schema = _identity(connection)
        for number in range(schema + 1, SCHEMA + 1):
            for statement in statements((read or read_migration)(number)):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.rollback()


def read_migration(number: int) -> str:
    """SQL text of one step."""
    from pathlib import Path

    (path,) = (Path(__file__).parent / "migrations" / "sqlite").glob(f"{number:04d}_*.sql")
    return path.read_text(encoding="utf-8")


def statements(script: str) -> list[str]:
    """A script's statements: `executescript` would commit the transaction they belong to."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def _identity(connection: sqlite3.Connection) -> tuple[int, int]:
    return connection.execute("PRAGMA application_id").fetchone()[0], connection.execute("PRAGMA user_version").fetchone()[0]


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
