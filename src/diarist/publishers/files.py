"""Atomic file writes: a reader sees the old file or the new one, and a crash leaves no torn file behind."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from diarist.errors import StoreFullError

TEMP_MARK = ".diarist-tmp-"
STALE_SECONDS = 3600
MOST_AT_ONCE = 16


def write_atomically(target: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Temp file beside the target, fsync, rename, fsync of the folder. The same content is not written again.

    Raises
    ------
    StoreFullError
        The folder cannot be written or the disk is full; names the file.
    """
    write_all_atomically([(target, data)], mode=mode)


def write_all_atomically(files: Iterable[tuple[Path, bytes]], *, mode: int = 0o600) -> None:
    """Many files, each written so. Their flushes go to the disk together: it answers a hundred in the time of a few.

    Raises
    ------
    StoreFullError
        As `write_atomically`. Files before the one that failed may have been written.
    """
    drafts: dict[Path, Path] = {}
    target = Path()
    try:
        for target, data in files:
            if not (target.is_file() and target.read_bytes() == data):
                drafts[target] = _draft(target, data, mode)
        _sync_all(list(drafts.values()))
        for target, draft in drafts.items():
            draft.replace(target)
        _sync_all(sorted({each.parent for each in drafts}))
    except OSError as error:
        raise StoreFullError(
            f"cannot write {target}: {error.strerror or error}. Free space or make the folder writable, then run again."
        ) from error
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink()


def _draft(target: Path, data: bytes, mode: int) -> Path:
    """A file beside the target with its content, not flushed yet."""
    _make_private(target.parent)
    draft = target.parent / f"{TEMP_MARK}{os.getpid()}-{os.urandom(4).hex()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return draft


def _sync_all(paths: Sequence[Path]) -> None:
    """Makes files and folders durable, a few at the same time."""
    if len(paths) < 3:
        for path in paths:
            _sync(path)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(MOST_AT_ONCE, len(paths))) as pool:
        list(pool.map(_sync, paths))


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
    _sync(target.parent)
    return True


def sweep(folder: Path) -> None:
    """Removes temp files that a crash left behind; young ones may be another process's."""
    for stale in folder.glob(f"{TEMP_MARK}*"):
        with suppress(OSError):
            if time.time() - stale.stat().st_mtime > STALE_SECONDS:
                stale.unlink()


def _sync(path: Path) -> None:
    folder = path.is_dir()
    if folder and os.name == "nt":  # pragma: no cover - folders cannot be synced there
        return
    handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
