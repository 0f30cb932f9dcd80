"""The jobs of `app.jobs` on PostgreSQL: queued with `procrastinate` in the same database, done once each by whichever worker is free.

A job that waits already is not queued again, one tenant's job runs once at a time, and what failed is tried again later. The queue's
tables lie in a schema of their own, `diarist_jobs`.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued

from diarist.app.jobs import Due, OpenTenant, plan, run_job

SCHEMA = "diarist_jobs"
MIGRATING = 0x44694A62
"""The advisory lock of those who make the queue's tables: "DiJb"."""
ATTEMPTS = 6
"""Pauses between them grow: 4, 16, 64 … seconds."""
NAME = "diarist.job"


def build_queue(url: str, opened: OpenTenant) -> procrastinate.App:
    """The queue on a PostgreSQL database. `opened` opens a tenant's workspace for a worker's thread."""
    connector = procrastinate.PsycopgConnector(conninfo=url, kwargs={"options": f"-c search_path={SCHEMA}"})
    queue = procrastinate.App(connector=connector)

    @queue.task(name=NAME, retry=procrastinate.RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=4))
    def job(name: str, tenant: str, project: str) -> None:
        run_job(opened, Due(name, tenant, project))

    @queue.periodic(cron="* * * * *")
    @queue.task(name="diarist.plan", queueing_lock="plan")
    async def plan_minute(timestamp: int) -> None:
        for due in await asyncio.to_thread(plan, opened, datetime.fromtimestamp(timestamp, UTC)):
            await defer(queue, due)

    return queue


async def defer(queue: procrastinate.App, due: Due) -> bool:
    """Queues a job; False where the same one waits already."""
    lock = ":".join(due)
    try:
        await queue.configure_task(NAME, lock=lock, queueing_lock=lock).defer_async(name=due.job, tenant=due.tenant, project=due.project)
    except AlreadyEnqueued:
        return False
    return True


async def prepare(queue: procrastinate.App, url: str) -> None:
    """Makes the queue's tables where there are none yet; several workers may try at once."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        found: Any = await (await connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.procrastinate_jobs",))).fetchone()
        if found[0] is None:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            await connection.execute(f"SET LOCAL search_path = {SCHEMA}")
            await connection.execute(queue.schema_manager.get_schema().encode())


async def work(url: str, opened: OpenTenant, *, concurrency: int = 2, wait: bool = True) -> None:
    """Works off the queue, for ever or (`wait=False`) until it is empty. SIGINT and SIGTERM end it when what is at work is done."""
    queue = build_queue(url, opened)
    await prepare(queue, url)
    async with queue.open_async():
        await queue.run_worker_async(concurrency=concurrency, wait=wait, install_signal_handlers=wait, delete_jobs="successful")


def count_jobs(url: str) -> dict[str, int]:
    """Jobs in the queue by state (todo, doing, failed, …); empty where there is no queue yet."""
    with psycopg.connect(url) as connection:
        found: Any = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.procrastinate_jobs",)).fetchone()
        if found[0] is None:
            return {}
        jobs = psycopg.sql.Identifier(SCHEMA, "procrastinate_jobs")
        counted = connection.execute(psycopg.sql.SQL("SELECT status::text, count(*) FROM {} GROUP BY 1 ORDER BY 1").format(jobs))
        return dict(counted.fetchall())
