"""PostgreSQL: pooled connections, transactions and error translation. What is said in SQL is not known here.

Every connection is bound to one tenant (`diarist.tenant`), which row-level security compares: a query that forgot its
filter sees nothing of another tenant. Writers of a tenant take turns by an advisory lock, as writers of a SQLite file do,
so that change numbers become visible in order; tenants do not wait for each other.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from typing import TYPE_CHECKING, Protocol

import psycopg
from psycopg.adapt import Loader
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolTimeout

from diarist.errors import ReadOnlyError, StoreAwayError, StoreError
from diarist.stores import postgres_schema
from diarist.stores.postgres_arrays import NUL, ArrayDumper, ByteaArrayDumper
from diarist.stores.postgres_bulk import Waiting, spell
from diarist.stores.postgres_errors import translate

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping
    from typing import Any, TypeAlias, TypeVar

    Row = tuple[Any, ...]
    Connection: TypeAlias = psycopg.Connection[Row]
    T = TypeVar("T")

WAIT_SECONDS = 10.0
POOL_SIZE = 8
FIRST_LOOK, LOOK_EVERY = 50, 1_000
"""Statements written by a process after which it looks for tables that have outgrown their statistics."""
CHANNEL = "diarist_changes"
"""Channel of LISTEN and NOTIFY; the payload is the tenant whose change log grew."""

_COMPRESSION = """
    SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)
"""
"""New long values are compressed by LZ4 where the server can: its own way takes a seventh of its time for what is written here."""


class Passenger(Protocol):
    """Has things to write that need a commit, not one of their own."""

    def waits(self) -> bool:
        """Has it anything to write?"""
        ...

    def come_along(self) -> Callable[[], None]:
        """Writes them within the open transaction; what it returns is called once that has committed."""
        ...


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> bytes | None:
        return bytes(super().dump(obj.replace("\0", NUL) if "\0" in obj else obj) or b"")


class _TextLoader(Loader):
    def load(self, data: bytes | bytearray | memoryview) -> str:
        text = str(data, "utf-8")
        return text.replace(NUL, "\0") if NUL in text else text


class _BinaryTextLoader(_TextLoader):
    format = psycopg.pq.Format.BINARY


class PostgresDatabase:
    """The port `Database` on a PostgreSQL server. Safe to share between threads.

    `url`: a libpq connection string with everything libpq knows (`sslmode=verify-full`, `sslrootcert=…`, a service name).
    `wait`: seconds after which a connection, or the turn of another writer, is given up on.

    Raises
    ------
    StoreError
        The server cannot be reached, refuses us, or the database is not Diarist's.
    SchemaTooNewError
        A newer Diarist has changed the schema.
    """

    dialect = "postgres"
    misfits = (psycopg.IntegrityError, psycopg.DataError, psycopg.ProgrammingError)

    def __init__(self, url: str, *, tenant: str, read_only: bool = False, wait: float = WAIT_SECONDS, size: int = POOL_SIZE) -> None:
        self.read_only = read_only
        self.path = describe(url)
        self._tenant = tenant
        self._wait = wait
        self._mine = threading.local()
        self._url = url
        self.users = 0
        self._written, self._look_at = 0, FIRST_LOOK
        self.passengers: weakref.WeakSet[Passenger] = weakref.WeakSet()
        """What they have waiting is written with the next transaction that commits, whichever thread it is of."""
        self._ear: Connection | None = None
        try:
            with psycopg.connect(url, autocommit=True, connect_timeout=max(int(wait), 2)) as first:
                (postgres_schema.refuse_outdated if read_only else postgres_schema.bring_up_to_date)(first, self.path)
        except psycopg.Error as error:
            raise self._translated(error) from error
        self._pool = ConnectionPool(
            url,
            min_size=0,
            max_size=size,
            timeout=wait,
            reconnect_timeout=wait,  # tries pause ever longer until they are given up: a server that is back must not wait minutes
            kwargs={"autocommit": True, "connect_timeout": max(int(wait), 2)},
            configure=self._configure,
            open=True,
            name=f"diarist-{tenant}",
        )

    def fetch(self, sql: str, parameters: Mapping[str, object]) -> list[Row]:
        """All rows of one query."""
        bound: Connection | None = getattr(self._mine, "connection", None)
        if bound is None:
            return self._read(lambda connection: connection.execute(spell(sql), parameters, binary=True).fetchall())
        with self._translating():
            self._settle(bound)
            return bound.execute(spell(sql), parameters, binary=True).fetchall()

    def snapshot(self, work: Callable[[], T]) -> T:
        """Runs `work`, whose queries all see one state. It is run again where the connection was lost meanwhile."""
        if getattr(self._mine, "connection", None) is not None:
            return work()
        return self._read(lambda connection: self._work_in_snapshot(connection, work))

    def execute(self, sql: str, parameters: Mapping[str, object]) -> int:
        """Runs one statement of the open transaction; returns the number of rows it changed."""
        connection: Connection = self._mine.connection
        self._written += 1
        with self._translating():
            self._settle(connection)
            return connection.execute(spell(sql), parameters).rowcount

    def defer(self, sql: str, parameters: Mapping[str, object], bulk: str, key: Hashable) -> None:
        """Runs one statement of the open transaction before anything that could tell whether it ran, with others alike in one go."""
        if not bulk:
            self.execute(sql, parameters)
            return
        waiting: Waiting = self._mine.waiting
        if waiting.full or waiting.holds(sql, bulk, key):
            with self._translating():
                self._settle(self._mine.connection)
        waiting.add(sql, bulk, key, parameters)
        self._written += 1

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Takes the tenant's turn at once; commits when left normally, rolls back on any exception. Raises ReadOnlyError."""
        if self.read_only:
            raise ReadOnlyError(f"{self.path} was opened for reading only; nothing can be written.")
        if getattr(self._mine, "connection", None) is not None:
            raise RuntimeError("a transaction is open in this thread already")
        with self._begun() as connection:
            self._mine.connection, self._mine.waiting = connection, Waiting()
            try:
                yield
                settle = [passenger.come_along() for passenger in list(self.passengers)]
                with self._translating():
                    self._settle(connection)
                    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, self._tenant))
                    connection.execute("COMMIT")
                for each in settle:
                    each()
                self._know_sizes(connection)
            finally:
                self._mine.connection = self._mine.waiting = None
                if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                    with contextlib.suppress(psycopg.Error):
                        connection.rollback()

    def define(self, sql: str) -> bool:
        """Runs one statement that changes how rows are found, outside of any transaction; False where the role may not."""
        with self._borrowed() as connection, self._translating():
            try:
                connection.execute("SET lock_timeout = 0; SET statement_timeout = 0")
                connection.execute(sql.encode())
            except psycopg.errors.InsufficientPrivilege:
                return False
            finally:
                if not connection.closed:
                    connection.execute(f"SET lock_timeout = {int(self._wait * 1000)}; RESET statement_timeout")
        return True

    def check_pages(self) -> list[str]:
        """What the server counted as damage, what is left dangling, and whether the role goes round row-level security."""
        found = []
        ((failures,),) = self.fetch("SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()", {})
        if failures:
            found.append(f"the server found {failures} pages whose checksum is wrong; see its log")
        ((bypasses,),) = self.fetch("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user", {})
        if bypasses:
            found.append("the role bypasses row-level security; give Diarist a role of its own, neither superuser nor BYPASSRLS")
        dangling = self.fetch(
            "SELECT p.seq FROM history_payloads p WHERE NOT EXISTS "
            "(SELECT 1 FROM history h WHERE h.tenant = p.tenant AND h.seq = p.seq) ORDER BY p.seq LIMIT 100",
            {},
        )
        return found + [f"payload {seq} refers to a change that is missing" for (seq,) in dangling]

    def compact(self) -> None:
        """Writes every table anew (VACUUM FULL). What was deleted stays in the server's log (WAL) for a while. Raises ReadOnlyError."""
        if self.read_only:
            raise ReadOnlyError(f"{self.path} was opened for reading only; nothing can be written.")
        with self._borrowed() as connection, self._translating():
            for table in postgres_schema.tables(connection):
                connection.execute(psycopg.sql.SQL("VACUUM (FULL) {}").format(psycopg.sql.Identifier(table)))

    @property
    def in_transaction(self) -> bool:
        """Has this thread a transaction open?"""
        return getattr(self._mine, "connection", None) is not None

    def listen(self, seconds: float) -> set[str]:
        """Waits until some tenant's change log has grown, for so long at most; names the tenants. One thread may listen at a time.

        What was written before the first call, or while the server was away, is not told of: look into the log once, then listen.
        Raises StoreError.
        """
        with self._translating():
            if self._ear is None or self._ear.closed:
                self._ear = psycopg.connect(self._url, autocommit=True, connect_timeout=max(int(self._wait), 2))
                self._ear.execute(f"LISTEN {CHANNEL}")
                return set()
            found = {each.payload for each in self._ear.notifies(timeout=seconds, stop_after=1)}
            return found | {each.payload for each in self._ear.notifies(timeout=0)}

    def close(self) -> None:
        """Closes every connection, unless somebody else in this process shares them."""
        with _sharing:
            self.users = max(0, self.users - 1)
            if self.users:
                return
            for key in [key for key, database in _shared.items() if database is self]:
                del _shared[key]
        if not self._pool.closed and any(passenger.waits() for passenger in list(self.passengers)):
            with contextlib.suppress(StoreError), self.transaction():  # takes them along; no record names them, so nothing depends on it
                pass
        if self._ear is not None:
            self._ear.close()
        self._pool.close()

    # Parts of the above

    def _settle(self, connection: Connection) -> None:
        """Runs what was deferred in this thread's transaction."""
        waiting: Waiting | None = getattr(self._mine, "waiting", None)
        if waiting:
            for sql, parameters in waiting.take():
                connection.execute(sql, parameters)

    def _configure(self, connection: Connection) -> None:
        connection.adapters.register_dumper(str, _TextDumper)
        connection.adapters.register_dumper(list, ByteaArrayDumper)
        connection.adapters.register_dumper(list, ArrayDumper)  # what a statement does not ask for in binary
        connection.adapters.register_loader("text", _TextLoader)
        connection.adapters.register_loader("text", _BinaryTextLoader)
        connection.execute("SELECT set_config('diarist.tenant', %s, false)", (self._tenant,))
        connection.execute("SET jit = off")  # every query here takes less time than compiling it
        connection.execute(_COMPRESSION)
        connection.execute(f"SET lock_timeout = {int(self._wait * 1000)}")
        if self.read_only:
            connection.execute("SET default_transaction_read_only = on")

    def _know_sizes(self, connection: Connection) -> None:
        """Without statistics the planner takes one tenant for one row, and the server's own ANALYZE comes a minute late."""
        if self._written < self._look_at:
            return
        self._look_at = self._written + LOOK_EVERY
        with contextlib.suppress(psycopg.Error):  # a role that owns nothing is told so, and the server does it later
            postgres_schema.analyze_outgrown(connection)

    @contextlib.contextmanager
    def _begun(self) -> Iterator[Connection]:
        """A connection with a transaction whose turn it is. Until then nothing was done, so a dead connection is simply replaced."""
        with contextlib.ExitStack() as stack:
            connection = stack.enter_context(self._borrowed())
            try:
                connection.execute("BEGIN")
            except psycopg.OperationalError:
                stack.close()
                with self._translating():
                    self._pool.check()
                    connection = stack.enter_context(self._borrowed())
                    connection.execute("BEGIN")
            with self._translating():
                connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"diarist:{self._tenant}",))
                postgres_schema.refuse_newer(connection, self.path)
            yield connection

    def _read(self, work: Callable[[Connection], T]) -> T:
        """Reads may be done again: a pooled connection may have died with the server, or with the network, since it was used."""
        with self._translating():
            try:
                with self._borrowed() as connection:
                    return work(connection)
            except psycopg.OperationalError as error:
                if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
                    raise
            self._pool.check()
            with self._borrowed() as connection:
                return work(connection)

    def _work_in_snapshot(self, connection: Connection, work: Callable[[], T]) -> T:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._mine.connection = connection
        try:
            return work()
        finally:
            self._mine.connection = None
            if not connection.closed:
                connection.rollback()

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        if self._pool.closed:
            raise RuntimeError(f"the store {self.path} is closed")
        try:
            connection = self._pool.getconn()
        except PoolTimeout as error:
            raise StoreAwayError(
                f"{self.path} gave no connection within {self._wait:g} s. See that the server runs and lets us in."
            ) from error
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    @contextlib.contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise self._translated(error) from error

    def _translated(self, error: psycopg.Error | UnicodeEncodeError) -> Exception:
        return translate(error, self.path, wait=self._wait)


_sharing = threading.Lock()
_shared: dict[tuple[int, str, str, bool], PostgresDatabase] = {}


def share(url: str, *, tenant: str, read_only: bool, borrow: bool = False) -> PostgresDatabase:
    """The database of a tenant, one for all in this process who ask: a server's threads and the vault draw from one pool.

    Each closes it once; the last one closes the connections. Who `borrow`s does not keep them open, and must not outlive the others.
    A forked child has pools of its own.
    """
    key = (os.getpid(), url, tenant, read_only)
    with _sharing:
        if key not in _shared:
            _shared[key] = PostgresDatabase(url, tenant=tenant, read_only=read_only)
        _shared[key].users += 0 if borrow else 1
        return _shared[key]


def describe(url: str) -> str:
    """Names the database in messages, without a password.

    Raises
    ------
    StoreError
        It is not a connection string.
    """
    from psycopg.conninfo import conninfo_to_dict

    try:
        told = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise StoreError("DIARIST_DATABASE_URL is not a PostgreSQL connection string, as postgresql://role@host/database.") from None
    return f"PostgreSQL database {told.get('dbname') or told.get('user') or ''} on {told.get('host') or 'this machine'}"
