"""A route: all that is said of an operation, for the server, for OpenAPI and for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.http_api.asked import Nothing

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.asgi.workroom import Workroom
    from diarist.model.access import Caller, Role


class Call(NamedTuple):
    """One request, checked. `memory` is open in the scope of the caller's key."""

    caller: Caller
    memory: Memory
    room: Workroom
    base_url: str
    ids: Mapping[str, str]
    """Path parameters."""
    query: Any
    body: Any
    headers: Mapping[str, str]
    upload: bytes | None = None
    """The body, for a streamed route."""

    def url(self, record_id: str) -> str:
        """The record's page in Atlas."""
        return f"{self.base_url}/kb/{record_id}"


class Reply(NamedTuple):
    """An answer with more than a body."""

    value: msgspec.Struct
    status: int = 200
    headers: Mapping[str, str] = {}


class Route(NamedTuple):
    """An operation. `role`: what the key must allow."""

    method: str
    path: str
    name: str
    """operationId."""
    summary: str
    role: Role
    tag: str
    handle: Callable[[Call], msgspec.Struct | Reply]
    result: type[msgspec.Struct]
    query: type[msgspec.Struct] = Nothing
    body: type[msgspec.Struct] | None = None
    status: int = 200
    may_fail: tuple[int, ...] = ()
    """Further statuses a client must expect."""
    writes: bool = False
    once: bool = False
    """Takes an Idempotency-Key; its answers hold ids and numbers only."""
    streamed: bool = False
    """The body is a transcript of any size, as it is."""
    many: bool = False
    """The body is a list of `body`, as a JSON array or as JSON lines, each checked by itself: a `Lines`."""
    follows: bool = False
    """It comes in great numbers: the search index follows behind, and a search brings it up to date first."""

    def parameters(self) -> list[str]:
        """Names in the path."""
        return [part[1:-1].partition(":")[0] for part in self.path.split("/") if part.startswith("{")]
