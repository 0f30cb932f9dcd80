"""SQLite's errors in our words: what is wrong with which file, and what to do about it."""

# pathlib would cost a cold search more than SQLite does.
# ruff: noqa: PTH120
from __future__ import annotations

import os
import sqlite3

from diarist.errors import InvalidInputError, ReadOnlyError, StoreCorruptError, StoreError, StoreFullError, StoreLockedError

CORRUPT_ADVICE = "Restore it from a backup, or run `diarist doctor --repair` to save what is whole."
BUSY, LOCKED = sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED


def translate(error: sqlite3.Error | UnicodeError, path: str, *, wait: float) -> Exception:
    """The error to raise instead: one of ours, or `error` itself where it is a fault in Diarist.

    `wait`: for how many seconds a lock was waited for.
    """
    if isinstance(error, UnicodeEncodeError):
        from diarist.stores.database import NOT_UNICODE

        return InvalidInputError(NOT_UNICODE)
    if isinstance(error, UnicodeError):
        return StoreCorruptError(f"{path} is damaged (a text in it is not UTF-8). {CORRUPT_ADVICE}")
    code = getattr(error, "sqlite_errorcode", None)
    primary = -1 if code is None else code & 0xFF
    message, kind = str(error), StoreError
    if primary in (BUSY, LOCKED):
        kind, message = StoreLockedError, f"{path} is in use by another process for more than {wait:g} s. Try again when it has ended."
    elif primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and no_space(path)):
        kind, message = (
            StoreFullError,
            f"No space is left on the disk of {path}. Nothing was half written; free some space and run it again.",
        )
    elif primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        kind, message = ReadOnlyError, f"{path} cannot be written ({error}). Give yourself write permission, or open it for reading only."
    elif primary == sqlite3.SQLITE_CANTOPEN:
        kind, message = StoreFullError, f"{path} cannot be opened ({error}). See that its folder exists and that you may write there."
    elif primary == sqlite3.SQLITE_IOERR:
        message = f"Reading or writing {path} failed ({getattr(error, 'sqlite_errorname', error)}). See whether the disk is sound."
    elif primary == sqlite3.SQLITE_NOTADB:
        kind, message = StoreCorruptError, f"{path} is not a database, or its beginning is damaged. {CORRUPT_ADVICE}"
    elif is_damage(error, primary):
        kind, message = StoreCorruptError, f"{path} is damaged ({error}). {CORRUPT_ADVICE}"
    else:
        return error
    return kind(message)


def is_damage(error: sqlite3.Error, primary: int) -> bool:
    """True where the file's content is at fault: broken pages, a missing table, text that is not UTF-8, a broken key."""
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_FORMAT):
        return True
    text = str(error)
    return isinstance(error, sqlite3.OperationalError) and text.startswith(("no such ", "Could not decode", "malformed"))


def no_space(path: str) -> bool:
    """True where the disk that holds `path` has less than 64 KiB left for us: SQLite reports some full disks as I/O errors."""
    if not hasattr(os, "statvfs"):
        return False
    try:
        room = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < 65536
