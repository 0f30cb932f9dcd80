"""Threads that work on workspaces. SQLite and the search index never hold up the event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from diarist.asgi.gathering import Gathering
from diarist.errors import DiaristError
from diarist.model.access import Caller

if TYPE_CHECKING:
    from diarist.app.memory import Memory

T = TypeVar("T")
OpenMemory = Callable[[str, "str | None"], "Memory"]
"""(tenant, project or None) → a workspace, open for writing."""
THREADS = 6
OPEN_PER_THREAD = 12
"""Scopes that a thread keeps open at once; the one used longest ago is closed."""
PATIENCE, PAUSE_SECONDS = 40, 0.05
FOLLOW_SECONDS, MOST_FOLLOW_SECONDS = 0.5, 5.0
"""How long the index waits for further writes, to be brought up to date for all of them at once: a commit of it costs more than a write."""
FOLLOW_SHARE = 4
"""It waits so many times as long as the last time took, within these bounds: the more there is to do, the less often it is done."""
OWNER = Caller("local", "admin")


class Workroom:
    """Runs work on a `Memory` of the scope that the caller's credential names; each thread has its own."""

    def __init__(self, open_memory: OpenMemory, threads: int = THREADS) -> None:
        self._open = open_memory
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="diarist")
        self._mine = threading.local()
        self._all: list[OrderedDict[tuple[str, str | None], Memory]] = []
        self._turns: dict[str, threading.Lock] = {}
        self._turn = threading.Lock()
        self._behind = ThreadPoolExecutor(1, thread_name_prefix="diarist-index")
        self._due: set[str] = set()
        self._closing = threading.Event()
        self._pause = FOLLOW_SECONDS
        self._gatherings: dict[tuple[str, str | None, str], Gathering[Any, Any]] = {}

    async def run(self, work: Callable[[], T]) -> T:
        """Runs `work` in one of the threads; there, `memory` gives it a workspace."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def memory(self, caller: Caller = OWNER) -> Memory:
        """The workspace as this caller may see it. To be called in a thread of the room, and not handed on to another."""
        opened: OrderedDict[tuple[str, str | None], Memory] | None = getattr(self._mine, "opened", None)
        if opened is None:
            opened = self._mine.opened = OrderedDict()
            with self._turn:
                self._all.append(opened)
        scope = (caller.tenant, caller.project)
        if scope not in opened:
            opened[scope] = self._open(*scope)
        opened.move_to_end(scope)
        while len(opened) > OPEN_PER_THREAD:
            opened.popitem(last=False)[1].close()
        return opened[scope].acting_as(caller.name) if caller.key_id else opened[scope]

    def gathering(self, caller: Caller) -> Gathering[Any, Any]:
        """Where this caller's small writes wait for each other: what is written together has one scope and one author."""
        with self._turn:
            return self._gatherings.setdefault((caller.tenant, caller.project, caller.name), Gathering())

    def refresh(self, memory: Memory, caller: Caller, *, patient: bool = False) -> int:
        """Brings the search index up to date, one thread of a tenant at a time: what was written is found by the next search.

        Returns how many changes it still is behind: another process is writing it. `patient`: wait for that one a while.
        """
        with self._turn:
            turn = self._turns.setdefault(caller.tenant, threading.Lock())
        tries = PATIENCE if patient else 1
        for rest in range(tries, 0, -1):
            with turn:
                behind = memory.refresh()
            if not behind or rest == 1:
                break
            time.sleep(PAUSE_SECONDS)
        return behind

    def refresh_soon(self, tenant: str) -> None:
        """Brings a tenant's index up to date within seconds, once for all that is written until then. Searches need not wait for it."""
        with self._turn:
            if tenant in self._due or self._closing.is_set():
                return
            self._due.add(tenant)
            self._behind.submit(self._follow, tenant)

    def _follow(self, tenant: str) -> None:
        self._closing.wait(self._pause)
        with self._turn:
            self._due.discard(tenant)
        caller, began = Caller(tenant, "admin"), time.monotonic()
        with suppress(DiaristError):  # the next search tries again, and says what is wrong
            self.refresh(self.memory(caller), caller)
        self._pause = min(MOST_FOLLOW_SECONDS, max(FOLLOW_SECONDS, FOLLOW_SHARE * (time.monotonic() - began)))

    def close(self) -> None:
        """Waits for what is at work, then lets go of every workspace."""
        with self._turn:
            self._closing.set()
        self._behind.shutdown(wait=True, cancel_futures=True)
        self._pool.shutdown(wait=True, cancel_futures=True)
        for opened in self._all:
            for memory in opened.values():
                with suppress(DiaristError):
                    memory.close()
            opened.clear()
