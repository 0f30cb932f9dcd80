"""What the host of a run may state itself: facts that no transcript shows."""

from __future__ import annotations

from datetime import datetime

import msgspec

from diarist.model.entry import Outcome
from diarist.model.redacted import Redacted
from diarist.model.session import Usage


class HostFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Stated by the program that ran the agent, never by the agent. None or empty: not stated.

    A stated fact wins over what the steps show, with one exception: a run whose host says that verification
    failed is never told as completed or recovered.
    """

    outcome: Outcome | None = None
    verified: bool | None = None
    escalations: int | None = None
    build_attempts: int | None = None
    build_tail: Redacted = Redacted("")
    """End of the last failing build's error output."""
    no_op_repaired: bool = False
    """The agent claimed work but had changed nothing, was told so, and then did it."""
    file_operations: int | None = None
    latency_ms: int | None = None
    route: Redacted = Redacted("")
    """As "paid_model via anthropic/claude-sonnet-4-7"."""
    workflow: Redacted = Redacted("")
    model: Redacted = Redacted("")
    title: Redacted = Redacted("")
    created_at: datetime | None = None
    """End of the run, aware."""
    usage: Usage | None = None
    learned: Redacted = Redacted("")
    tags: tuple[Redacted, ...] = ()
