"""Putting files and names on the disk for good."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_AT_ONCE = 16
QUICK_SECONDS = 0.0005
"""A disk that answers sooner is asked by fewer threads: it takes as long to start one."""
FEW = 8
"""Files for each thread then."""
_quick = [False]
"""Was it so the last time? On a slow disk the first wait of several would cost more than threads do, so it is not tried out."""


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Makes the names in a folder durable. Windows has no such call and does it by itself."""
    if os.name != "nt":
        _sync(folder, os.O_RDONLY)


def sync_file(path: str | os.PathLike[str]) -> None:
    """Makes what was written to a file durable."""
    _sync(path, os.O_RDWR)


def sync_together(files: list[str], folders: list[str]) -> None:
    """Makes files and folders durable, many at the same time: a file system answers them with one write of its journal.

    For a hundred files on a disk that takes 5 ms a flush, that is 20 ms and not a second.

    Raises
    ------
    OSError
        The first failure; the others were tried all the same.
    """
    _together([*(partial(sync_folder, folder) for folder in folders), *(partial(sync_file, file) for file in files)])


def write_together(files: Iterable[tuple[str, bytes]], mode: int) -> None:
    """Writes new files and makes them durable, many at the same time; their names are not. Raises OSError as `sync_together` does."""
    _together([partial(_write, path, data, mode) for path, data in files])


def _together(waiting: list[Callable[[], None]]) -> None:
    from threading import Thread

    failures: list[OSError] = []
    taken: list[float] = []

    def work() -> None:
        while True:
            try:
                task = waiting.pop()
            except IndexError:
                return
            began = time.perf_counter()
            try:
                task()
            except OSError as error:
                failures.append(error)
            taken.append(time.perf_counter() - began)

    each = FEW if _quick[0] else 1
    others = [Thread(target=work) for _ in range(min(MOST_AT_ONCE, -(-len(waiting) // each)) - 1)]
    for thread in others:
        thread.start()
    try:
        work()
    finally:
        waiting.clear()  # interrupted: the others finish what they have in hand
        for thread in others:
            thread.join()
    if taken:
        _quick[0] = sum(taken) < QUICK_SECONDS * len(taken)
    if failures:
        raise failures[0]


def _write(path: str, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(path: str | os.PathLike[str], flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
