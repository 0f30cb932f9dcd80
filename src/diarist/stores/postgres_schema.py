"""Brings a PostgreSQL database to the schema of this version, under an advisory lock, in one transaction."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from diarist.errors import SchemaTooNewError, StoreError

SCHEMA = 3
"""Number of the newest migration in `migrations/postgres/`."""
MIGRATING = 0x44694172
"""The advisory lock of those who migrate: "DiAr"."""
MEANINGS = 2
"""The migration that makes what pgvector compares: done anew where the extension came later."""
MONTHS_AHEAD = 2
ROLE = "diarist_app"
"""A role of this name may read and write, not change the schema, if the server has one."""


def refuse_newer(connection: psycopg.Connection[Any], path: str) -> None:
    """Raises SchemaTooNewError where a newer Diarist has changed the schema."""
    _refuse_newer(_version(connection), path)


def _refuse_newer(version: int, path: str) -> None:
    if version > SCHEMA:
        raise SchemaTooNewError(
            f"{path} was written by a newer Diarist (schema {version}; this one knows {SCHEMA}). Upgrade Diarist to use it."
        )


def refuse_outdated(connection: psycopg.Connection[Any], path: str) -> None:
    """Raises StoreError where there is no schema yet, or an older one."""
    version = _version(connection) if _has_versions(connection) else 0
    _refuse_newer(version, path)
    if version < SCHEMA:
        raise StoreError(f"{path} has schema {version}; this version reads {SCHEMA}. Open it for writing once, as its owner.")


def bring_up_to_date(connection: psycopg.Connection[Any], path: str) -> None:
    """Applies what is missing, all or nothing, and makes the history partitions of the months to come.

    Of several processes that try at the same time one does it. A role that owns nothing can open a database that is up to date;
    raises StoreError where it is not.
    """
    if _has_versions(connection) and _version(connection) == SCHEMA and not (_owns(connection) and _lacks_something(connection)):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        if not _has_versions(connection):
            _refuse_foreign(connection, path)
            connection.execute("CREATE TABLE diarist_schema (version BIGINT NOT NULL PRIMARY KEY)")
        refuse_newer(connection, path)
        if not _owns(connection):
            if _version(connection) < SCHEMA:
                raise StoreError(f"{path} has an older form. Open it once as its owner, for example with `diarist status`.")
            return
        for number in range(_version(connection) + 1, SCHEMA + 1):
            connection.execute(read_migration(number))
            connection.execute("INSERT INTO diarist_schema VALUES (%s)", (number,))
        for month in _missing_months(connection):
            _add_month(connection, *month)
        if _lacks_meanings(connection):
            connection.execute(read_migration(MEANINGS))
        _protect(connection)


def read_migration(number: int) -> bytes:
    """SQL text of one step."""
    (path,) = (Path(__file__).parent / "migrations" / "postgres").glob(f"{number:04d}_*.sql")
    return path.read_bytes()


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    """Names of all tables that hold a tenant's rows, sorted; partitions are left out."""
    found = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' "
        "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"
    )
    return [row[0] for row in found]


def analyze_outgrown(connection: psycopg.Connection[Any]) -> None:
    """Makes statistics of tables that are four times as large as when that was done last, the newest month's above all.

    Without them the planner takes a tenant for a row, reads a whole index to find one, and keeps that plan.
    """
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' "
        "AND pg_relation_size(oid) > 8192 * (8 + 4 * greatest(relpages, 0)::bigint)"
    )
    for (table,) in found.fetchall():
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))


def _protect(connection: psycopg.Connection[Any]) -> None:
    """Row-level security on each table with a tenant, for its owner too, and the rights of `ROLE`.

    Partitions are reached through their parent only, whose policy holds for them; a policy of their own guards direct access.
    """
    guarded = [*tables(connection), *_partitions(connection)]
    known = {row[0] for row in connection.execute("SELECT tablename FROM pg_policies WHERE policyname = 'tenant_only'")}
    for table in guarded:
        name = sql.Identifier(table)
        if table not in known:
            connection.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name))
            connection.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))
            connection.execute(
                sql.SQL(
                    "CREATE POLICY tenant_only ON {} USING (tenant = current_setting('diarist.tenant', true)) "
                    "WITH CHECK (tenant = current_setting('diarist.tenant', true))"
                ).format(name)
            )
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
        role = sql.Identifier(ROLE)
        for table in tables(connection):
            rights = sql.SQL("SELECT, INSERT, UPDATE (link)" if table == "history" else "SELECT, INSERT, UPDATE, DELETE")
            connection.execute(sql.SQL("GRANT {} ON {} TO {}").format(rights, sql.Identifier(table), role))
        connection.execute(sql.SQL("GRANT SELECT ON diarist_schema TO {}").format(role))


def _partitions(connection: psycopg.Connection[Any]) -> list[str]:
    found = connection.execute("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'history'::regclass ORDER BY 1")
    return [row[0] for row in found]


def _lacks_something(connection: psycopg.Connection[Any]) -> bool:
    return bool(_missing_months(connection)) or _lacks_meanings(connection)


def _lacks_meanings(connection: psycopg.Connection[Any]) -> bool:
    """Is pgvector there, and what it compares not made?"""
    row = connection.execute(
        "SELECT to_regtype('halfvec') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_attribute "
        "WHERE attrelid = 'embeddings'::regclass AND attname = 'meaning' AND NOT attisdropped)"
    ).fetchone()
    return bool(row and row[0])


def _missing_months(connection: psycopg.Connection[Any]) -> list[tuple[str, int, int]]:
    """Name, first and one past the last microsecond of the months from now on that history has no partition for."""
    found = connection.execute(
        "WITH months AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n) AS first "
        "FROM generate_series(0, %s) n), spans AS (SELECT to_char(first, '\"history_\"YYYY_MM') AS name, "
        "(extract(epoch FROM first) * 1000000)::bigint AS low, "
        "(extract(epoch FROM first + interval '1 month') * 1000000)::bigint AS high FROM months) "
        "SELECT name, low, high FROM spans WHERE to_regclass(name) IS NULL ORDER BY name",
        (MONTHS_AHEAD,),
    )
    return [(name, low, high) for name, low, high in found]


def _add_month(connection: psycopg.Connection[Any], name: str, first: int, beyond: int) -> None:
    """Makes a partition; a month of which the rest holds rows already (nobody opened the database for long) stays there."""
    made = sql.SQL("CREATE TABLE {} PARTITION OF history FOR VALUES FROM ({}) TO ({})").format(sql.Identifier(name), first, beyond)
    with contextlib.suppress(psycopg.errors.CheckViolation), connection.transaction():
        connection.execute(made)


def _version(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT coalesce(max(version), 0) FROM diarist_schema").fetchone()
    return int(row[0]) if row else 0


def _has_versions(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT to_regclass('diarist_schema') IS NOT NULL").fetchone()
    return bool(row and row[0])


def _owns(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'diarist_schema'::regclass")
    found = row.fetchone()
    return bool(found and found[0])


def _refuse_foreign(connection: psycopg.Connection[Any], path: str) -> None:
    taken = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') LIMIT 1"
    ).fetchone()
    if taken:
        raise StoreError(f"{path} holds tables of another program; Diarist leaves it alone. Make a database or a schema of its own.")
