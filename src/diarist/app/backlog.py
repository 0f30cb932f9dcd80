"""The spool as the worker sees it: what waits, which sessions are due, and what is known of earlier events."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from diarist.app.spool import events_folder, make_private, paused, shown_folder

SETTLE_SECONDS = 1.0
"""Clients write transcripts behind their events: a file must have been left alone for so long."""
MAX_WAIT_SECONDS = 900.0
"""A session that is never idle is read on after so long."""
STALE_DRAFT_SECONDS = 600.0
_FIELDS = ("kind", "client", "session", "event", "transcript", "agent_transcript", "cwd", "use", "surface")


class Event(NamedTuple):
    """One event in the spool. `at` is in seconds since 1970; absent fields are empty."""

    name: str
    """Its file's name, by which it is removed."""
    at: float
    kind: str
    client: str = ""
    session: str = ""
    event: str = ""
    transcript: str = ""
    agent_transcript: str = ""
    cwd: str = ""
    ids: tuple[str, ...] = ()
    """kind "used": the records that were shown or spoken about."""
    use: str = ""
    """kind "used": shown, helped, harmful, …"""
    surface: str = ""
    """kind "used": where, as "hook:prompt"."""


class Dirty(NamedTuple):
    """A session with events that have not been worked off, oldest first."""

    client: str
    session: str
    events: tuple[Event, ...]

    @property
    def last(self) -> float:
        """When it was last heard of."""
        return max(event.at for event in self.events)

    @property
    def first(self) -> float:
        """Since when it waits."""
        return min(event.at for event in self.events)

    @property
    def cwd(self) -> str:
        """Where it ran, as last told."""
        return next((event.cwd for event in reversed(self.events) if event.cwd), "")

    def transcripts(self) -> list[Path]:
        """The files its events name, the session's own first, each once."""
        named = [event.transcript for event in self.events] + [event.agent_transcript for event in self.events]
        return [Path(path) for path in dict.fromkeys(named) if path and "\0" not in path]


class Backlog(NamedTuple):
    """All that waits: dirty sessions (by first event), and events that are applied as they are."""

    dirty: tuple[Dirty, ...]
    used: tuple[Event, ...]
    broken: tuple[str, ...]
    """Names of files that hold no event."""

    @property
    def events(self) -> list[Event]:
        """Every event, oldest first."""
        return sorted([event for session in self.dirty for event in session.events] + list(self.used))


def read_backlog(workspace: Path) -> Backlog:
    """What waits in the spool of a workspace; nothing where there is none."""
    folder = Path(events_folder(str(workspace)))
    events, broken = [], []
    for name in _names(folder):
        try:
            events.append(_event(name, (folder / name).read_bytes()))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            broken.append(name)
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        if event.kind != "used":
            groups.setdefault((event.client, event.session), []).append(event)
    dirty = tuple(Dirty(client, session, tuple(found)) for (client, session), found in groups.items())
    return Backlog(dirty, tuple(event for event in events if event.kind == "used"), tuple(broken))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))  # noqa: PTH208
    except FileNotFoundError:
        return []


def _event(name: str, raw: bytes) -> Event:
    told = json.loads(raw)
    if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
        raise ValueError("not an object of strings")
    at = int(told.get("at") or name[:20]) / 1000 if told.get("at") else int(name[:20]) / 1e9
    fields = {field: told.get(field, "") for field in _FIELDS}
    if not fields["kind"]:
        raise ValueError("no kind")
    return Event(name, at, ids=tuple(told.get("ids", "").split()), **fields)


def split_due(dirty: Sequence[Dirty], now: float, idle: float, modified: Callable[[Path], float | None]) -> tuple[list[Dirty], float]:
    """Sessions to import now, and when (seconds since 1970) the next of the others will be due; infinity for none.

    A session is due when it ended, when a later session of its client started, when it has been idle, or when it has
    waited long. `modified` tells when a file was last written, None for one that is not there.
    """
    due, next_at = [], float("inf")
    for session in dirty:
        at = _due_at(session, dirty, idle, modified)
        if at <= now:
            due.append(session)
        next_at = min(next_at, at) if at > now else next_at
    return due, next_at


def _due_at(session: Dirty, dirty: Sequence[Dirty], idle: float, modified: Callable[[Path], float | None]) -> float:
    written = max((at for path in session.transcripts() if (at := modified(path)) is not None), default=0.0)
    if _over(session, dirty):
        return max(session.last, written) + SETTLE_SECONDS
    return min(max(session.last, written) + idle, session.first + max(idle, MAX_WAIT_SECONDS))


def _over(session: Dirty, dirty: Iterable[Dirty]) -> bool:
    """True where it ended or is about to lose its beginning, or its client has gone on to another session."""
    if session.events[-1].kind in ("end", "compact"):
        return True
    starts = (event for other in dirty if other.client == session.client and other.session != session.session for event in other.events)
    return any(event.kind == "start" and event.at > session.last for event in starts)


def remove_events(workspace: Path, names: Iterable[str]) -> None:
    """Takes events out of the spool; ones that are gone already are no fault."""
    folder = Path(events_folder(str(workspace)))
    for name in names:
        (folder / name).unlink(missing_ok=True)


def set_aside(workspace: Path, names: Iterable[str]) -> None:
    """Moves events that cannot be worked off out of the way, to `spool/failed`, where `status` counts them."""
    folder, failed = Path(events_folder(str(workspace))), Path(workspace, "spool", "failed")
    make_private(str(failed))
    for name in names:
        try:
            (folder / name).replace(failed / name)
        except FileNotFoundError:
            continue


def sweep_drafts(workspace: Path, now: float) -> None:
    """Removes what hooks that were killed in the middle of writing left."""
    for path in Path(events_folder(str(workspace))).glob(".*.tmp"):
        try:
            if now - path.stat().st_mtime > STALE_DRAFT_SECONDS:
                path.unlink()
        except FileNotFoundError:
            continue


# --- what was heard of each client, kept when its events are gone -----------------------------------------------------


class Seen:
    """`spool/seen.json`: by client the last event and how many there were, the last import, what is at work, failed tries and errors."""

    MAX_ERRORS = 20

    def __init__(self, workspace: Path) -> None:
        self._path = Path(workspace, "spool", "seen.json")
        try:
            told = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            told = {}
        told = told if isinstance(told, dict) else {}
        self.clients: dict[str, dict[str, Any]] = told.get("clients", {})
        self.tries: dict[str, list[float]] = told.get("tries", {})
        """By session: number of failed tries, and when the last one was."""
        self.errors: list[dict[str, Any]] = told.get("errors", [])
        self.last_import: dict[str, Any] = told.get("last_import", {})
        self.at_work: str = told.get("at_work", "")
        """The session that is being imported; of a worker that died, the one it died at."""

    def hear(self, events: Iterable[Event]) -> None:
        """Counts events that are about to leave the spool."""
        for event in events:
            known = self.clients.setdefault(event.client, {"events": 0, "at": 0.0, "event": ""})
            known["events"] += 1
            if event.at >= known["at"]:
                known.update(at=event.at, event=event.event or event.use)

    def fail(self, key: str, at: float, message: str) -> int:
        """Notes a failed try; returns how many there were."""
        count = int(self.tries.get(key, [0, 0])[0]) + 1
        self.tries[key] = [count, at]
        self.complain(at, message)
        return count

    def complain(self, at: float, message: str) -> None:
        """Notes an error for `status`."""
        self.errors = [*self.errors, {"at": at, "message": message}][-self.MAX_ERRORS :]

    def save(self) -> None:
        """Writes it down, whole or not at all."""
        make_private(str(self._path.parent))
        draft = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        told = {
            "clients": self.clients,
            "tries": self.tries,
            "errors": self.errors,
            "last_import": self.last_import,
            "at_work": self.at_work,
        }
        draft.write_text(json.dumps(told), encoding="utf-8")
        draft.replace(self._path)


def is_paused(workspace: Path) -> bool:
    """True while the user has paused Diarist in this workspace."""
    return paused(str(workspace))


# --- what a session was shown, so that it is not shown again ----------------------------------------------------------


def claim_shown(workspace: str, session: str, kind: str, ids: Iterable[str]) -> bool:
    """Says that records are about to be shown in a session. False where all of them were, on an occasion of this kind.

    Of several hooks that fire for one event (a plugin beside the settings), one gets True.
    """
    folder = Path(shown_folder(workspace, session))
    make_private(str(folder))
    new = False
    for each in ids:
        try:
            (folder / f"{kind}-{each}").touch(mode=0o600, exist_ok=False)
            new = True
        except FileExistsError:
            continue
    return new


def forget_shown(workspace: Path, before: float) -> None:
    """Removes what is noted of sessions in which nothing was shown since a time (seconds since 1970)."""
    for folder in Path(workspace, "spool", "shown").glob("*"):
        with suppress(OSError):
            if folder.stat().st_mtime < before:
                for mark in folder.iterdir():
                    mark.unlink()
                folder.rmdir()
