"""Rows of the store's machinery: what models cost and what a hub has yet to take. No dependency beyond the standard library."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Spending(NamedTuple):
    """What calls to models took. `micro_usd`: millionths of a US dollar."""

    calls: int = 0
    tokens: int = 0
    micro_usd: int = 0


class Delivery(NamedTuple):
    """A record whose document a hub has yet to take. `problem`: why the last try failed; never its text."""

    record_id: str
    attempts: int
    next_at: datetime
    problem: str = ""
