"""Rows that are too many for memory: put in with a key each, then read in the order of the keys.

In a private temporary database of SQLite's: it keeps what fits its cache in memory and the rest in a file that has no name, sorts by
merging from disk, and is gone with the process, however that ends.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator

from diarist.errors import StoreFullError

CACHE_KIB = 32 * 1024
BATCH = 500


class ScratchRows:
    """The port `Scratch`. One thread at a time."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode=OFF", "synchronous=OFF", f"cache_size=-{CACHE_KIB}", "temp_store=FILE", "page_size=8192"):
            self._database.execute(f"PRAGMA {setting}")
        self._database.execute("CREATE TABLE put (key BLOB, body BLOB)")
        self._database.execute("CREATE TABLE kept (place INTEGER PRIMARY KEY, body BLOB)")
        self._waiting: list[tuple[bytes, bytes]] = []
        self._count = 0

    def put(self, key: bytes, body: bytes) -> None:
        """Adds a row; to be called before `settle` only."""
        self._waiting.append((key, body))
        self._count += 1
        if len(self._waiting) == BATCH:
            self._write()

    def settle(self) -> None:
        """Puts the rows into the order of their keys."""
        self._write()
        self._run("INSERT INTO kept SELECT row_number() OVER (ORDER BY key, rowid) - 1, body FROM put")
        self._run("DROP TABLE put")

    def get(self, place: int) -> bytes:
        """The row at a place, from 0 on. Raises IndexError where there is none."""
        found = self._database.execute("SELECT body FROM kept WHERE place = ?", (place,)).fetchone()
        if found is None:
            raise IndexError(place)
        body: bytes = found[0]
        return body

    def __iter__(self) -> Iterator[bytes]:
        return itertools.chain.from_iterable(self._database.execute("SELECT body FROM kept ORDER BY place"))

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Lets go of them."""
        self._database.close()

    def _write(self) -> None:
        try:
            with self._database:
                self._database.execute("BEGIN")
                self._database.executemany("INSERT INTO put VALUES (?, ?)", self._waiting)
        except sqlite3.Error as error:
            raise _full(error) from error
        self._waiting = []

    def _run(self, statement: str) -> None:
        try:
            self._database.execute(statement)
        except sqlite3.Error as error:
            raise _full(error) from error


def _full(error: sqlite3.Error) -> StoreFullError:
    return StoreFullError(f"the temporary folder cannot hold what does not fit into memory ({error}). Free some space, or set TMPDIR.")
