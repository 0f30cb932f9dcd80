"""The worker: imports the sessions that hooks reported, then ends. Started by hooks; one at a time in a workspace.

It needs no daemon: it stays only while a session is open that has to become idle first, and five minutes at most without
anything happening. Whatever it leaves undone stays in the spool, and the next hook starts another.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from diarist.app.backlog import (
    Backlog,
    Dirty,
    Event,
    Seen,
    forget_shown,
    is_paused,
    read_backlog,
    remove_events,
    set_aside,
    split_due,
    sweep_drafts,
)
from diarist.app.locating import located
from diarist.errors import DiaristError, StoreFullError, StoreLockedError
from diarist.model.use import Told

if TYPE_CHECKING:
    from diarist.app.memory import Memory

IDLE_SECONDS = 90.0
LINGER_SECONDS = 300.0
"""Ends when nothing happened for so long."""
POLL_SECONDS = 2.0
MAX_TRIES = 4
RETRY_SECONDS = 60.0
FORGET_SECONDS = 7 * 86_400.0


class Timing(NamedTuple):
    """The clock and how long the worker waits for what; seconds."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    idle: float = IDLE_SECONDS
    linger: float = LINGER_SECONDS
    poll: float = POLL_SECONDS
    embed: float = 0.0
    """Seconds at a time that records are embedded; 0: not at all."""


class Worker:
    """Works off the spool of one workspace. The caller holds the worker's lock."""

    def __init__(
        self, workspace: Path, open_memory: Callable[[], Memory], say: Callable[[str], None], timing: Timing | None = None
    ) -> None:
        self._workspace = workspace
        self._open_memory = open_memory
        self.say = say
        self._timing = timing or Timing()
        self._may_wait_for_embedding = True
        """False once all was embedded, until something is imported."""

    def run(self, changed: Callable[[], bool] = lambda: False) -> Literal["done", "changed"]:
        """Works until nothing is left that will be due soon; "changed" where the program on disk is another one now."""
        last_progress = self._timing.now()
        while True:
            if changed():
                return "changed"
            worked, next_at = self.step()
            now = self._timing.now()
            if worked:
                last_progress = now
                continue
            if next_at == float("inf") or now - last_progress >= self._timing.linger:
                return "done"
            self._timing.sleep(max(0.05, min(self._timing.poll, next_at - now)))

    def step(self) -> tuple[int, float]:
        """Works off what is due. Returns how many events it took out of the spool, and when the next session will be due."""
        now = self._timing.now()
        if is_paused(self._workspace):
            return 0, float("inf")
        sweep_drafts(self._workspace, now)
        forget_shown(self._workspace, now - FORGET_SECONDS)
        seen = Seen(self._workspace)
        if seen.at_work:
            self._count_death(seen)
        backlog = read_backlog(self._workspace)
        waiting = [session for session in backlog.dirty if self._may_try(seen, session, now)]
        due, next_at = split_due(waiting, now, self._timing.idle, _modified)
        worked = self._work(backlog, due, seen) if due or backlog.used or backlog.broken else 0
        return worked + self._embed(imported=worked > 0), next_at

    def _embed(self, *, imported: bool) -> int:
        """Embeds for a while what waits for it; returns how many records. Sessions that are due meanwhile come next."""
        if not self._timing.embed or not (imported or self._may_wait_for_embedding):
            return 0
        try:
            with self._open_memory() as memory:
                done = memory.embed_pending(self._timing.embed)
        except (DiaristError, OSError) as error:
            self._may_wait_for_embedding = False
            self.say(f"failed error={type(error).__name__}")
            return 0
        self._may_wait_for_embedding = bool(done.left and not done.problem)
        if done.problem:
            seen = Seen(self._workspace)
            seen.complain(self._timing.now(), f"embeddings: {done.problem}")
            seen.save()
        if done.records:
            self.say(f"embedded records={done.records} left={done.left}")
        return done.records

    def _may_try(self, seen: Seen, session: Dirty, now: float) -> bool:
        count, at = seen.tries.get(_key(session), [0, 0.0])
        return not count or now - at >= RETRY_SECONDS * count

    def _work(self, backlog: Backlog, due: list[Dirty], seen: Seen) -> int:
        """Works off what is due, one session at a time: one that cannot be read holds up no other."""
        set_aside(self._workspace, backlog.broken)
        gone: list[Event] = []
        try:
            with self._open_memory() as memory:
                memory.note_use(
                    [Told(event.ids, f"{event.client}:{event.session}", event.at, event.use, event.surface) for event in backlog.used]
                )
                gone += backlog.used
                for session in due:
                    if self._import_safely(memory, session, seen):
                        gone += session.events
        except (DiaristError, OSError) as error:  # the workspace as a whole: all stays where it is
            seen.complain(self._timing.now(), f"{type(error).__name__}: {error}")
            self.say(f"failed error={type(error).__name__}")
            for session in due:
                seen.tries.setdefault(_key(session), [1, self._timing.now()])
        seen.hear(gone)
        seen.save()
        remove_events(self._workspace, (event.name for event in gone))
        return len(gone) + len(backlog.broken)

    def _count_death(self, seen: Seen) -> None:
        """The worker before this one died while it imported a session: that was a failed try, too, or it would be tried for ever."""
        for session in read_backlog(self._workspace).dirty:
            if _key(session) == seen.at_work:
                self._give_up(session, "the worker died while it imported it (out of memory?)", seen)
        seen.at_work = ""
        seen.save()

    def _import_safely(self, memory: Memory, session: Dirty, seen: Seen) -> bool:
        """True where the session's events are done with: imported, or nothing to import."""
        seen.at_work = _key(session)
        seen.save()
        try:
            problem = self._import(memory, session)
        except (StoreLockedError, StoreFullError):
            raise
        except (KeyboardInterrupt, SystemExit):  # stopped from outside: no fault of this session
            seen.at_work = ""
            seen.save()
            raise
        except Exception as error:  # noqa: BLE001 - whatever one session does, the others go on
            problem = f"{type(error).__name__}: {error}" if isinstance(error, DiaristError) else type(error).__name__
        finally:
            seen.at_work = ""
        if problem:
            return self._give_up(session, problem, seen)
        seen.tries.pop(_key(session), None)
        seen.last_import = {"at": self._timing.now(), "client": session.client, "session": session.session}
        return True

    def _import(self, memory: Memory, session: Dirty) -> str:
        """Imports one session; returns what went wrong, empty for nothing."""
        name = f"client={session.client} session={session.session}"
        if not memory.may_capture(session.session, session.cwd):
            self.say(f"left out {name}")
            return ""
        with located(session, self._workspace, memory.find_sessions) as files:
            if not files:
                opened_only = all(event.kind in ("start", "end") for event in session.events)
                return "" if opened_only else "no transcript was found; `diarist ingest PATH` imports it where it lies"
            report = memory.ingest(files)
        lost = [problem.reason for problem in report.problems if problem.lost]
        if not lost:
            self.say(f"imported {name} files={len(files)} events={len(session.events)} entries={len(report.entries)}")
        return lost[0] if lost else ""

    def _give_up(self, session: Dirty, problem: str, seen: Seen) -> bool:
        """Notes a failed try; after the last one the events are set aside, where `status` counts them."""
        tries = seen.fail(_key(session), self._timing.now(), f"session {session.session} of {session.client}: {problem}")
        self.say(f"failed client={session.client} session={session.session} tries={tries}")
        if tries >= MAX_TRIES:
            seen.tries.pop(_key(session), None)
            seen.hear(session.events)
            set_aside(self._workspace, (event.name for event in session.events))
        return False


def _key(session: Dirty) -> str:
    return f"{session.client}:{session.session}"


def _modified(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def program_mark() -> tuple[int, int, int]:
    """Identity of the installed program: another one after an upgrade."""
    status = Path(__file__).parents[1].joinpath("__init__.py").stat()
    return status.st_ino, status.st_mtime_ns, status.st_size
