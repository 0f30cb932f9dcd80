"""What is to be erased, what an erasure reaches, and its receipt."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

import msgspec


class EraseWish(NamedTuple):
    """What to erase. Filters narrow together; `ids` are added to what they give. `values` are taken out of everything."""

    ids: tuple[str, ...] = ()
    query: str = ""
    session: str = ""
    project: str | None = None
    agent: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    values: tuple[str, ...] = ()

    @property
    def filters(self) -> bool:
        """True where something other than ids and values says what to erase."""
        told = (self.query, self.session, self.agent, self.since, self.before)
        return self.project is not None or any(each not in ("", None) for each in told)


What: TypeAlias = Literal["erased", "rewritten", "earlier revisions erased"]


class Reached(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that an erasure reaches. `because`: the id it was derived from; empty where it was named itself."""

    id: str
    kind: str
    what: What = "erased"
    because: str = ""


class Removal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file to remove. With `digests` only where it is as Diarist wrote it (SHA-256); else it was edited and stays."""

    path: str
    digests: tuple[str, ...] = ()


class Todo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is left to do after the transaction that erased; may be done again to the same effect."""

    files: tuple[Removal, ...] = ()
    chunks: tuple[str, ...] = ()
    sessions: tuple[tuple[str, str], ...] = ()
    """(agent, native id) whose traces in the spool go."""
    targets: tuple[str, ...] = ()
    """Projects whose instruction files are written anew without the lessons that are gone."""
    hub: tuple[str, ...] = ()
    """Paths of documents that a hub elsewhere holds."""
    values: bool = False
    """Every erased value is to be taken out of all that is kept."""


class Receipt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an erasure reached: ids and counts, never texts. `todo` is None once it is done."""

    id: str
    at: datetime
    actor: str
    reached: tuple[Reached, ...] = ()
    sessions: int = 0
    parts: int = 0
    chunks: int = 0
    payloads: int = 0
    files: int = 0
    values: int = 0
    rewritten: int = 0
    """Records and files that held an erased value and were rewritten."""
    kept: tuple[str, ...] = ()
    """Files that somebody edited: they stay, look at them yourself."""
    out_of_reach: tuple[str, ...] = ()
    """Backups made before, and copies elsewhere that could not be reached."""
    residue: tuple[str, ...] | None = None
    """Places where the value was still found afterwards; None: not looked for."""
    todo: Todo | None = None

    @property
    def done(self) -> bool:
        """True once everything was reached."""
        return self.todo is None
