"""Reads whatever can be read of a damaged SQLite database, and leaves the file as it is.

Each table is read from its beginning and from its end; what lies between the places where that fails is asked for row by row,
where the keys are known: numbers of changes, and ids that history names.
"""

# Names of tables and columns come from the database's own catalog, quoted.
# ruff: noqa: S608
from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diarist.errors import StoreCorruptError
from diarist.stores.migrate import SCHEMA

if TYPE_CHECKING:
    from diarist.model.machinery import Salvaged

MOST_PROBES = 500_000
OLDEST = 5
"""Schema from which on there are the same tables, but for those that are derived."""
DERIVED = ("gists",)
"""Tables that are made anew of others."""


def salvage(database: Path, tenant: str = "local") -> Salvaged:
    """Everything that can be read of a tenant's tables.

    Raises
    ------
    StoreCorruptError
        Not even its tables can be listed, or it has a schema that is too old or too new.
    """
    from diarist.model.machinery import Salvaged

    with tempfile.TemporaryDirectory(prefix="diarist-salvage-") as folder:  # reading a database with a log writes beside it
        for path in database.parent.glob(f"{database.name}*"):
            if path.name in (database.name, f"{database.name}-wal"):
                shutil.copyfile(path, Path(folder, path.name))
        connection = sqlite3.connect(Path(folder, database.name), isolation_level=None)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            keys = _tables(connection)
            columns: dict[str, list[str]] = {}
            rows: dict[str, list[tuple[Any, ...]]] = {}
            lost: list[str] = []
            for table in sorted(keys, key=lambda name: (name != "history", name)):  # history first: it names the others' keys
                columns[table] = [name for name in _columns(connection, table) if name != "tenant"]
                known = _known_keys(table, keys[table], rows, columns)
                rows[table], whole = _read(connection, tenant, table, columns[table], keys[table], known)
                if not whole:
                    lost.append(f"table {table}: {len(rows[table]):,} rows were saved, and some could not be read")
        except sqlite3.Error as error:
            raise StoreCorruptError(f"nothing can be saved of {database} ({error}). Restore a backup.") from error
        finally:
            connection.close()
    return Salvaged(columns, rows, tuple(lost))


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Primary keys, the tenant left out, by table."""
    schema = connection.execute("PRAGMA user_version").fetchone()[0]
    if not OLDEST <= schema <= SCHEMA:
        raise sqlite3.DatabaseError(f"it has schema {schema}, and this version saves only schemas {OLDEST} to {SCHEMA}")
    names = [
        row[0]
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    ]
    found = {}
    for name in names:
        told = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
        if name not in DERIVED and any(row[1] == "tenant" for row in told):
            found[name] = [row[1] for row in sorted(told, key=lambda row: row[5]) if row[5] and row[1] != "tenant"]
    return found


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _known_keys(
    table: str, key: list[str], rows: dict[str, list[tuple[Any, ...]]], columns: dict[str, list[str]]
) -> Iterable[tuple[Any, ...]] | None:
    """Keys that rows of the table may have; None where nobody knows."""
    events = rows.get("history", [])
    if table == "history_payloads":
        return [(row[columns["history"].index("seq")],) for row in events]
    if table == "records":
        place = columns["history"].index("record_id")
        return [(each,) for each in dict.fromkeys(row[place] for row in events)]
    return None if key != ["seq"] else ()


def _read(
    connection: sqlite3.Connection, tenant: str, table: str, columns: list[str], key: list[str], known: Iterable[tuple[Any, ...]] | None
) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows, and whether that is all of them."""
    told = ", ".join(f'"{name}"' for name in columns)
    order = ", ".join(f'"{name}"' for name in key) or "1"
    back = ", ".join(f'"{name}" DESC' for name in key) or "1"
    places = [columns.index(name) for name in key]
    select = f'SELECT {told} FROM "{table}" WHERE tenant = ? ORDER BY '
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    whole = _take(_rows(connection, select + order, (tenant,)), found, places)
    if whole:
        return list(found.values()), True
    _take(_rows(connection, select + back, (tenant,)), found, places)
    if table == "history" and found:
        numbers = sorted(found)
        known = [(number,) for number in range(1, numbers[-1][0] + 1)]
    one = f'SELECT {told} FROM "{table}" WHERE tenant = ? AND ' + " AND ".join(f'"{name}" = ?' for name in key)
    for number, each in enumerate(known or ()):
        if each not in found and number < MOST_PROBES:
            _take(_rows(connection, one, (tenant, *each)), found, places)
    return [found[each] for each in sorted(found, key=repr)] if table != "history" else [found[each] for each in sorted(found)], False


def _rows(connection: sqlite3.Connection, sql: str, parameters: tuple[Any, ...]) -> Iterator[tuple[Any, ...] | None]:
    """Rows one after the other; None where reading goes no further."""
    try:
        cursor = connection.execute(sql, parameters)
        while batch := cursor.fetchmany(1):
            yield batch[0]
    except (sqlite3.Error, OverflowError):
        yield None


def _take(rows: Iterator[tuple[Any, ...] | None], found: dict[tuple[Any, ...], tuple[Any, ...]], places: list[int]) -> bool:
    for row in rows:
        if row is None:
            return False
        with suppress(TypeError):
            found.setdefault(tuple(row[place] for place in places) or (len(found),), row)
    return True
