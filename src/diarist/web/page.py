"""A page: who visits, what is asked, what is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.asgi.access import Doorkeeper
    from diarist.asgi.workroom import Workroom
    from diarist.model.access import Caller, Role
    from diarist.web.kept import Shelf


class Visit(NamedTuple):
    """One request of a person. `memory` is open in the scope of the visitor's key."""

    caller: Caller
    memory: Memory
    room: Workroom
    door: Doorkeeper
    token: str
    """What every form carries."""
    ids: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    lively: bool
    """htmx asks for a part of the page."""
    keyed: bool
    """A key was needed, so there is something to sign out of."""
    shelf: Shelf

    @property
    def scope(self) -> tuple[str, str | None]:
        """What the visitor's key reaches: whatever is kept is kept by it."""
        return self.caller.tenant, self.caller.project

    @property
    def who(self) -> str:
        """Who decides or writes, for the history; "" for the owner, who goes by the workspace's own name."""
        return self.caller.name if self.caller.key_id else ""


class Shown(NamedTuple):
    """A template and its values."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


class Go(NamedTuple):
    """The browser goes to another page. `cookie`: to set; "" to take away; None: leave it."""

    address: str
    cookie: str | None = None


class Raw(NamedTuple):
    """Something that is no page."""

    body: bytes
    kind: str
    headers: Mapping[str, str] = {}
    status: int = 200


class Page(NamedTuple):
    """A row of the table of pages."""

    method: str
    path: str
    handle: Callable[[Visit], Shown | Go | Raw]
    role: Role = "read"
    methods: Sequence[str] = ()


def number_of(text: str, default: int = 0, most: int = 1_000_000) -> int:
    """A whole number of a query; the default for anything else."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else default
