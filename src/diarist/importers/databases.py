"""Reading other programs' SQLite databases where they lie: nothing is copied to a disk, and nothing is put beside them.

A program that is running keeps its last changes in a write-ahead log. SQLite reads one in place with the shared memory file that
belongs to it; where that is missing (the program died), SQLite would make one, so that the log is put into the image in memory.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path

MAGIC = b"SQLite format 3\x00"
MAX_IMAGE = 512 << 20
"""Larger databases are not read into memory."""
_HEADER, _FRAME = 32, 24
_LOG_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""What a log begins with, and the byte order of its checksums."""
_MASK = 0xFFFFFFFF
_LOGGED, _ROLLED_BACK = b"\x02\x02", b"\x01\x01"
"""What the header says of the journal: a write-ahead log, or none that would have to be there."""


def open_in_place(path: Path) -> sqlite3.Connection:
    """The database at `path`, for reading only, with what its write-ahead log holds.

    Raises
    ------
    sqlite3.Error, OSError
        It cannot be read, or it is too large to be read with a log that was left behind.
    """
    path = path.absolute()
    with path.open("rb") as file:
        logged = file.read(20)[18:20] == _LOGGED
    if not logged:
        return _connect(path, "mode=ro")
    log = path.with_name(f"{path.name}-wal")
    if not log.is_file() or not log.stat().st_size:
        return _connect(path, "mode=ro&immutable=1")
    if path.with_name(f"{path.name}-shm").is_file():
        database = _connect(path, "mode=ro")
        try:
            database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        except sqlite3.OperationalError:  # the folder is one we may not write in
            database.close()
        else:
            return database
    if path.stat().st_size + log.stat().st_size > MAX_IMAGE:
        raise sqlite3.DataError(f"larger than {MAX_IMAGE >> 20} MiB, with a write-ahead log that was left behind")
    return open_image(path.read_bytes(), log.read_bytes())


def open_image(data: bytes, log: bytes = b"") -> sqlite3.Connection:
    """A database from its bytes and those of its write-ahead log. Raises sqlite3.Error where they are none."""
    image = bytearray(data)
    for offset, page in _committed(log):
        if offset > MAX_IMAGE:
            raise sqlite3.DataError(f"larger than {MAX_IMAGE >> 20} MiB")
        if len(image) < offset:
            image.extend(bytes(offset - len(image)))
        image[offset : offset + len(page)] = page
    if not image.startswith(MAGIC):
        raise sqlite3.DatabaseError("it is no database")
    if image[18:20] == _LOGGED:
        image[18:20] = _ROLLED_BACK
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(bytes(image))
    except (sqlite3.Error, OverflowError):
        database.close()
        raise
    return database


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?{how}", uri=True)


def _committed(log: bytes) -> Iterator[tuple[int, bytes]]:
    """(offset, page) of every page that the log's whole transactions wrote, oldest first."""
    if len(log) < _HEADER:
        return
    magic, _, size, _, *salts = struct.unpack(">6I", log[:24])
    order = _LOG_MAGIC.get(magic)
    if order is None or size < 512:
        return
    sums = _checksum(log[:24], order, (0, 0))
    waiting: list[tuple[int, bytes]] = []
    for start in range(_HEADER, len(log) - _FRAME - size + 1, _FRAME + size):
        number, pages, *told = struct.unpack(">6I", log[start : start + _FRAME])
        page = log[start + _FRAME : start + _FRAME + size]
        sums = _checksum(page, order, _checksum(log[start : start + 8], order, sums))
        if told[:2] != salts or tuple(told[2:]) != sums or not number:
            return
        waiting.append(((number - 1) * size, page))
        if pages:  # the last page of a transaction tells how large the database is then
            yield from waiting
            waiting.clear()


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's running checksum over words of 32 bits, taken in pairs."""
    first, second = sums
    numbers = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for even, odd in zip(numbers, numbers, strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second
