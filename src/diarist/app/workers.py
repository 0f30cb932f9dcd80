"""Processes that read and distil for an import: what costs time and touches no store. Their results come in the order of the tasks."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from copy import copy
from itertools import islice, zip_longest
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from diarist.app.distilling import Task, Told, tell_task
from diarist.app.hosting import ToldText, ToTell, tell_run
from diarist.app.reading import Before, FileRead, read_file
from diarist.app.sources import Source
from diarist.app.tombstones import erased_values, masking
from diarist.errors import StoreError

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

    from diarist.app.distilling import TellAll
    from diarist.app.toolbox import Reader
    from diarist.text.erased import Erased

AHEAD = 32
"""Tasks that are handed out at a time: enough for every process, few enough for memory."""
SESSIONS_AT_ONCE = 8
"""Sessions that are handed over together: most take less than a message between processes."""
FILES_AT_ONCE = 16
BYTES_AT_ONCE = 256 << 10
"""Files that are handed over together: a message, and a flush of the vault, take longer than a small file does."""
NAMED = 8
"""Files or sessions that are named, at most, where a process died at one of them."""
MUCH = 1 << 20
"""Bytes that are to be redacted, at least, where processes are started for it."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def start_workers(jobs: int, make_reader: Callable[[], Reader]) -> Workers | None:
    """Processes that read and distil; None where the system gives none: no shared memory, as in some containers, or too many already."""
    try:
        return Workers(jobs, make_reader)
    except (OSError, ImportError, NotImplementedError):
        return None


@contextmanager
def telling_with(jobs: int, make_reader: Callable[[], Reader]) -> Iterator[TellAll | None]:
    """What distils with so many processes; None for one, or where the system gives none."""
    workers = start_workers(jobs, make_reader) if jobs > 1 else None
    try:
        yield workers.tell if workers is not None else None
    finally:
        if workers is not None:
            workers.close()


class Workers:
    """A pool of processes, each with a reader of its own. Use it as a context manager."""

    def __init__(self, jobs: int, make_reader: Callable[[], Reader]) -> None:
        self._jobs = jobs
        method = "fork" if _may_fork() else "spawn"
        _load(make_reader(), modules=method == "fork")
        self._pool = ProcessPoolExecutor(jobs, mp_context=get_context(method), initializer=_start, initargs=(copy(make_reader),))
        try:
            with _uninterrupted():
                self._pool.submit(_ready)  # they start now, before anything here begins a thread
        except BaseException:  # Ctrl-C that waited
            self.close()
            raise

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes, each after the task it is at."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def read(self, todo: Iterable[tuple[Source, Before | None]], now: Callable[[], datetime]) -> Iterator[tuple[Source, FileRead]]:
        """Reads files; what they held is in the vault then."""
        groups = _grouped((source, before, now()) for source, before in todo)
        results = self._in_order(_read, groups, _paths)
        return ((task[0], read) for tasks, several in results for task, read in zip(tasks, several, strict=True))

    def tell(self, tasks: Iterator[Task]) -> Iterator[Told]:
        """Distils sessions."""
        groups = iter(lambda: tuple(islice(tasks, SESSIONS_AT_ONCE)), ())
        return (told for _, several in self._in_order(_tell, groups, _sessions) for told in _unpacked(several))

    def hand(self, runs: Sequence[ToTell], reader: Reader) -> Iterator[ToldText]:
        """Redacts and distils runs that a host handed in; `reader` tells what was erased. Texts go to these processes only."""
        pending, erased = iter(runs), erased_values(reader)
        each = min(SESSIONS_AT_ONCE, -(-len(runs) // self._jobs))
        groups = iter(lambda: tuple(islice(pending, each)), ())
        for _, several in self._in_order(_hand, ((erased, group) for group in groups), _handed):
            yield from map(ToldText, several[0], _unpacked(several[1]))

    def _in_order(
        self, work: Callable[[Item], Result], tasks: Iterable[Item], names: Callable[[Item], list[str]]
    ) -> Iterator[tuple[Item, Result]]:
        """`names`: what a task holds, the likeliest to be too much for a process first."""
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        pending = iter(tasks)
        try:
            while True:
                for task in islice(pending, AHEAD - len(waiting)):
                    waiting.append((task, self._pool.submit(work, task)))
                if not waiting:
                    return
                task, future = waiting[0]
                result = future.result()
                waiting.popleft()
                yield task, result
        except BrokenProcessPool as error:
            message = "a reading process died (out of memory?). What was read is kept; run again, with --jobs 1 if it repeats"
            unfinished = (task for task, future in waiting if not _is_finished(future))
            at_hand = [names(task) for task in islice(unfinished, self._jobs)]  # tasks are begun in order, one by each process
            raise StoreError(message + _one_of(at_hand)) from error
        finally:
            for _, future in waiting:
                future.cancel()


def _is_finished(future: Future[Result]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _one_of(at_hand: Sequence[Sequence[str]]) -> str:
    """Names what the processes were at, some of each task; nothing where they were at nothing."""
    turns = [name for turn in zip_longest(*at_hand) for name in turn if name is not None]
    more = f" and {len(turns) - NAMED} more" if len(turns) > NAMED else ""
    return f". It was at one of: {', '.join(turns[:NAMED])}{more}" if turns else ""


FileTask: TypeAlias = "tuple[Source, Before | None, datetime]"
"""A file, what is known of it, and when it is read."""
_reader: list[Reader] = []


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the processes are started; they inherit that they are not told of it."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _may_fork() -> bool:
    """Whether copies of this process can work: they start at once, with all that is loaded here.

    Not where it has other threads, for what they hold locked would stay so in a copy, nor where the system's own libraries forbid it.
    """
    if sys.platform != "linux":
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _load(reader: Reader, *, modules: bool) -> None:
    """Makes what every worker needs: the redactor's tables, kept for other processes to load, and for copies of this one the modules."""
    reader.redactor.engine(MUCH)
    if modules:
        import diarist.stages.distil  # noqa: F401 - loaded for the copies

        reader.find_importer(b"{}", None)


def _ready() -> None:
    """The first task: nothing."""


def _start(make_reader: Callable[[], Reader]) -> None:
    """Ctrl-C reaches the whole group: the main process decides, workers finish the task they are at, and none outlives it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _reader[:] = [make_reader()]


def _end_with_parent() -> None:
    """Ends this process once the one that started it is gone: a copy holds the other end of its own queue, and would wait forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _grouped(tasks: Iterable[FileTask]) -> Iterator[tuple[FileTask, ...]]:
    """Files in order, small ones together."""
    group, size = list[FileTask](), 0
    for task in tasks:
        if group and (len(group) >= FILES_AT_ONCE or size + task[0].size > BYTES_AT_ONCE):
            yield tuple(group)
            group, size = [], 0
        group.append(task)
        size += task[0].size
    if group:
        yield tuple(group)


def _paths(tasks: tuple[FileTask, ...]) -> list[str]:
    return [str(source.path) for source, _, _ in sorted(tasks, key=lambda task: -task[0].size)]


def _sessions(tasks: tuple[Task, ...]) -> list[str]:
    return [f"session {task.parts[0].session}" for task in tasks]


def _handed(task: tuple[Sequence[Erased], tuple[ToTell, ...]]) -> list[str]:
    return _sessions(tuple(run.task for run in task[1]))


def _read(tasks: tuple[FileTask, ...]) -> list[FileRead]:
    several = [read_file(source.path, source.explicit, _reader[0], before, read_at) for source, before, read_at in tasks]
    _reader[0].vault.flush()
    return several


def _tell(tasks: tuple[Task, ...]) -> bytes:
    return _packed(tell_task(_reader[0], task) for task in tasks)


def _hand(task: tuple[Sequence[Erased], tuple[ToTell, ...]]) -> tuple[list[bytes], bytes]:
    erased, runs = task
    reader = masking(_reader[0], erased)
    several = [tell_run(reader, run) for run in runs]
    return [each.text for each in several], _packed(each.told for each in several)


def _packed(several: Iterable[Told]) -> bytes:
    """As JSON: a value that went through `pickle` is written otherwise than the same value that did not (defaults are told by identity)."""
    return msgspec.json.encode([tuple(told) for told in several])


def _unpacked(several: bytes) -> Iterator[Told]:
    from diarist.model.observation import ToolUse
    from diarist.stages.distil import Distilled

    kind = list[tuple[Distilled | None, tuple[ToolUse, ...], tuple[str, ...], str]]
    return (Told(*each) for each in msgspec.json.decode(several, type=kind))
