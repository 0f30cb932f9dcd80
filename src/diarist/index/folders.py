"""Folders of the index: one for a version, and of each version the generation that was made last.

    v-<version>         the first one
    v-<version>.<n>     made beside it, by a rebuild or because it was damaged, and put in its place whole
    new-<name>          a rebuild that goes on, or died

Nothing ever reads an index that was made otherwise or is half made.
"""

# pathlib, tempfile and the like would cost a cold search more than opening the index does.
# ruff: noqa: PTH100, PTH103, PTH104, PTH108, PTH112, PTH114, PTH116, PTH118, PTH119, PTH208, PTH211
from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

import tantivy

from diarist.index.schema import VERSION

META, STATE = "meta.json", "state.json"
_NAME = "v-" + VERSION.replace("/", "").replace(" ", "-")
_DRAFT = "new-"
_STALE_SECONDS = 3_600
"""A draft, or an index of another version, that nobody wrote into for so long is left over."""


def current(root: str) -> str:
    """The newest generation of this version; where it will be, if there is none."""
    return os.path.join(root, _NAME + (f".{newest}" if (newest := max(_generations(root), default=0)) else ""))


def draft(root: str) -> str:
    """Makes a folder for a rebuild."""
    folder = os.path.join(root, f"{_DRAFT}{os.getpid()}-{os.urandom(4).hex()}")
    os.makedirs(folder, mode=0o700)
    return folder


def publish(root: str, made: str) -> str:
    """Makes a draft the newest generation, in one step; returns its new path. Raises OSError."""
    number = max(_generations(root), default=0) + 1
    while True:
        target = os.path.join(root, f"{_NAME}.{number}")
        try:
            os.rename(made, target)
        except OSError:
            if not os.path.isdir(target) or not os.path.isdir(made):
                raise
            number += 1  # another process published in this moment
        else:
            return target


def claim(root: str, made: str, lost: str, *, damaged: bool) -> str:
    """Puts a draft in the place of a generation that is missing or `damaged`; returns the newest, which another may have put there.

    Whether it was damaged has to be known from before it was tried: one that is here only now is another process's, and whole.
    """
    number = (_number(os.path.basename(lost)) or 0) + 1 if damaged else 0
    target = os.path.join(root, f"{_NAME}.{number}" if number else _NAME)
    try:
        os.rename(made, target)
    except OSError:
        remove(made)
        if not os.path.isdir(current(root)):
            raise
    return current(root)


def sweep(root: str, kept: str) -> None:
    """Removes earlier generations, and drafts and indexes of other versions that nobody works on any more."""
    newest = _number(os.path.basename(kept))
    for name in _names(root):
        number = _number(name)
        path = os.path.join(root, name)
        if (number is not None and newest is not None and number < newest) or (number is None and _is_stale(path)):
            remove(path)


def open_index(folder: str) -> Any:
    """Opens an index; the engine wants to put a lock file beside it, so a folder that may not be written is opened through links."""
    if os.access(folder, os.W_OK):
        return tantivy.Index.open(folder)
    import shutil
    import tempfile

    borrowed = tempfile.mkdtemp(prefix="diarist-index-")
    try:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                _link(os.path.join(os.path.abspath(folder), name), os.path.join(borrowed, name))
        index = tantivy.Index.open(borrowed)
        index.searcher()  # maps all segments, so that the links are not needed any more
        return index
    finally:
        shutil.rmtree(borrowed, ignore_errors=True)


def remove(path: str) -> None:
    """Removes a file or a folder, as far as it can be."""
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def _names(root: str) -> list[str]:
    try:
        return os.listdir(root)
    except OSError:
        return []


def _number(name: str) -> int | None:
    """Which generation of this version a folder is; None for anything else."""
    if name == _NAME:
        return 0
    start, _, number = name.rpartition(".")
    return int(number) if start == _NAME and number.isdecimal() else None


def _generations(root: str) -> list[int]:
    return [number for name in _names(root) if (number := _number(name)) is not None]


def _is_stale(path: str) -> bool:
    """True where nothing was made, removed or renamed in it lately: the engine does so with every commit."""
    try:
        return time.time() - os.stat(path).st_mtime > _STALE_SECONDS
    except OSError:
        return False


def _link(source: str, target: str) -> None:
    try:
        os.symlink(source, target)
    except (OSError, NotImplementedError):
        try:
            os.link(source, target)
        except OSError:
            import shutil

            shutil.copyfile(source, target)
