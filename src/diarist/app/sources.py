"""Finding transcript files: what the paths given really are, without following loops or touching what is no file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox"})


class Source(NamedTuple):
    """A file to read. `explicit`: named by the user, not met while walking a folder."""

    path: Path
    size: int
    mtime_ns: int
    inode: int
    explicit: bool


class SourceProblem(NamedTuple):
    """A path that could not be read, and why. `lost`: something that should have been imported was not."""

    path: str
    reason: str
    lost: bool = True


def find_sources(paths: Iterable[Path], explicit: bool = True) -> Iterator[Source | SourceProblem]:
    """Files below `paths`, each once, folders in name order. A file reached through two names counts once.

    `explicit`: the user named these paths; False where they were met while watching a folder.
    """
    seen_files: set[tuple[int, int]] = set()
    seen_folders: set[tuple[int, int]] = set()
    for path in paths:
        yield from _visit(path, explicit, seen_files, seen_folders)


def _visit(path: Path, explicit: bool, files: set[tuple[int, int]], folders: set[tuple[int, int]]) -> Iterator[Source | SourceProblem]:
    try:
        found = path.stat()
    except FileNotFoundError:
        if explicit:
            yield SourceProblem(str(path), "there is no such file or folder; check the path")
        elif path.is_symlink():
            yield SourceProblem(str(path), "a link that leads nowhere", lost=False)
        return
    except OSError as error:
        yield SourceProblem(str(path), _explain(error))
        return
    mark = (found.st_dev, found.st_ino)
    if stat.S_ISDIR(found.st_mode):
        if mark not in folders:
            folders.add(mark)
            yield from _walk(path, files, folders)
    elif not stat.S_ISREG(found.st_mode):
        yield SourceProblem(str(path), "not a regular file (a pipe, socket or device); use `-` to read standard input", lost=explicit)
    elif mark not in files or not found.st_ino:
        files.add(mark)
        yield Source(path, found.st_size, found.st_mtime_ns, found.st_ino, explicit)


def _walk(folder: Path, files: set[tuple[int, int]], folders: set[tuple[int, int]]) -> Iterator[Source | SourceProblem]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError as error:
        yield SourceProblem(str(folder), _explain(error))
        return
    for name in names:
        if name not in SKIPPED_FOLDERS:
            yield from _visit(folder / name, False, files, folders)


def _explain(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it; run as its owner or change its mode"
    return f"cannot be read: {error.strerror or error}"
