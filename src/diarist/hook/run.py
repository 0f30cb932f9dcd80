"""The command itself: `diarist hook <event> --client <name> [--workspace PATH]`."""

from __future__ import annotations

import os
import sys

from diarist.app import spool
from diarist.hook import payload as payloads
from diarist.hook.places import truthy, workspace_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEADLINE_SECONDS = 8.0
"""Whatever happens, the client is not kept longer than this."""


def main(arguments: list[str]) -> int:
    """Handles one event. Returns 0 always: nothing that goes wrong here may break the agent's work."""
    workspace = ""
    try:
        event, client, workspace = _options(arguments)
        kind = payloads.kind_of(event)
        if kind:
            _watch()
            _handle(kind, event, client, workspace, payloads.parse(_standard_input()))
    except BaseException as error:  # noqa: BLE001 - a panic of a native library must not reach the client either
        if workspace:
            spool.note_fault(workspace, " ".join(arguments[:1]), type(error).__name__)
    return 0


def _handle(kind: str, event: str, client: str, workspace: str, payload: dict[str, Any]) -> None:
    if truthy(os.environ.get("DIARIST_DISABLE")):
        spool.leave_out(workspace, payloads.session_of(payload))
        return
    cwd = payloads.folder_of(payload)
    if not payload or spool.paused(workspace) or spool.ignored(cwd):
        return
    captured = kind in payloads.CAPTURED
    if captured:
        spool.add_event(workspace, payloads.event_of(kind, event, client, payload))
    if kind == "compact":
        spool.forget_shown(workspace, payloads.session_of(payload))
    if kind in ("start", "prompt", "tool"):
        import gc

        gc.set_threshold(200_000)  # the process ends in a moment; collecting what importing leaves would take a twentieth of its time
        from diarist.hook.inject import inject

        inject(kind, event, client, workspace, payload)
    if captured:
        from diarist.app.wake import wake

        wake(workspace)


def _options(arguments: list[str]) -> tuple[str, str, str]:
    """Event, client and workspace. Anything else is ignored: a newer plugin may say more than this version knows."""
    event, client, workspace = "", "", ""
    rest = iter(arguments)
    for argument in rest:
        name, _, value = argument.partition("=")
        if name in ("--client", "--workspace"):
            value = value or next(rest, "")
            client, workspace = (value, workspace) if name == "--client" else (client, value)
        elif not argument.startswith("-") and not event:
            event = argument
    environ = os.environ if not workspace else {**os.environ, "DIARIST_HOME": workspace}
    return event, client or "claude-code", workspace_folder(environ)


def _standard_input() -> bytes:
    pieces, size = [], 0
    while size < payloads.MAX_BYTES:
        piece = os.read(0, 1 << 20)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _watch() -> None:
    """Ends the process at the deadline, in whatever library it waits."""
    import _thread
    import time

    def end() -> None:
        time.sleep(DEADLINE_SECONDS)
        os._exit(0)

    _thread.start_new_thread(end, ())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
