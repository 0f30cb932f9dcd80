"""SQLite: connections, transactions and error translation. What is said in SQL is not known here."""

# pathlib would cost a cold search more than SQLite does.
# ruff: noqa: PTH100, PTH118
from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from typing import TYPE_CHECKING

from diarist.errors import ReadOnlyError, StoreError, StoreLockedError
from diarist.stores import migrate
from diarist.stores.folders import network_file_system
from diarist.stores.sqlite_errors import translate
from diarist.stores.sqlite_files import InMemory, ReadOnlyFile, WritableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeVar

    from diarist.stores.sqlite_files import Place

    Row = tuple[Any, ...]
    T = TypeVar("T")

DATABASE_NAME = "diarist.db"
WAIT_SECONDS = 10.0
READ_ATTEMPTS = 20
FAILURES = (sqlite3.Error, UnicodeEncodeError, UnicodeDecodeError)
"""The last: SQLite quotes a damaged text in its message, and that is no UTF-8."""


def open_file(workspace: str | os.PathLike[str], *, read_only: bool = False, wait: float = WAIT_SECONDS) -> SqliteDatabase:
    """The database of a workspace folder. For writing, both are made if they are missing; an older schema is brought up to date.

    `wait`: seconds after which a lock that another process holds is given up on.
    """
    path = os.path.abspath(os.path.join(os.fspath(workspace), DATABASE_NAME))
    return SqliteDatabase(ReadOnlyFile(path) if read_only else WritableFile(path), wait=wait)


def open_memory() -> SqliteDatabase:
    """An empty database that lives as long as it is open."""
    return SqliteDatabase(InMemory())


class SqliteDatabase:
    """Runs statements. Safe to share between threads: each read and each transaction has a connection to itself.

    Inside a `transaction` or `snapshot`, the same thread's statements all use its connection.
    """

    dialect = "sqlite"
    misfits = (sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError)

    def __init__(self, place: Place, *, wait: float = WAIT_SECONDS) -> None:
        self.path = place.path
        self.read_only = place.read_only
        self._place = place
        self._wait = wait
        self._idle: list[tuple[sqlite3.Connection, object]] = []
        self._mine = threading.local()
        self._turn = threading.RLock() if place.single else None
        self._owner = os.getpid()
        self._inherited: list[tuple[sqlite3.Connection, object]] = []
        self._closed = False
        try:
            self._give_back(*self._take())
        except FAILURES as error:
            raise self._translated(error) from error

    def fetch(self, sql: str, parameters: Mapping[str, object]) -> list[Row]:
        """All rows of one query."""
        bound: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if bound is None:
            return self._read(lambda connection: connection.execute(sql, parameters).fetchall())
        try:
            return bound.execute(sql, parameters).fetchall()
        except FAILURES as error:
            raise self._translated(error) from error

    def snapshot(self, work: Callable[[], T]) -> T:
        """Runs `work`, whose queries all see one state of the database. It may be run again if that state was lost meanwhile."""
        if getattr(self._mine, "connection", None) is not None:
            return work()
        return self._read(lambda connection: self._work_in_snapshot(connection, work))

    def execute(self, sql: str, parameters: Mapping[str, object]) -> int:
        """Runs one statement of the open transaction; returns the number of rows it changed."""
        connection: sqlite3.Connection = self._mine.connection
        try:
            return connection.execute(sql, parameters).rowcount
        except FAILURES as error:
            raise self._translated(error) from error

    def defer(self, sql: str, parameters: Mapping[str, object], bulk: str, key: object) -> None:  # noqa: ARG002 - as the port has it
        """Runs the statement: nothing lies between here and the file that would make waiting worth while."""
        self.execute(sql, parameters)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Takes the write lock at once; commits when left normally, rolls back on any exception. Raises ReadOnlyError, StoreError."""
        if self.read_only:
            raise ReadOnlyError(f"{self.path} was opened for reading only; nothing can be written.")
        if getattr(self._mine, "connection", None) is not None:
            raise RuntimeError("a transaction is open in this thread already")
        with self._borrowed() as (connection, _):
            self._run(connection, "BEGIN IMMEDIATE")
            self._mine.connection = connection
            try:
                migrate.refuse_newer(connection, self.path)
                yield
                self._run(connection, "COMMIT")
            finally:
                self._mine.connection = None

    def define(self, sql: str) -> bool:
        """Runs one statement that changes how rows are found."""
        with self._borrowed() as (connection, _):
            self._run(connection, sql)
        return True

    def check_pages(self) -> list[str]:
        """What is wrong with the file itself: broken pages, indexes that disagree with their tables, dangling keys."""
        found = [row[0] for row in self.fetch("PRAGMA integrity_check(100)", {}) if row[0] != "ok"]
        kind = "" if self._place.single else network_file_system(self.path)
        if kind:
            found.append(f"{self.path} is on a network file system ({kind}), where locks may not hold. Move it, or use PostgreSQL.")
        dangling = self.fetch("PRAGMA foreign_key_check", {})
        return found + [f"row {row} of {table} refers to a row of {target} that is missing" for table, row, target, _ in dangling]

    def compact(self) -> None:
        """Writes every page anew (VACUUM) and empties the write-ahead log.

        Raises
        ------
        StoreLockedError
            Another process reads or writes for longer than we wait; the log was not emptied, run it again.
        """
        if self.read_only:
            raise ReadOnlyError(f"{self.path} was opened for reading only; nothing can be written.")
        with self._borrowed() as (connection, _):
            self._run(connection, "VACUUM")
            try:
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except FAILURES as error:
                raise self._translated(error) from error
        if busy:
            raise StoreLockedError(f"{self.path} is being read by another process, so its log cannot be emptied. Run it again later.")

    def listen(self, seconds: float) -> set[str]:
        """Waits, and hears of nobody: a file does not tell. Each search looks into the change log by itself."""
        import time

        time.sleep(seconds)
        return set()

    def close(self) -> None:
        """Closes every idle connection; those in use are closed when they are given back."""
        self._closed = True
        while self._idle:
            self._idle.pop()[0].close()

    # Reading

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        for _ in range(READ_ATTEMPTS):
            with self._borrowed() as (connection, state):
                try:
                    result = work(connection)
                except (*FAILURES, StoreError) as error:
                    if self._place.still(state):
                        raise (error if isinstance(error, StoreError) else self._translated(error)) from error
                else:
                    if self._place.still(state):
                        return result
        raise StoreLockedError(f"{self.path} keeps changing while it is read. Try again when the other process has ended.")

    def _work_in_snapshot(self, connection: sqlite3.Connection, work: Callable[[], T]) -> T:
        connection.execute("BEGIN")
        self._mine.connection = connection
        try:
            return work()
        finally:
            self._mine.connection = None

    # Connections

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[tuple[sqlite3.Connection, object]]:
        with self._turn or contextlib.nullcontext():
            try:
                connection, state = self._take()
            except FAILURES as error:
                raise self._translated(error) from error
            try:
                yield connection, state
            finally:
                self._give_back(connection, state)

    def _take(self) -> tuple[sqlite3.Connection, object]:
        if self._closed:
            raise RuntimeError(f"the store {self.path} is closed")
        if self._owner != os.getpid() and not self._place.single:
            # A forked child must not touch its parent's connections, not even to close them.
            self._inherited, self._idle, self._owner = self._idle, [], os.getpid()
        while self._idle:
            try:
                connection, state = self._idle.pop()
            except IndexError:  # another thread took the last one
                break
            if self._place.still(state):
                return connection, state
            connection.close()
        return self._place.open(self._wait)

    def _give_back(self, connection: sqlite3.Connection, state: object) -> None:
        if connection.in_transaction:
            connection.rollback()
        if self._closed:
            connection.close()
        else:
            self._idle.append((connection, state))

    # Errors

    def _run(self, connection: sqlite3.Connection, sql: str) -> None:
        try:
            connection.execute(sql)
        except FAILURES as error:
            raise self._translated(error) from error

    def _translated(self, error: sqlite3.Error | UnicodeError) -> Exception:
        return translate(error, self.path, wait=self._wait)
