"""Background work: what waits, what runs, what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.errors import NotFoundError
from diarist.web.page import Go, Shown, Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from diarist.model.job import JobState

FIRST = ("failed", "running", "queued", "cancelled", "done")
"""Phases in the order that they are worth looking at."""


def jobs(visit: Visit, problem: str = "", status: int = 200) -> Shown:
    """The jobs of the visitor's tenant, those that failed first."""
    found = sorted(visit.memory.jobs(), key=lambda each: (FIRST.index(each.phase), each.id))
    return Shown("jobs.html", {"jobs": found, "problem": problem, "may": visit.caller.may("admin")}, status)


def retry(visit: Visit) -> Shown | Go:
    """Has a job done now."""
    return _ruled(visit, visit.memory.retry_job)


def cancel(visit: Visit) -> Shown | Go:
    """Takes a job out of the queue."""
    return _ruled(visit, visit.memory.cancel_job)


def _ruled(visit: Visit, rule: Callable[[str], JobState]) -> Shown | Go:
    try:
        rule(visit.form.get("id", ""))
    except NotFoundError as error:
        return jobs(visit, str(error), 404)
    return Go("/jobs")
