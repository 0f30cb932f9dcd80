"""Work that must not stay half done is noted before it begins: a file in the workspace, locked for as long as the work goes on.

A note that nobody holds tells of work that was cut off: its process was killed, or the machine went down. Whoever comes next finishes
it, or clears it away, and the note goes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from diarist.app.spool import make_private
from diarist.app.wake import try_lock
from diarist.errors import StoreFullError

_LONGEST = 1 << 20
"""Bytes that are read of a note."""


class Note:
    """One note; it goes when its work is done with, unless it is `kept` for the next who looks."""

    def __init__(self, name: str, told: bytes) -> None:
        self.name = name
        self.told = told
        self.kept = False


@contextmanager
def noted(folder: Path, name: str, told: bytes) -> Iterator[Note]:
    """A note of the work that is done meanwhile. `name` must be new. Raises StoreFullError where it cannot be written."""
    path, note = folder / name, Note(name, told)
    descriptor = _begin(path, told)
    try:
        yield note
    finally:
        os.close(descriptor)
        if not note.kept:
            path.unlink(missing_ok=True)


def cut_off(folder: Path) -> Iterator[Note]:
    """Notes of work that was cut off, each held while it is looked at."""
    for path in sorted(folder.glob("*")):
        with suppress(OSError):  # somebody is at work on it, or has just removed it
            descriptor = os.open(path, os.O_RDWR)
            try:
                try_lock(descriptor)
                note = Note(path.name, os.read(descriptor, _LONGEST))
                yield note
            finally:
                os.close(descriptor)
            if not note.kept:
                path.unlink(missing_ok=True)


def _begin(path: Path, told: bytes) -> int:
    descriptor = -1
    try:
        make_private(str(path.parent))
        descriptor = _held(path)
        os.write(descriptor, told)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        raise StoreFullError(
            f"cannot write {path}: {error.strerror or error}. Free space or make the folder writable, then run again."
        ) from error
    return descriptor


def _held(path: Path) -> int:
    """The new file, open and locked. Whoever looks for notes may have it for a moment, and remove it as long as it is empty."""
    for _ in range(100):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):
            try_lock(descriptor)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)
        time.sleep(0.01)
    raise OSError(f"{path} cannot be locked")
