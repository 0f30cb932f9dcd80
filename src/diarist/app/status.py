"""Is it working? What came in, what waits, what went wrong. Health is progress: the age of the oldest event not worked off."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diarist.app.backlog import MAX_WAIT_SECONDS, Backlog, Seen, is_paused, read_backlog
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

BEHIND_SECONDS = 2 * MAX_WAIT_SECONDS
"""An event older than this should have been worked off."""
MAX_FAULTS = 5


def spool_status(workspace: Path, now: float | None = None) -> dict[str, Any]:
    """What can be told without the store. Times are seconds since 1970, ages seconds.

    `health`: "idle" (nothing was ever captured), "paused", "working" or "behind".
    """
    at = time.time() if now is None else now
    backlog, seen = read_backlog(workspace), Seen(workspace)
    waiting = backlog.events
    oldest = at - min((event.at for event in waiting), default=at)
    return {
        "workspace": str(workspace),
        "health": _health(workspace, bool(seen.clients) or bool(waiting), oldest),
        "paused": is_paused(workspace),
        "clients": clients_seen(backlog, seen),
        "backlog": {
            "events": len(waiting),
            "sessions": len(backlog.dirty),
            "oldest_seconds": round(max(0.0, oldest), 1),
            "set_aside": _count(workspace / "spool" / "failed"),
            "dropped": _size(workspace / "spool" / "dropped"),
        },
        "worker": _worker(workspace),
        "last_import": seen.last_import,
        "errors": [*seen.errors[-MAX_FAULTS:], *_hook_faults(workspace)],
    }


def full_status(box: Toolbox) -> dict[str, Any]:
    """`spool_status` with what the store tells: the last entry, how many there are, and how far the index is behind."""
    told = spool_status(box.settings.workspace)
    last = next(iter(box.store.list_records(RecordFilter(kinds=("entry",)), limit=1)), None)
    told["entries"] = box.store.count_records(RecordFilter(kinds=("entry",)))
    told["last_entry"] = None
    if last is not None:
        told["last_entry"] = {name: getattr(last, name) for name in ("id", "agent", "title", "outcome", "created_at")}
    told["sessions_to_distil"] = len(box.store.list_dirty())
    return told


def clients_seen(backlog: Backlog, seen: Seen) -> dict[str, dict[str, Any]]:
    """By client: how many events were heard, the last one and when."""
    clients = {name: dict(facts) for name, facts in seen.clients.items()}
    for event in backlog.events:
        known = clients.setdefault(event.client, {"events": 0, "at": 0.0, "event": ""})
        known["events"] += 1
        if event.at >= known["at"]:
            known.update(at=event.at, event=event.event or event.use)
    return dict(sorted(clients.items()))


def _health(workspace: Path, ever: bool, oldest: float) -> str:
    if is_paused(workspace):
        return "paused"
    if oldest > BEHIND_SECONDS:
        return "behind"
    return "working" if ever else "idle"


def _worker(workspace: Path) -> dict[str, Any] | None:
    """The process at work, None for none. For people only: nothing is decided by it."""
    try:
        told = json.loads((workspace / "spool" / "worker.json").read_bytes())
        if os.name != "nt":  # there, signal 0 is no question
            os.kill(int(told["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {"pid": int(told["pid"]), "since": float(told.get("since", 0.0)), "version": str(told.get("version", ""))}


def _hook_faults(workspace: Path) -> list[dict[str, Any]]:
    try:
        lines = (workspace / "log" / "hook-faults").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines[-MAX_FAULTS:]:
        at, _, what = line.partition(" ")
        if at.isdigit():
            found.append({"at": int(at) / 1000, "message": f"hook {what}"})
    return found


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
