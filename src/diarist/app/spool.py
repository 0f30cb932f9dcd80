"""The spool: what hooks leave behind for the worker. One small file an event, ids and paths only, never content.

The writing half. A hook imports it before every turn of an agent, so it loads nothing but what the interpreter has loaded
anyway; the reading half is `app.backlog`. Layout, below the workspace:

    spool/events/<nanoseconds>-<pid>-<random>.json   one event: a JSON object of strings
    spool/dropped                                    one byte for each event there was no room for
    spool/worker.lock                                held by the one worker
    spool/shown/<session>/<occasion>-<id>            what the session was shown already
    log/hook-faults                                  what went wrong in hooks: time, place, type of the error
    paused                                           there while capture and recall are paused; may hold when that ends
    left-out/<session>                               a session that its user opted out of
"""

# pathlib, json and typing would cost a hook more than all it does.
# ruff: noqa: PTH102, PTH104, PTH108, PTH110, PTH112, PTH116, PTH118, PTH120, PTH208, PTH123
from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_EVENTS = 20_000
"""More waiting than this: new events are counted in `dropped` only. The worker is out of order then, and `status` says so."""
MAX_FAULT_BYTES = 65_536
MAX_DROPPED = 1_000_000


def events_folder(workspace: str) -> str:
    """Where events wait."""
    return os.path.join(workspace, "spool", "events")


def add_event(workspace: str, event: Mapping[str, str]) -> bool:
    """Leaves an event, on disk when this returns. False where the spool is full.

    The folder is made if it is missing. Raises OSError where it cannot be written.
    """
    folder = events_folder(workspace)
    try:
        waiting = len(os.listdir(folder))
    except FileNotFoundError:
        make_private(folder)
        waiting = 0
    if waiting >= MAX_EVENTS:
        _append(os.path.join(workspace, "spool", "dropped"), b".", MAX_DROPPED)
        return False
    now = time.time_ns()
    name = f"{now:020d}-{os.getpid()}-{os.urandom(4).hex()}.json"
    draft = os.path.join(folder, f".{name}.tmp")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, to_json({"at": str(now // 1_000_000), **event}).encode("ascii"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(draft, os.path.join(folder, name))
    _sync(folder)
    return True


def make_private(folder: str) -> None:
    """A folder and what is missing above it, for their owner alone: `os.makedirs` gives the mode to the last one only."""
    if not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            return  # another hook was faster


def to_json(event: Mapping[str, str]) -> str:
    """A flat object of strings as JSON, without loading `json`."""
    try:
        from _json import encode_basestring_ascii as quoted
    except ImportError:  # not CPython
        from json.encoder import py_encode_basestring_ascii as quoted

    return "{" + ",".join(f"{quoted(name)}:{quoted(value)}" for name, value in event.items()) + "}"


def paused(workspace: str) -> bool:
    """True while the user has paused Diarist in this workspace."""
    try:
        with open(os.path.join(workspace, "paused"), "rb") as file:
            until = file.read(32).strip()
    except OSError:
        return False
    return not until.isdigit() or time.time() < int(until)


def ignored(cwd: str) -> bool:
    """True where the project that `cwd` is in opted out as a whole: its `.diarist/ignore` is there and empty.

    Patterns in that file are read by the worker.
    """
    folder = cwd
    while folder:
        try:
            return os.stat(os.path.join(folder, ".diarist", "ignore")).st_size == 0
        except OSError:
            pass
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = parent
    return False


def leave_out(workspace: str, session: str) -> None:
    """Remembers that the user opted out of a session, so that no later import takes it. Nothing where there is no workspace."""
    if not session or not os.path.isdir(workspace):
        return
    folder = os.path.join(workspace, "left-out")
    make_private(folder)
    os.close(os.open(os.path.join(folder, safe_name(session)), os.O_WRONLY | os.O_CREAT, 0o600))


def left_out(workspace: str, session: str) -> bool:
    """True for a session that its user opted out of."""
    return bool(session) and os.path.exists(os.path.join(workspace, "left-out", safe_name(session)))


def safe_name(session: str) -> str:
    """File name that stands for a session; the ids of all known clients stay as they are."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "-_") else f"%{ord(char):X}" for char in session)[:200]


def forget_shown(workspace: str, session: str) -> None:
    """Lets everything be shown again in a session: its context is about to be compacted, and what was shown goes with it."""
    folder = shown_folder(workspace, session)
    try:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    except OSError:
        pass


def shown_folder(workspace: str, session: str) -> str:
    """Where it is noted what hooks have shown in a session."""
    return os.path.join(workspace, "spool", "shown", safe_name(session or "unknown"))


def note_fault(workspace: str, place: str, error: str) -> None:
    """Writes down that a hook failed, for `diarist status`. Never raises."""
    try:
        folder = os.path.join(workspace, "log")
        make_private(folder)
        line = f"{time.time_ns() // 1_000_000} {place} {error}\n"
        _append(os.path.join(folder, "hook-faults"), line.encode("ascii", "replace"), MAX_FAULT_BYTES)
    except OSError:
        pass


def _append(path: str, data: bytes, limit: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(descriptor).st_size < limit:
            os.write(descriptor, data)
    finally:
        os.close(descriptor)


def _sync(folder: str) -> None:
    """Makes the names in a folder durable; Windows does it by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
