"""How a SQLite database is reached: a file for writing, a file for reading without leaving a trace, or memory.

Reading a WAL database normally makes two files beside it and needs a folder that can be written. A reader here picks,
each time it needs a connection:

- no write-ahead log: nobody holds uncheckpointed work, so the file alone is the database. It is opened `immutable`
  (no locks, no files), and whatever was read counts only if neither file changed meanwhile; else it is read again.
- a log and its shared memory: a writer is at work, or crashed. Opened `mode=ro`, which joins the writer's locking.
- a log without shared memory (a copied workspace), or one that cannot be joined: opened `mode=ro` with an index of
  the log in this process's memory; like the first, valid only while the files stay as they are.
"""

# pathlib would cost a cold search more than SQLite does.
# ruff: noqa: PTH103, PTH110, PTH116, PTH120
from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

from diarist.durable import sync_folder
from diarist.errors import NotFoundError, StoreError, StoreFullError
from diarist.stores import migrate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, TypeAlias

    State: TypeAlias = object
    """What a connection's view of the files rests on."""
    Files: TypeAlias = tuple[tuple[int, int, int], ...]
    """Identity, size and time of the database and, if it holds anything, of its log."""

    class Place(Protocol):
        """Opens connections to one database."""

        path: str
        read_only: bool
        single: bool
        """True where there is one connection only, which everybody shares in turn."""

        def open(self, wait: float) -> tuple[sqlite3.Connection, State]:
            """A checked connection that waits `wait` seconds for locks."""
            ...

        def still(self, state: State, /) -> bool:
            """True while a connection with that state shows what is in the database, and what it read is whole."""
            ...


NO_LOCKS = "win32-none" if os.name == "nt" else "unix-none"


class InMemory:
    """A database of this process."""

    path = ":memory:"
    read_only = False
    single = True

    def open(self, wait: float) -> tuple[sqlite3.Connection, State]:
        """A new database, empty. There is no state."""
        connection = _connect(":memory:", wait)
        connection.execute("PRAGMA foreign_keys = ON")
        migrate.bring_up_to_date(connection, self.path)
        return connection, None

    def still(self, _state: State) -> bool:
        """Always."""
        return True


class WritableFile:
    """A database file and its folder, made if they are missing: only their owner may look into them."""

    read_only = False
    single = False

    def __init__(self, path: str) -> None:
        self.path = path
        self._checked = False

    def open(self, wait: float) -> tuple[sqlite3.Connection, State]:
        """Opens it, waiting at most `wait` seconds for a lock; the state is what `still` compares. Raises StoreError."""
        if not self._checked:
            self._create()
        connection = _connect(_uri(self.path, "mode=rw"), wait)
        try:
            if not self._checked:
                migrate.refuse_foreign(connection, self.path)
            _set_up_writing(connection)
            if not self._checked:
                migrate.bring_up_to_date(connection, self.path)
        except BaseException:
            connection.close()
            raise
        self._checked = True
        return connection, None

    def still(self, _state: State) -> bool:
        """Always: writers see each other's changes."""
        return True

    def _create(self) -> None:
        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                return
            sync_folder(folder)
        except OSError as error:
            raise StoreFullError(f"{self.path} cannot be made ({error.strerror}). Choose a folder that you may write.") from error


class ReadOnlyFile:
    """A database file that is looked at only; see the module's text."""

    read_only = True
    single = False

    def __init__(self, path: str) -> None:
        self.path = path

    def open(self, wait: float) -> tuple[sqlite3.Connection, State]:
        """Opens it, waiting at most `wait` seconds for a lock; the state is what `still` compares.

        Raises StoreError; NotFoundError where there is none.
        """
        seen = self._look()
        if not seen or seen[0][1] == 0:
            raise NotFoundError(f"There is no store at {self.path} yet. `diarist ingest` makes one.")
        joined = ("joined", seen[0][0])
        for options, state in self._ways(seen, joined):
            connection = _connect(_uri(self.path, options), wait)
            try:
                if NO_LOCKS in options:
                    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                migrate.refuse_foreign(connection, self.path)
                migrate.refuse_outdated(connection, self.path)
            except sqlite3.OperationalError as error:
                connection.close()
                if state is not joined or error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                return connection, state
        raise AssertionError("the last way either opens or raises")

    def still(self, state: State) -> bool:
        """Is an open connection still one to what is there? False where the file was replaced or has changed under a reader."""
        seen = self._look()
        if isinstance(state, tuple) and state[0] == "joined":
            return bool(seen) and seen[0][0] == state[1]
        return seen == state

    def _ways(self, seen: Files, joined: State) -> Iterable[tuple[str, State]]:
        if len(seen) == 1:
            return (("immutable=1", seen),)
        alone = (f"mode=ro&vfs={NO_LOCKS}", seen)
        return (("mode=ro", joined), alone) if os.path.exists(self.path + "-shm") else (alone,)

    def _look(self) -> Files:
        found = []
        for suffix in ("", "-wal"):
            try:
                status = os.stat(self.path + suffix)
            except (FileNotFoundError, NotADirectoryError):
                break
            except OSError as error:
                raise StoreError(f"{self.path} cannot be looked at ({error.strerror}). See that you may read it and its folder.") from error
            if suffix and status.st_size == 0:
                break
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(found)


def _connect(target: str, wait: float) -> sqlite3.Connection:
    return sqlite3.connect(
        target, timeout=wait, isolation_level=None, check_same_thread=False, cached_statements=256, uri=target.startswith("file:")
    )


def _uri(path: str, options: str) -> str:
    for character, escape in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(character, escape)
    if os.name == "nt":
        path = "/" + path.replace("\\", "/")
    return f"file:{path}?{options}"


def _set_up_writing(connection: sqlite3.Connection) -> None:
    # FULL: a commit is on the disk when it returns. secure_delete: what is erased does not stay in free pages.
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "cache_size = -16000", "journal_size_limit = 67108864"):
        connection.execute("PRAGMA " + pragma)
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _set_wal(connection)


def _set_wal(connection: sqlite3.Connection) -> None:
    # The busy timeout does not cover this switch, and another process may be making the same database now.
    deadline = time.monotonic() + 10
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
