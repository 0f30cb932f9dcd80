"""Processes of a server that distil what hosts hand in many at a time, so that a node uses more than one core for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from diarist.app.hosting import ToldText, ToTell, tell_run
from diarist.errors import InvalidInputError, StoreError

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader
    from diarist.app.workers import Workers

MANY = 16
"""So many runs at once are worth starting processes for; once they are there, two are worth asking."""
DIED = "the process that distilled this run died (out of memory?), twice; nothing of it was added. Hand in less of its transcript."


class Crew:
    """Threads may share it. Its processes start with the first large batch: 90 MB each, and a second or two.

    make_reader: picklable, as a worker process needs it; its vault is never used.
    """

    def __init__(self, jobs: int, make_reader: Callable[[], Reader]) -> None:
        self._jobs = jobs
        self._make_reader = make_reader
        self._turn = threading.Lock()
        self._workers: Workers | None = None

    def tell(self, reader: Reader, runs: Sequence[ToTell]) -> list[ToldText | InvalidInputError]:
        """What each run tells, in order, or why it cannot be told. Where no process can be had, it is told here."""
        workers = self._ready(start=len(runs) >= MANY) if len(runs) > 1 else None
        if workers is None:
            return [tell_run(reader, run) for run in runs]
        try:
            return list(workers.hand(runs, reader))
        except OSError:
            self._drop(workers)
            return [tell_run(reader, run) for run in runs]
        except StoreError:
            self._drop(workers)
            return self._tell_apart(reader, runs)

    def _tell_apart(self, reader: Reader, runs: Sequence[ToTell]) -> list[ToldText | InvalidInputError]:
        """Each run of a batch in which a process died. The one it died for ends its next process as well; here it would end the server."""
        from diarist.app.workers import start_workers

        told: list[ToldText | InvalidInputError] = []
        workers: Workers | None = None
        try:
            for run in runs:
                workers = workers or start_workers(1, self._make_reader)
                if workers is None:
                    told.append(tell_run(reader, run))
                    continue
                try:
                    told += workers.hand([run], reader)
                except StoreError:
                    told.append(InvalidInputError(DIED))
                    workers.close()
                    workers = None
        finally:
            if workers is not None:
                workers.close()
        return told

    def close(self) -> None:
        """Ends the processes."""
        if self._workers is not None:
            self._drop(self._workers)

    def _ready(self, *, start: bool) -> Workers | None:
        from diarist.app.workers import start_workers

        with self._turn:
            if self._workers is None and start:
                self._workers = start_workers(self._jobs, self._make_reader)
            return self._workers

    def _drop(self, workers: Workers) -> None:
        with self._turn:
            if self._workers is workers:
                self._workers = None
        workers.close()
