"""The usefulness ledger: what was shown to whom, and whether it helped."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

USES = ("shown", "fetched", "helped", "harmful", "ignored", "followed", "refuted")
"""shown: put before an agent unasked; fetched: an agent asked for it; the others are told afterwards."""


class Use(NamedTuple):
    """One row: a record and what became of it in a session ("client:native id")."""

    record_id: str
    session: str
    at: datetime
    event: str
    """One of `USES`."""


class Scope(NamedTuple):
    """How many active records of a kind an agent has in a project."""

    project: str
    kind: str
    agent: str
    records: int
