"""The jobs of `app.jobs` on PostgreSQL: queued with `procrastinate` in the same database, done once each by whichever worker is free.

A job that waits or runs already is not queued again, one tenant's job runs once at a time for each project, and what failed is tried
again later. What a worker that died had at hand is given to another. The queue's tables lie in a schema of their own, `diarist_jobs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job, Status

from diarist.app.jobs import Due, OpenTenant, plan, run_job
from diarist.errors import StoreError
from diarist.model.job import JobState
from diarist.model.redacted import Redacted, derived
from diarist.stores.job_queue import NAME, SCHEMA, TABLES, QueueBoard
from diarist.stores.postgres_schema import ROLE

MIGRATING = 0x44694A62
RECONNECT_SECONDS = 30.0
"""Tries to reach a database that is away pause ever longer until this has passed, and then begin anew."""
"""The advisory lock of those who make the queue's tables: "DiJb"."""
ATTEMPTS = 6
"""Of one job in all. Pauses between them grow: 4, 16, 64 … seconds."""
LOST_SECONDS = 30.0
"""A worker that was not heard of for so long is gone."""
KEPT_HOURS = 7 * 24
"""How long what failed for good, or was cancelled, stays in the queue's tables."""
GRANTS = f"""
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {ROLE};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {ROLE};
"""
MAY_GRANT = """
SELECT 1 FROM pg_namespace n, pg_roles r
WHERE n.nspname = %(schema)s AND pg_has_role(current_user, n.nspowner, 'USAGE') AND r.rolname = %(role)s
"""


def build_queue(url: str, opened: OpenTenant) -> procrastinate.App:
    """The queue on a PostgreSQL database. `opened` opens a tenant's workspace for a worker's thread."""
    path = {"options": f"-c search_path={SCHEMA}"}
    connector = procrastinate.PsycopgConnector(conninfo=url, kwargs=path, reconnect_timeout=RECONNECT_SECONDS)
    queue = procrastinate.App(connector=connector)

    @queue.task(name=NAME, retry=procrastinate.RetryStrategy(max_attempts=ATTEMPTS - 1, exponential_wait=4), pass_context=True)
    def job(context: procrastinate.JobContext, name: str, tenant: str, project: str) -> None:
        run_job(opened, Due(name, tenant, project), context.job.attempts + 1)

    @queue.periodic(cron="* * * * *")
    @queue.task(name="diarist.plan", queueing_lock="plan")
    async def plan_minute(timestamp: int) -> None:
        await take_over(queue, url)
        await defer_all(queue, await asyncio.to_thread(plan, opened, datetime.fromtimestamp(timestamp, UTC)))
        await queue.job_manager.delete_old_jobs(KEPT_HOURS, include_failed=True, include_cancelled=True, include_aborted=True)

    return queue


async def defer_all(queue: procrastinate.App, found: Iterable[Due]) -> int:
    """Queues what is due, but for what runs just now: its next time is soon enough. Returns how many jobs that were."""
    busy = {job.lock for job in await queue.job_manager.list_jobs_async(task=NAME, status=Status.DOING.value)}
    return sum([await defer(queue, due) for due in found if lock_of(due) not in busy])


async def defer(queue: procrastinate.App, due: Due) -> bool:
    """Queues a job; False where the same one waits already."""
    lock = lock_of(due)
    try:
        await queue.configure_task(NAME, lock=lock, queueing_lock=lock).defer_async(name=due.job, tenant=due.tenant, project=due.project)
    except AlreadyEnqueued:
        return False
    return True


def lock_of(due: Due) -> str:
    """Under one of these at most one job runs, and at most one waits."""
    return ":".join(due)


async def take_over(queue: procrastinate.App, url: str, lost: float = LOST_SECONDS) -> int:
    """Gives what dead workers had at hand to others; one that killed several is given up. Returns how many jobs that were."""
    stalled = list(await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=lost))
    for job in stalled:
        again = job.attempts + 1 < ATTEMPTS
        if job.task_name == NAME:
            await asyncio.to_thread(_note_lost, url, job)
        with suppress(ConnectorException):  # the same job waits already: then this one need not
            if again:
                await queue.job_manager.retry_job(job, retry_at=datetime.now(UTC))
                continue
        await queue.job_manager.finish_job(job, Status.FAILED, delete_job=again or job.task_name != NAME)
    return len(stalled)


def _note_lost(url: str, job: Job) -> None:
    told: Any = job.task_kwargs
    state = JobState(
        job=told["name"],
        project=Redacted(told["project"]),
        phase="failed",
        attempts=job.attempts + 1,
        error=derived("the worker that did it went away"),
        ended_at=datetime.now(UTC),
    )
    QueueBoard(url, told["tenant"]).note(state)


async def prepare(queue: procrastinate.App, url: str) -> None:
    """Makes the queue's tables where there are none yet; several workers may try at once.

    Raises
    ------
    StoreError
        The role may not make them, and nobody else has.
    """
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        try:
            if not await _is_there(connection, "runs"):
                await _make(connection, queue)
            if await (await connection.execute(MAY_GRANT, {"schema": SCHEMA, "role": ROLE})).fetchone():
                await connection.execute(GRANTS.encode())
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreError("the queue is not there yet, and this role may not make it. Start one worker as the owner first.") from error


async def _make(connection: psycopg.AsyncConnection[Any], queue: procrastinate.App) -> None:
    if not await _is_there(connection, "procrastinate_jobs"):
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.execute(f"SET LOCAL search_path = {SCHEMA}")
        await connection.execute(queue.schema_manager.get_schema().encode())
    await connection.execute(TABLES.encode())


async def _is_there(connection: psycopg.AsyncConnection[Any], table: str) -> bool:
    """The catalog is asked, not the name looked up: that needs no right to the schema."""
    query = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s"
    return await (await connection.execute(query, (SCHEMA, table))).fetchone() is not None


async def work(url: str, opened: OpenTenant, *, concurrency: int = 2, wait: bool = True) -> None:
    """Works off the queue, for ever or (`wait=False`) until it is empty. SIGINT and SIGTERM end it when what is at work is done."""
    queue = build_queue(url, opened)
    await prepare(queue, url)
    async with queue.open_async():
        await queue.run_worker_async(
            concurrency=concurrency,
            wait=wait,
            install_signal_handlers=wait,
            delete_jobs="successful",
            stalled_worker_timeout=LOST_SECONDS,
        )


def count_jobs(url: str) -> dict[str, int]:
    """Jobs in the queue by state (todo, doing, failed, …); empty where there is no queue yet."""
    with psycopg.connect(url) as connection:
        found: Any = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.procrastinate_jobs",)).fetchone()
        if found[0] is None:
            return {}
        jobs = psycopg.sql.Identifier(SCHEMA, "procrastinate_jobs")
        counted = connection.execute(psycopg.sql.SQL("SELECT status::text, count(*) FROM {} GROUP BY 1 ORDER BY 1").format(jobs))
        return dict(counted.fetchall())
