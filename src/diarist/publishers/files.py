"""Atomic file writes: a reader sees the old file or the new one, and a crash leaves no torn file behind."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from diarist.errors import StoreFullError

TEMP_MARK = ".diarist-tmp-"
STALE_SECONDS = 3600


def write_atomically(target: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Temp file beside the target, fsync, rename, fsync of the folder. The same content is not written again.

    Raises
    ------
    StoreFullError
        The folder cannot be written or the disk is full; names the file.
    """
    try:
        if target.is_file() and target.read_bytes() == data:
            return
        _make_private(target.parent)
        temp = target.parent / f"{TEMP_MARK}{os.getpid()}-{os.urandom(4).hex()}"
        try:
            handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temp.replace(target)
        except BaseException:
            with suppress(OSError):
                temp.unlink()
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise StoreFullError(
            f"cannot write {target}: {error.strerror or error}. Free space or make the folder writable, then run again."
        ) from error


def _make_private(folder: Path) -> None:
    """The folder and what is missing above it, mode 0700 (`mkdir(parents=True)` gives the mode to the last one only)."""
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)


def remove_file(target: Path) -> bool:
    """True if there was a file to remove."""
    try:
        target.unlink()
    except FileNotFoundError:
        return False
    _sync_folder(target.parent)
    return True


def sweep(folder: Path) -> None:
    """Removes temp files that a crash left behind; young ones may be another process's."""
    for stale in folder.glob(f"{TEMP_MARK}*"):
        with suppress(OSError):
            if time.time() - stale.stat().st_mtime > STALE_SECONDS:
                stale.unlink()


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # pragma: no cover - folders cannot be synced there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
