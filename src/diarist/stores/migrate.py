"""Brings a SQLite database to the schema of this version, in one transaction; refuses files that are not ours.

The file says what it is: `application_id` names the program, `user_version` the schema. Each step is one numbered
file in `migrations/sqlite/`.
"""

from __future__ import annotations

import os
import sqlite3

from diarist.errors import SchemaTooNewError, StoreError

APPLICATION_ID = 0x44694172
"""\"DiAr\"."""
SCHEMA = 1
"""Number of the newest migration."""


def refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """Raises StoreError for another program's database, SchemaTooNewError for that of a newer Diarist."""
    application, schema = _identity(connection)
    if application != APPLICATION_ID and not (application == 0 and _is_empty(connection)):
        raise StoreError(f"{path} is a database of another program; Diarist leaves it alone. Choose another workspace folder.")
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


def bring_up_to_date(connection: sqlite3.Connection, path: str) -> None:
    """Applies what is missing. Another process may try the same at the same time: one does it, the other finds it done."""
    if _identity(connection) == (APPLICATION_ID, SCHEMA):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_foreign(connection, path)
        _, schema = _identity(connection)
        for number in range(schema + 1, SCHEMA + 1):
            for statement in statements(read_migration(number)):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.rollback()


def read_migration(number: int) -> str:
    """SQL text of one step."""
    folder = os.path.join(os.path.dirname(__file__), "migrations", "sqlite")
    (name,) = (name for name in os.listdir(folder) if name.startswith(f"{number:04d}_"))
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


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
    return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
