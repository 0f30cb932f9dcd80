"""`diarist mcp`: a client's own server, on its standard streams."""

from __future__ import annotations

import os
import time

from diarist.app.spool import add_event
from diarist.config import load_settings, truthy
from diarist.mcp_server.reading import Tell


def serve(workspace: str | None, *, write: bool = False) -> int:
    """Serves until the client closes standard input; returns 0. Messages for people go to standard error only."""
    from diarist.bootstrap import open_memory
    from diarist.mcp_server.server import build_server

    settings = load_settings(workspace)
    writes = write or truthy(os.environ.get("DIARIST_MCP_WRITE"))
    place = settings.workspace
    server = build_server(
        lambda: open_memory(place, read_only=not writes),
        base_url=settings.get("atlas.url"),
        tell=through_spool(str(place)),
        write=writes,
        owned=True,
    )
    server.run("stdio")
    return 0


def through_spool(workspace: str) -> Tell:
    """Leaves feedback for the worker: a server that only reads writes nothing into the store."""

    def tell(record_id: str, verdict: str, session: str) -> None:
        told = {"kind": "used", "use": verdict, "client": "mcp", "session": session or f"mcp-{os.getpid()}", "ids": record_id}
        add_event(workspace, {**told, "surface": "mcp", "event": f"feedback-{time.time_ns() // 1_000_000_000}"})

    return tell
