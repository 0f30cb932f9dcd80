"""What the queue on PostgreSQL is at, as one tenant may see it.

The queue's own tables (`procrastinate`) hold what waits and runs, of all tenants; they are read through a view that shows a tenant its
own. How the last run of each job went is in a table of ours, `runs`, under row-level security like every table of a tenant.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg

from diarist.errors import StoreError
from diarist.model.job import JobState
from diarist.model.redacted import Redacted
from diarist.stores.postgres import describe
from diarist.stores.postgres_errors import translate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCHEMA = "diarist_jobs"
NAME = "diarist.job"
"""Of the task that every job is."""
WAIT_SECONDS = 10
TABLES = f"""
CREATE TABLE IF NOT EXISTS {SCHEMA}.runs (
    tenant TEXT NOT NULL, job TEXT NOT NULL, project TEXT NOT NULL, queue_id BIGINT NOT NULL, phase TEXT NOT NULL,
    attempts INTEGER NOT NULL, error TEXT NOT NULL, started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ,
    PRIMARY KEY (tenant, job, project));
ALTER TABLE {SCHEMA}.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE {SCHEMA}.runs FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_only ON {SCHEMA}.runs;
CREATE POLICY tenant_only ON {SCHEMA}.runs USING (tenant = current_setting('diarist.tenant', true))
    WITH CHECK (tenant = current_setting('diarist.tenant', true));
CREATE OR REPLACE VIEW {SCHEMA}.mine WITH (security_barrier) AS
    SELECT id, args->>'name' AS job, args->>'project' AS project, status::text AS status, attempts, scheduled_at
    FROM {SCHEMA}.procrastinate_jobs
    WHERE task_name = '{NAME}' AND args->>'tenant' = current_setting('diarist.tenant', true);
"""  # noqa: S608 - names of our own only
"""Beside the queue's own; may be run again."""
_NOTE = f"""
INSERT INTO {SCHEMA}.runs VALUES (%(tenant)s, %(job)s, %(project)s,
    coalesce((SELECT max(id) FROM {SCHEMA}.mine WHERE job = %(job)s AND project = %(project)s AND status = 'doing'), 0),
    %(phase)s, %(attempts)s, %(error)s, %(started_at)s, %(ended_at)s)
ON CONFLICT (tenant, job, project) DO UPDATE SET queue_id = greatest(excluded.queue_id, {SCHEMA}.runs.queue_id),
    phase = excluded.phase, attempts = excluded.attempts, error = excluded.error,
    started_at = excluded.started_at, ended_at = excluded.ended_at
"""  # noqa: S608 - names of our own only


class Waiting(NamedTuple):
    """A job as the queue has it. `status`: todo, doing, failed, cancelled or aborted."""

    id: int
    job: str
    project: str
    status: str
    attempts: int
    scheduled_at: datetime | None


class Run(NamedTuple):
    """The last run of a job, as a worker told."""

    job: str
    project: str
    queue_id: int
    phase: str
    attempts: int
    error: str
    started_at: datetime | None
    ended_at: datetime | None


class QueueBoard:
    """The port `JobBoard` on a PostgreSQL server. `only`: the one project whose jobs are seen; None: all."""

    def __init__(self, url: str, tenant: str, *, only: str | None = None) -> None:
        self._url = url
        self._tenant = tenant
        self._only = only

    def note(self, state: JobState) -> None:
        """Takes the place of what was known of that job. A server that is away loses the note, not the job."""
        told = {name: getattr(state, name) for name in ("job", "project", "phase", "attempts", "error", "started_at", "ended_at")}
        with contextlib.suppress(StoreError), self._connected() as connection:
            if _has_queue(connection):
                connection.execute(_NOTE, {"tenant": self._tenant, **told})

    def list_jobs(self) -> list[JobState]:
        """Each job once, sorted by id; empty where no worker ever made the queue. Raises StoreError."""
        with self._connected() as connection:
            if not _has_queue(connection):
                return []
            where = psycopg.sql.SQL("" if self._only is None else "WHERE project = %(only)s")
            jobs = psycopg.sql.SQL("SELECT id, job, project, status, attempts, scheduled_at FROM {} {} ORDER BY id")
            runs = psycopg.sql.SQL("SELECT job, project, queue_id, phase, attempts, error, started_at, ended_at FROM {} {}")
            bound = {"only": self._only}
            waiting = connection.execute(jobs.format(psycopg.sql.Identifier(SCHEMA, "mine"), where), bound).fetchall()
            ended = connection.execute(runs.format(psycopg.sql.Identifier(SCHEMA, "runs"), where), bound).fetchall()
        return merge([Waiting(*row) for row in waiting], [Run(*row) for row in ended])

    def queue(self, job: str, project: Redacted) -> bool:
        """Has it done as soon as a worker is free: what waits for a later try is tried now. False where there is no queue yet."""
        with self._connected() as connection:
            if not _has_queue(connection):
                return False
            table = psycopg.sql.Identifier(SCHEMA, "procrastinate_jobs")
            found = connection.execute(
                psycopg.sql.SQL("UPDATE {} SET scheduled_at = NULL WHERE id = ANY (%s) AND status = 'todo'").format(table),
                (self._ids(connection, job, project, "todo"),),
            )
            if found.rowcount:
                return True
            failed = self._ids(connection, job, project, "failed")
        self._defer(job, project, failed)
        return True

    def cancel(self, job: str, project: Redacted) -> bool:
        """Takes it out of the queue; one that runs ends, and is not tried again should it fail. False where neither is so."""
        with self._connected() as connection:
            if not _has_queue(connection):
                return False
            found = [each for status in ("todo", "doing") for each in self._ids(connection, job, project, status)]
        with _queue(self._url) as queue:
            cancelled: list[bool] = [queue.job_manager.cancel_job_by_id(each, abort=True) for each in found]
        return any(cancelled)

    def _defer(self, job: str, project: str, failed: Sequence[int]) -> None:
        """A failed job is tried again as itself, so that its attempts go on being counted."""
        from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

        with _queue(self._url) as queue, contextlib.suppress(AlreadyEnqueued):
            with contextlib.suppress(ConnectorException):  # another one has been queued, or somebody retried it just now
                for each in failed[-1:]:
                    queue.job_manager.retry_job_by_id(each, datetime.now(UTC))
                    return
            lock = f"{job}:{self._tenant}:{project}"
            queue.configure_task(NAME, lock=lock, queueing_lock=lock).defer(name=job, tenant=self._tenant, project=project)

    def _ids(self, connection: psycopg.Connection[Any], job: str, project: str, status: str) -> list[int]:
        found = connection.execute(
            psycopg.sql.SQL("SELECT id FROM {} WHERE job = %s AND project = %s AND status = %s ORDER BY id").format(
                psycopg.sql.Identifier(SCHEMA, "mine")
            ),
            (job, project, status),
        )
        return [row[0] for row in found]

    @contextlib.contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of the tenant's for a moment: a board is asked seldom, and must not wait for the writers' turn."""
        try:
            with psycopg.connect(self._url, autocommit=True, connect_timeout=WAIT_SECONDS) as connection:
                connection.execute("SELECT set_config('diarist.tenant', %s, false)", (self._tenant,))
                connection.execute(f"SET search_path = {SCHEMA}")  # the queue's triggers look its names up
                yield connection
        except psycopg.Error as error:
            raise translate(error, describe(self._url), wait=WAIT_SECONDS) from error


def merge(waiting: Sequence[Waiting], runs: Sequence[Run]) -> list[JobState]:
    """What a person wants to know of each job, from what the queue holds (sorted by id) and how the last runs went. Sorted by id."""
    queued: dict[tuple[str, str], list[Waiting]] = {}
    for each in waiting:
        queued.setdefault((each.job, each.project), []).append(each)
    ended = {(each.job, each.project): each for each in runs}
    found = [_state(*key, queued.get(key, []), ended.get(key)) for key in queued.keys() | ended.keys()]
    return sorted(found, key=lambda each: each.id)


def _state(job: str, project: str, waiting: Sequence[Waiting], run: Run | None) -> JobState:
    phase, attempts, next_at = _phase(waiting, run)
    return JobState(
        job=job,
        project=Redacted(project),
        phase=phase,
        attempts=attempts,
        error=Redacted(run.error if run else ""),
        started_at=_utc(run.started_at) if run else None,
        ended_at=_utc(run.ended_at) if run and phase != "running" else None,
        next_at=_utc(next_at),
    )


def _phase(waiting: Sequence[Waiting], run: Run | None) -> tuple[Any, int, datetime | None]:
    """Phase, attempts and time of the next try: what lives in the queue goes before how the last run ended."""
    tries = run.attempts if run else 0
    for status, phase in (("doing", "running"), ("todo", "queued")):
        live = [each for each in waiting if each.status == status]
        if live:
            return phase, max(tries, live[-1].attempts + (status == "doing")), live[-1].scheduled_at
    last = waiting[-1] if waiting else None
    if last is not None and (run is None or last.id > run.queue_id or run.phase == "running"):
        return ("failed" if last.status == "failed" else "cancelled"), max(tries, last.attempts), None
    assert run is not None
    return (run.phase if run.phase != "running" else "failed"), tries, None


def _has_queue(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.runs",)).fetchone()
    return bool(row and row[0])


def _queue(url: str) -> Any:
    import procrastinate

    connector = procrastinate.SyncPsycopgConnector(conninfo=url, kwargs={"options": f"-c search_path={SCHEMA}"}, min_size=1, max_size=1)
    return procrastinate.App(connector=connector).open()


def _utc(at: datetime | None) -> datetime | None:
    return at.astimezone(UTC) if at else None
