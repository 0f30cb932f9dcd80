"""Where a backup is drafted: in a folder beside its target. One that was killed leaves its folder, which may hold what is erased later.

So the workspace keeps a note of each, locked for as long as its backup is at work. The next backup and the next erasure remove what
dead ones left.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from diarist.app.spool import make_private
from diarist.app.wake import try_lock

NOTES = "backups-begun"
PREFIX = "diarist-backup-"
_LONGEST = 1 << 16
"""Bytes of a path."""


@contextmanager
def draft_folder(workspace: Path, beside: Path) -> Iterator[Path]:
    """A private folder within `beside`, gone afterwards. Raises OSError."""
    sweep(workspace)
    folder = beside.resolve() / f"{PREFIX}{secrets.token_hex(6)}"
    with _noted(workspace, folder):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def sweep(workspace: Path) -> None:
    """Removes what backups left that are dead."""
    for note in (workspace / NOTES).glob(f"{PREFIX}*"):
        with suppress(OSError), _open(note, os.O_RDWR) as descriptor:
            try_lock(descriptor)
            folder = Path(os.fsdecode(os.read(descriptor, _LONGEST)))
            if folder.name == note.name and folder.parent.is_dir():  # else it was not begun, or its disk is not here now
                shutil.rmtree(folder, ignore_errors=True)
                if not folder.exists():
                    note.unlink()


@contextmanager
def _noted(workspace: Path, folder: Path) -> Iterator[None]:
    make_private(str(workspace / NOTES))
    note = workspace / NOTES / folder.name
    with _open(note, os.O_RDWR | os.O_CREAT) as descriptor:
        _lock(descriptor)
        os.write(descriptor, os.fsencode(folder))
        try:
            yield
        finally:
            if os.name != "nt":  # there it goes once it is closed
                note.unlink(missing_ok=True)
    note.unlink(missing_ok=True)


@contextmanager
def _open(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Whoever sweeps holds it for a moment."""
    for _ in range(100):
        with suppress(OSError):
            return try_lock(descriptor)
        time.sleep(0.01)
    return try_lock(descriptor)
