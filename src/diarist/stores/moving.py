"""Everything a tenant has, as rows, out of one database and into another: ids, history, hashes, tombstones and decisions stay.

What is moved are the tables themselves, so nothing is computed anew and the history chain of the copy is that of the original.
"""

from __future__ import annotations

import itertools
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from diarist.errors import InvalidInputError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from diarist.model.machinery import ImportMark
    from diarist.stores.database import Database, Row
    from diarist.stores.queries import Queries

    T = TypeVar("T")

PAGE = 1000
MOST_ROWS = 2000
"""Of one statement, where each is a round trip to a server."""
_ARRAYS = {str: "text", int: "bigint", float: "double precision", bytes: "bytea"}
"""What a column of such values is to PostgreSQL."""
IMPORTING = "importing-"
"""Before the workspace id while an import is under way, or after it was broken off; after it, the file's id and the lines that are in."""
LEFT_BEHIND = frozenset({"answers", "api_keys", "workspaces"})
"""Answers to repeated requests are of one server; keys to a hub are given out anew. The workspace's own row goes ahead of all."""


class Tables:
    """The tables of one tenant. Slots of the queries are filled from the database's own catalog."""

    def __init__(self, database: Database, queries: Queries, tenant: str) -> None:
        self._database = database
        self._queries = queries
        self._tenant = tenant
        self._columns: Mapping[str, list[str]] = {}
        self._keys: dict[str, list[str]] = {}
        keys: dict[str, list[tuple[int, str]]] = {}
        for table, column, place in database.fetch(queries["list_columns"], {}):
            if column != "tenant":
                self._columns.setdefault(table, []).append(column)
                if place:
                    keys.setdefault(table, []).append((place, column))
        for table in sorted(self._columns.keys() - LEFT_BEHIND):
            self._keys[table] = [column for _, column in sorted(keys[table])]

    def columns(self) -> dict[str, list[str]]:
        """Columns beside the tenant by table, both in the order that they are written in."""
        return {table: self._columns[table] for table in self._keys}

    def dump(self) -> Iterator[tuple[str, Row]]:
        """Every row with its table, sorted. To be read within one snapshot."""
        for table, key in self._keys.items():
            columns = self._columns[table]
            places = [columns.index(column) for column in key]
            beyond, bound = "", {"tenant": self._tenant, "limit": PAGE}
            while True:
                slots = {"columns": _quoted(columns), "table": table, "key": _quoted(key), "beyond": beyond}
                page = self._database.fetch(self._queries.fill("dump_rows", **slots), bound)
                yield from ((table, row) for row in page)
                if len(page) < PAGE:
                    break
                marks = ", ".join(f":after_{column}" for column in key)
                beyond = f" AND ({_quoted(key)}) > ({marks})"
                bound = bound | {f"after_{column}": page[-1][place] for column, place in zip(key, places, strict=True)}

    def count(self) -> int:
        """How many rows `dump` gives."""
        bound = {"tenant": self._tenant, "limit": 1}
        asked = [self._queries.fill("dump_rows", columns="count(*)", table=table, key="1", beyond="") for table in self._keys]
        return sum(self._database.fetch(each, bound)[0][0] for each in asked)

    def load(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]], mark: ImportMark | None = None) -> int:
        """Adds rows in one transaction; those that are there stay as they are. Returns how many were added.

        `mark`: how far the import is then; it becomes true with the rows.

        Raises
        ------
        InvalidInputError
            A table or column is not known here: the rows come from another version. Or a row does not fit its table.
        """
        added = 0
        with self._database.transaction():
            for table, group in itertools.groupby(rows, key=itemgetter(0)):
                names = columns.get(table)
                if names is None or table not in self._keys or not set(names) <= set(self._columns[table]):
                    raise _other_version(table)
                while page := [row for _, row in itertools.islice(group, MOST_ROWS)]:
                    if any(len(row) != len(names) for row in page):
                        raise _other_version(table)
                    try:
                        added += self._insert(table, names, page)
                    except self._database.misfits as error:
                        raise InvalidInputError(f"a row of the table {table!r} holds what it does not take: it is damaged") from error
            if mark is not None:
                self._write_name(mark.text(), mark.secret)
        return added

    def _insert(self, table: str, names: Sequence[str], page: Sequence[Sequence[Any]]) -> int:
        """Rows of one table; returns how many were not there."""
        if self._queries.find("load_row_many"):
            return self._insert_together(table, names, page)
        marks = ", ".join(f":{name}" for name in names)
        sql = self._queries.fill("load_row", table=table, columns=_quoted(names), values=marks)
        return sum(self._database.execute(sql, {"tenant": self._tenant, **dict(zip(names, row, strict=True))}) for row in page)

    def _insert_together(self, table: str, names: Sequence[str], page: Sequence[Sequence[Any]]) -> int:
        """The same in one statement, a column an array. A column without any value is left out: it has no type."""
        columns = {name: list(values) for name, values in zip(names, zip(*page, strict=True), strict=True)}
        kinds = {name: next((_kind(table, each) for each in values if each is not None), "") for name, values in columns.items()}
        kept = [name for name in names if kinds[name]]
        arrays = ", ".join(f":{name}::{kinds[name]}[]" for name in kept)
        sql = self._queries.fill("load_row_many", table=table, columns=_quoted(kept), arrays=arrays)
        return self._database.execute(sql, {"tenant": self._tenant, **{name: columns[name] for name in kept}})

    def begin(self, mark: ImportMark, *, empty: bool) -> int:
        """Keeps everybody else from writing until `end`: they would write into a history that is not whole.

        Returns how many lines of this very file are in already, from an import that was broken off.

        Raises
        ------
        StoreError
            It holds something of its own, or a part of another file: two histories cannot be made one.
        """
        (found,) = self._database.fetch(self._queries["find_workspace"], {"tenant": self._tenant})
        name, _, rest = found[0].removeprefix(IMPORTING).partition("-")
        file, _, lines = rest.partition("-")
        whole = bool(mark.file) and not found[0].startswith(IMPORTING)
        if not empty and (whole or name != mark.workspace_id):
            raise StoreError(
                f"{self._database.path} holds a history of its own, and two histories cannot be made one. "
                "Import into an empty store, or take over single entries with `diarist sync`."
            )
        if not empty and file and file != mark.file:
            raise StoreError(
                f"an import of another file into {self._database.path} was broken off. Go on with that file, or begin with an empty store."
            )
        done = int(lines) if file and lines.isdigit() and not empty else 0
        with self._database.transaction():
            self._write_name(mark._replace(lines=done).text(), mark.secret)
        return done

    def end(self, workspace_id: str, secret: bytes) -> None:
        """The store is whole and is the workspace that the rows came from."""
        with self._database.transaction():
            self._write_name(workspace_id, secret)

    def _write_name(self, name: str, secret: bytes) -> None:
        told: dict[str, Any] = {"tenant": self._tenant, "workspace_id": name, "secret": secret}
        self._database.execute(self._queries["set_workspace"], told)


def _other_version(table: str) -> InvalidInputError:
    return InvalidInputError(f"the table {table!r} is not as this version has it; use the same version on both sides")


def _kind(table: str, value: object) -> str:
    found = _ARRAYS.get(type(value))
    if found is None:
        raise _other_version(table)
    return found


def _quoted(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


class Moves:
    """The verbs of moving; `SqlStore` inherits them."""

    _database: Database
    _queries: Queries
    _tenant: str
    _importing: bool
    _loading: Tables | None = None

    def list_columns(self) -> dict[str, list[str]]:
        """Columns by table, as `dump_rows` writes them."""
        return self._tables().columns()

    def dump_rows(self) -> Iterator[tuple[str, Row]]:
        """Every row of this tenant with its table; to be read within one `snapshot`."""
        return self._tables().dump()

    def count_rows(self) -> int:
        """How many rows `dump_rows` gives."""
        return self._tables().count()

    def load_rows(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]], mark: ImportMark | None = None) -> int:
        """Adds rows that `dump_rows` gave, in one transaction; returns how many were not there. Raises InvalidInputError."""
        return self._moving().load(rows, columns, mark)

    def begin_import(self, mark: ImportMark, *, empty: bool) -> int:
        """Until `end_import` nothing but `load_rows` writes. Returns the lines of this file that are in already.

        Raises StoreError where there is a history of its own, or a part of another file.
        """
        done = self._tables().begin(mark, empty=empty)
        self._importing = True
        return done

    def end_import(self, workspace_id: str, secret: bytes) -> None:
        """Makes the store the workspace that its rows came from."""
        self._tables().end(workspace_id, secret)
        self._importing = False

    def listen(self, seconds: float) -> set[str]:
        """Waits until some tenant's change log has grown, for so long at most; names the tenants it heard of. Raises StoreError."""
        return self._database.listen(seconds)

    def snapshot(self, work: Callable[[], T]) -> T:
        """Runs `work`, whose reads all see one state; it may be run again."""
        return self._database.snapshot(work)

    def _moving(self) -> Tables:
        """The same for all batches of one import: the catalog is read once."""
        if self._loading is None:
            self._loading = self._tables()
        return self._loading

    def _tables(self) -> Tables:
        return Tables(self._database, self._queries, self._tenant)
