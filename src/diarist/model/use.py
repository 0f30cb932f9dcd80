"""The usefulness ledger: what was shown to whom, what came of it, and whether it helped. No dependency beyond the standard library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

USES = ("shown", "fetched", "helped", "harmful", "ignored", "followed", "refuted")
"""shown: put before an agent; fetched: an agent asked for this very record; the others are told afterwards."""
VERDICTS = USES[2:]
"""What somebody may say of a record."""
_SAME = {"helpful": "helped"}


def event_of(told: str) -> str:
    """The event of `USES` that a verdict as people say it means; what is none stays as it is."""
    return _SAME.get(told, told)


class Use(NamedTuple):
    """One row: a record and what became of it in a session ("agent:native id"; of a person: "person:name")."""

    record_id: str
    session: str
    at: datetime
    event: str
    """One of `USES`."""
    surface: str = ""
    """Where it was shown or told: "hook:prompt", "mcp:recall", "cli:search", …; empty: not known."""
    place: int = 0
    """Its place in the list that was shown, from 1; 0: not known."""


class Told(NamedTuple):
    """What a surface tells of records: they were shown in this order, or somebody said something of them."""

    ids: Sequence[str]
    session: str
    at: float
    """Seconds since 1970."""
    event: str
    surface: str = ""


class Effect(NamedTuple):
    """What came of a record in a session that was shown it."""

    record_id: str
    session: str
    at: datetime
    """When it was first shown or spoken about."""
    entry_id: str = ""
    """The diary entry of the session; empty before it was imported, and for people."""
    cited: bool = False
    """The agent named its id in what it said or did."""
    followed: str = ""
    """"command" or "file": the first one of its fix that turned up after it was shown and not before; empty: none did."""
    error_gone: bool | None = None
    """Whether the session got past an error that the record tells how to get past; None: it met none."""
    outcome: str = ""
    verified: bool | None = None
    verdict: str = ""
    """One of `VERDICTS`: the last one told in or about the session; empty: none."""
    points: int = 0
    """The session's vote on the record, -2 to 2; see `stages.usefulness`."""


class Tally(NamedTuple):
    """All effects of one record, counted. One session has one vote, however often it was shown the record."""

    record_id: str
    sessions: int = 0
    cited: int = 0
    followed: int = 0
    errors_gone: int = 0
    errors_left: int = 0
    helped: int = 0
    """Sessions whose vote is for it."""
    harmed: int = 0
    points_for: int = 0
    points_against: int = 0
    """Not negative."""


class Shown(NamedTuple):
    """How often, and to how many sessions, one record was shown."""

    record_id: str
    times: int = 0
    sessions: int = 0


class Scope(NamedTuple):
    """How many active records of a kind an agent has in a project."""

    project: str
    kind: str
    agent: str
    records: int


class EntryCount(NamedTuple):
    """How many entries ended so, by UTC day (ISO date), project and agent."""

    day: str
    project: str
    agent: str
    outcome: str
    entries: int
