"""`/v1/jobs`: what the background work of the caller's tenant is at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.asgi.reading import iso
from diarist.http_api.answered import Job, Jobs

if TYPE_CHECKING:
    from diarist.http_api.route import Call
    from diarist.model.job import JobState


def list_jobs(call: Call) -> Jobs:
    """Each job of each project once: how its last run went, and when it is due again."""
    return Jobs(jobs=[_job(each) for each in call.memory.jobs()])


def retry_job(call: Call) -> Job:
    """Has a job done now, by the next free worker; on SQLite before this is answered."""
    return _job(call.memory.retry_job(call.body.id))


def cancel_job(call: Call) -> Job:
    """Takes a job out of the queue; it comes again when it is next due."""
    return _job(call.memory.cancel_job(call.body.id))


def _job(state: JobState) -> Job:
    return Job(
        id=state.id,
        job=state.job,
        project=state.project,
        phase=state.phase,
        attempts=state.attempts,
        error=state.error,
        started_at=iso(state.started_at) or None,
        ended_at=iso(state.ended_at) or None,
        next_at=iso(state.next_at) or None,
    )
