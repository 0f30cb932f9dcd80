"""Atomic file writes: a reader sees the old file or the new one, and a crash leaves no torn file behind."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from diarist.durable import sync_folder, sync_together
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
    write_all_atomically([(str(target), data)], mode=mode)


def write_all_atomically(files: Iterable[tuple[str, bytes]], *, mode: int = 0o600) -> None:
    """Many files, each written so. Their flushes go to the disk together: it answers a hundred in the time of a few.

    files: (absolute path, content) each; paths are texts, as for many small files a `Path` costs more than the writing.

    Raises
    ------
    StoreFullError
        As `write_atomically`. Files before the one that failed may have been written.
    """
    drafts: dict[str, str] = {}
    target = ""
    mark = f"{os.sep}{TEMP_MARK}{os.getpid()}-{os.urandom(4).hex()}-"
    folders: set[str] = set()
    try:
        for number, (target, data) in enumerate(files):
            folder = os.path.dirname(target) or os.curdir  # noqa: PTH120
            if folder not in folders:
                _make_private(Path(folder))
                folders.add(folder)
            if not _holds(target, data):
                drafts[target] = f"{folder}{mark}{number}"
                _write(drafts[target], data, mode)
        sync_together(list(drafts.values()), [])
        for target, draft in drafts.items():
            os.replace(draft, target)  # noqa: PTH105
        sync_together([], sorted(folders) if drafts else [])
    except OSError as error:
        raise StoreFullError(
            f"cannot write {target}: {error.strerror or error}. Free space or make the folder writable, then run again."
        ) from error
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                os.unlink(draft)  # noqa: PTH108


def _holds(target: str, data: bytes) -> bool:
    """Is this what the file holds?"""
    try:
        with open(target, "rb") as stream:  # noqa: PTH123
            return stream.read(len(data) + 1) == data
    except (FileNotFoundError, IsADirectoryError):
        return False


def _write(draft: str, data: bytes, mode: int) -> None:
    """A new file with this content, not flushed yet."""
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb", buffering=0) as stream:
        rest = memoryview(data)
        while rest:
            rest = rest[stream.write(rest) :]


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
    sync_folder(target.parent)
    return True


def sweep(folder: Path) -> None:
    """Removes temp files that a crash left behind; young ones may be another process's."""
    for stale in folder.glob(f"{TEMP_MARK}*"):
        with suppress(OSError):
            if time.time() - stale.stat().st_mtime > STALE_SECONDS:
                stale.unlink()
