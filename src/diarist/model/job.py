"""What a piece of background work is at."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias, get_args

import msgspec

from diarist.model.redacted import Redacted

JobPhase: TypeAlias = Literal["queued", "running", "failed", "done", "cancelled"]
PHASES: tuple[JobPhase, ...] = get_args(JobPhase)


class JobState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One job of a tenant, for one project or (`project` empty) for all of it: how its last run went, and when the next is due."""

    job: str
    project: Redacted = Redacted("")
    phase: JobPhase
    attempts: int = 0
    """Runs since it last went well."""
    error: Redacted = Redacted("")
    """Why the last run failed; empty where it did not."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    next_at: datetime | None = None
    """When it is tried again, or due again; None: as soon as somebody is free, or not known."""

    @property
    def id(self) -> str:
        """`mine:github.com/team/app`, or `deliver` for a job of the whole tenant."""
        return f"{self.job}:{self.project}" if self.project else self.job
