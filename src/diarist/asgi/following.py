"""A node of several on one PostgreSQL: what another node wrote is in this node's search index before anybody asks for it.

Every search looks into the change log by itself, so that nothing depends on being told; this spares it the work.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from diarist.errors import DiaristError

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.asgi.workroom import Workroom

LISTEN_SECONDS = 1.0
PAUSE_SECONDS = 2.0
"""Before it tries again where the server is away."""
_log = logging.getLogger("diarist.serve")


async def follow(room: Workroom, opened: Callable[[], Memory]) -> None:
    """Listens until it is cancelled, in a thread of its own. `opened`: a workspace for that thread alone."""
    stop = threading.Event()
    heard: asyncio.Queue[set[str]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def listen() -> None:
        with opened() as memory:
            while not stop.is_set():
                try:
                    tenants = memory.listen(LISTEN_SECONDS)
                except DiaristError as error:
                    _log.warning("not following: %s", type(error).__name__)
                    stop.wait(PAUSE_SECONDS)
                    continue
                if tenants:
                    loop.call_soon_threadsafe(heard.put_nowait, tenants)

    listening = asyncio.create_task(asyncio.to_thread(listen))
    try:
        while True:
            for tenant in sorted(await heard.get()):
                room.refresh_soon(tenant)
    finally:
        stop.set()
        await asyncio.wait([listening])
