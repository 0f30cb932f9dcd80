"""`/mcp` over streamable HTTP: an ASGI app to mount in `serve`. Both eras of the protocol on one endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings

if TYPE_CHECKING:
    from mcp.server import MCPServer

KeyCheck = Callable[[str], bool]
"""Is this a key that may write? Asked with what follows `Bearer ` in the Authorization header, or with `x-api-key`."""


class McpApp:
    """Answers `/mcp`. Requests with a write key reach the server that writes, all others the one that only reads.

    Mount it at "/" after all other routes, and enter `lifespan()` in the parent's lifespan.
    """

    def __init__(
        self, reading: MCPServer, writing: MCPServer | None, may_write: KeyCheck, *, hosts: Sequence[str] = (), origins: Sequence[str] = ()
    ) -> None:
        self._may_write = may_write
        self._servers = [server for server in (reading, writing) if server is not None]
        self._apps = [_app(server, hosts, origins) for server in self._servers]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        key = _key(scope.get("headers") or ()) if scope["type"] == "http" else ""
        app = self._apps[-1] if len(self._apps) > 1 and key and self._may_write(key) else self._apps[0]
        await app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Must be open while requests are answered."""
        async with AsyncExitStack() as stack:
            for server in self._servers:
                await stack.enter_async_context(server.session_manager.run())
            yield


def _app(server: MCPServer, hosts: Sequence[str], origins: Sequence[str]) -> Any:
    """No session is kept: any node can answer any request. `hosts`, `origins`: beside the loopback addresses."""
    local = ("127.0.0.1", "localhost", "[::1]")
    security = TransportSecuritySettings(
        allowed_hosts=[*(form for name in (*local, *hosts) for form in (name, f"{name}:*"))],
        allowed_origins=[*(f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in local for port in ("", ":*")), *origins],
    )
    return server.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)


def _key(headers: Any) -> str:
    for name, value in headers:
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            return str(value[7:].decode("latin-1").strip())
        if name == b"x-api-key":
            return str(value.decode("latin-1").strip())
    return ""
