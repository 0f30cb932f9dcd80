"""Atomic file writes: a reader sees the old file or the new one, and a crash leaves no torn file behind."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from diarist.durable import sync_folder, sync_together, write_together
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
    name = str(target)
    if read_old(name) != data:
        write_all_atomically({name: data}, mode=mode)


def read_old(target: str) -> bytes | None:
    """What stands there now; None: no file. Raises StoreFullError where it cannot be read."""
    try:
        with open(target, "rb", buffering=0) as stream:  # noqa: PTH123
            return stream.read()
    except (FileNotFoundError, IsADirectoryError):
        return None
    except OSError as error:
        raise _failed(target, error) from error


def write_all_atomically(files: Mapping[str, bytes], *, mode: int = 0o600) -> None:
    """Many files, each written so, whatever stands there. They go to the disk together: it answers a hundred in the time of a few.

    files: content by absolute path; paths are texts, as for many small files a `Path` costs more than the writing.

    Raises
    ------
    StoreFullError
        As `write_atomically`. Files before the one that failed may have been written.
    """
    drafts: dict[str, str] = {}
    new: list[tuple[str, bytes]] = []
    target = ""
    mark = f"{os.sep}{TEMP_MARK}{os.getpid()}-{os.urandom(4).hex()}-"
    folders: set[str] = set()
    try:
        for number, (target, data) in enumerate(files.items()):
            folder = os.path.dirname(target) or os.curdir  # noqa: PTH120
            if folder not in folders:
                _make_private(Path(folder))
                folders.add(folder)
            drafts[target] = f"{folder}{mark}{number}"
            new.append((drafts[target], data))
        write_together(new, mode)
        for target, draft in drafts.items():
            os.replace(draft, target)  # noqa: PTH105
        new.clear()
        sync_together([], sorted(folders))
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        for draft, _ in new:
            with suppress(OSError):
                os.unlink(draft)  # noqa: PTH108


def _failed(target: str, error: OSError) -> StoreFullError:
    return StoreFullError(f"cannot write {target}: {error.strerror or error}. Free space or make the folder writable, then run again.")


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
