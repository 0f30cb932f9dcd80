"""Everything a tenant has, as rows, out of one database and into another: ids, history, hashes, tombstones and decisions stay.

What is moved are the tables themselves, so nothing is computed anew and the history chain of the copy is that of the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diarist.errors import InvalidInputError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from diarist.stores.database import Database, Row
    from diarist.stores.queries import Queries

    T = TypeVar("T")

PAGE = 1000
IMPORTING = "importing-"
"""Before the workspace id while an import is under way, or after it was broken off."""
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

    def load(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]]) -> int:
        """Adds rows in one transaction; those that are there stay as they are. Returns how many were added.

        Raises
        ------
        InvalidInputError
            A table or column is not known here: the rows come from another version.
        """
        added = 0
        with self._database.transaction():
            for table, row in rows:
                names = columns.get(table)
                if names is None or table not in self._keys or not set(names) <= set(self._columns[table]) or len(row) != len(names):
                    raise InvalidInputError(f"the table {table!r} is not as this version has it; use the same version on both sides")
                marks = ", ".join(f":{name}" for name in names)
                sql = self._queries.fill("load_row", table=table, columns=_quoted(names), values=marks)
                added += self._database.execute(sql, {"tenant": self._tenant, **dict(zip(names, row, strict=True))})
        return added

    def begin(self, workspace_id: str, secret: bytes, *, empty: bool) -> None:
        """Keeps everybody else from writing until `end`: they would write into a history that is not whole.

        Raises
        ------
        StoreError
            It holds something of its own: two histories cannot be made one.
        """
        (found,) = self._database.fetch(self._queries["find_workspace"], {"tenant": self._tenant})
        if not empty and found[0] not in (workspace_id, IMPORTING + workspace_id):
            raise StoreError(
                f"{self._database.path} holds a history of its own, and two histories cannot be made one. "
                "Import into an empty store, or take over single entries with `diarist sync`."
            )
        self._name(IMPORTING + workspace_id, secret)

    def end(self, workspace_id: str, secret: bytes) -> None:
        """The store is whole and is the workspace that the rows came from."""
        self._name(workspace_id, secret)

    def _name(self, workspace_id: str, secret: bytes) -> None:
        told: dict[str, Any] = {"tenant": self._tenant, "workspace_id": workspace_id, "secret": secret}
        with self._database.transaction():
            self._database.execute(self._queries["set_workspace"], told)


def _quoted(columns: list[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


class Moves:
    """The verbs of moving; `SqlStore` inherits them."""

    _database: Database
    _queries: Queries
    _tenant: str
    _importing: bool

    def list_columns(self) -> dict[str, list[str]]:
        """Columns by table, as `dump_rows` writes them."""
        return self._tables().columns()

    def dump_rows(self) -> Iterator[tuple[str, Row]]:
        """Every row of this tenant with its table; to be read within one `snapshot`."""
        return self._tables().dump()

    def load_rows(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]]) -> int:
        """Adds rows that `dump_rows` gave, in one transaction; returns how many were not there. Raises InvalidInputError."""
        return self._tables().load(rows, columns)

    def begin_import(self, workspace_id: str, secret: bytes, *, empty: bool) -> None:
        """Until `end_import` nothing but `load_rows` writes. Raises StoreError where there is a history of its own."""
        self._tables().begin(workspace_id, secret, empty=empty)
        self._importing = True

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

    def _tables(self) -> Tables:
        return Tables(self._database, self._queries, self._tenant)
