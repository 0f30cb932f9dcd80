"""Background work: the same jobs inline and from a queue on PostgreSQL, each done once by whoever is free."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from conftest import Run
from diarist.app.jobs import JOBS, Due, plan, run_job
from diarist.app.keys import Grant
from diarist.app.memory import Memory
from diarist.bootstrap import DATABASE_URL, open_memory
from diarist.queueing import build_queue, count_jobs, defer, prepare, work
from postgres_server import Server

MIDNIGHT = datetime(2026, 3, 4, tzinfo=UTC)
OpenTenant = Callable[[str], Memory]


@pytest.fixture
def opened(tmp_path: Path, postgres: Server) -> OpenTenant:
    environ = {DATABASE_URL: postgres.make_database(), "HOME": str(tmp_path)}
    return lambda tenant: open_memory(tmp_path / "w", environ=environ, tenant=tenant)


def url_of(opened: OpenTenant) -> str:
    with opened("local") as memory:
        return memory._box.environ[DATABASE_URL]


def waiting(url: str, tenant: str) -> list[tuple[str, int]]:
    """State and tries of a tenant's jobs; a worker also plans those of the minute it is started in."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT status::text, attempts FROM diarist_jobs.procrastinate_jobs WHERE args->>'tenant' = %s AND status <> 'succeeded'",
            (tenant,),
        )
        return found.fetchall()


def test_what_is_due_is_planned_for_every_tenant_and_project(tmp_path: Path) -> None:
    def opened(tenant: str) -> Memory:
        return open_memory(tmp_path, tenant=tenant)

    with opened("local") as memory:
        memory.add_key(Grant("ada", tenant="sail"))
    with opened("sail") as memory:
        memory.add_note(title="Wind", body="It turns at dawn.", project="harbour")
    assert Due("mine", "sail", "harbour") in plan(opened, MIDNIGHT)
    assert {due.job for due in plan(opened, MIDNIGHT.replace(minute=1))} == {"deliver", "embed"}
    assert {due.tenant for due in plan(opened, MIDNIGHT.replace(minute=1))} == {"local", "sail"}
    for due in plan(opened, MIDNIGHT):
        run_job(opened, due)


def test_a_job_that_waits_is_not_queued_twice_and_is_done_once(opened: OpenTenant) -> None:
    url, done, lock = url_of(opened), [], threading.Lock()

    def noted(tenant: str) -> Memory:
        with lock:
            done.append(tenant)
        return opened(tenant)

    async def run() -> None:
        queue = build_queue(url, opened)
        await asyncio.gather(*(prepare(queue, url) for _ in range(3)))
        async with queue.open_async():
            assert await defer(queue, Due("deliver", "local"))
            assert not await defer(queue, Due("deliver", "local"))
            assert await defer(queue, Due("deliver", "sail"))
        assert count_jobs(url) == {"todo": 2}
        await asyncio.gather(*(work(url, noted, wait=False) for _ in range(3)))

    asyncio.run(run())
    assert done.count("sail") == 1
    assert not waiting(url, "sail")


def test_what_fails_is_tried_again_later(opened: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    url = url_of(opened)

    def fail(_: object, __: str) -> object:
        raise OSError("no wind")

    monkeypatch.setitem(JOBS, "deliver", JOBS["deliver"]._replace(work=fail))

    async def run() -> None:
        queue = build_queue(url, opened)
        await prepare(queue, url)
        async with queue.open_async():
            await defer(queue, Due("deliver", "sail"))
        await work(url, opened, wait=False)

    asyncio.run(run())
    assert waiting(url, "sail") == [("todo", 1)]


def test_a_worker_by_the_command_line(diarist: Run, environ: dict[str, str], opened: OpenTenant, tmp_path: Path) -> None:
    refused = diarist("worker", "--queue", "--once")
    assert refused.returncode == 2
    assert DATABASE_URL in refused.stderr
    environ[DATABASE_URL] = url_of(opened)
    assert diarist("--workspace", tmp_path / "w", "worker", "--queue", "--once").returncode == 0
    command = [sys.executable, "-m", "diarist", "--workspace", str(tmp_path / "w"), "worker", "--queue"]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=3)
    finally:
        process.terminate()
        _, told = process.communicate(timeout=30)
    assert process.returncode in (0, -15), told.decode()
    assert os.environ.get(DATABASE_URL) is None
