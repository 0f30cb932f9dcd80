"""Background work of a server, as one table.

A job does what is due in one tenant's workspace. It may be called at any time, twice, or not at all: nothing is lost by that. The
embedded server runs them one after the other; on PostgreSQL `diarist.queueing` hands them to any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from diarist.app.memory import Memory

EMBED_SECONDS = 50.0
OpenTenant = Callable[[str], "Memory"]


class Job(NamedTuple):
    """`minutes`: how often it is due. `scoped`: once for each project; else `work` is given an empty name."""

    minutes: int
    work: Callable[[Memory, str], object]
    scoped: bool = False


class Due(NamedTuple):
    """One job for one tenant, or one project of it."""

    job: str
    tenant: str
    project: str = ""


JOBS: dict[str, Job] = {
    "deliver": Job(1, lambda memory, _: memory.deliver()),
    "embed": Job(1, lambda memory, _: memory.embed_pending(EMBED_SECONDS)),
    "synthesize": Job(10, lambda memory, _: memory.draft_due_reports()),
    "mine": Job(60, lambda memory, project: memory.mine_patterns(project=project), scoped=True),
}


def run_job(opened: OpenTenant, due: Due) -> None:
    """Does one job. Raises what it raises; who called it decides whether it is tried again."""
    with opened(due.tenant) as memory:
        JOBS[due.job].work(memory, due.project)


def plan(opened: OpenTenant, now: datetime) -> list[Due]:
    """Everything that is due in this minute, sorted by tenant and job. Tenants are those that some key opens, and the hub's own."""
    minute = int(now.timestamp()) // 60
    names = [name for name, job in sorted(JOBS.items()) if minute % job.minutes == 0]
    if not names:
        return []
    with opened("local") as memory:
        tenants = sorted({"local", *(key.opens for key in memory.api_keys())})
    return [due for tenant in tenants for due in _of_tenant(opened, tenant, names)]


def _of_tenant(opened: OpenTenant, tenant: str, names: list[str]) -> list[Due]:
    projects: list[str] = []
    if any(JOBS[name].scoped for name in names):
        with opened(tenant) as memory:
            projects = sorted({scope.project for scope in memory.scopes()})
    return [Due(name, tenant, project) for name in names for project in (projects if JOBS[name].scoped else [""])]
