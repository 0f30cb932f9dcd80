"""What background work is at: on every surface, on both databases, for a tenant's own eyes only."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from conftest import Run
from diarist.app.jobs import JOBS, Due, JobFailedError, run_job
from diarist.app.keys import Grant
from diarist.app.memory import Memory
from diarist.asgi.access import COOKIE
from diarist.bootstrap import DATABASE_URL, open_memory
from diarist.errors import NotFoundError, StoreError
from diarist.model.redacted import Redacted
from diarist.queueing import build_queue, defer, defer_all, prepare, take_over, work
from diarist.serving import Options, build
from diarist.stores.job_queue import QueueBoard, Waiting, merge
from diarist.stores.job_queue import Run as LastRun
from diarist.stores.postgres_schema import ROLE
from hubs import FREE, Asker, make_key, open_hub
from postgres_server import OWNER, Server

OpenTenant = Callable[[str], Memory]
FORM = {"content-type": "application/x-www-form-urlencoded"}
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.make_database()


@pytest.fixture
def opened(tmp_path: Path, url: str) -> OpenTenant:
    return lambda tenant: open_memory(tmp_path / "w", environ={DATABASE_URL: url, "HOME": str(tmp_path)}, tenant=tenant)


@pytest.fixture
def embedded(tmp_path: Path) -> OpenTenant:
    return lambda tenant: open_memory(tmp_path / "ws", tenant=tenant)


def made_token() -> str:
    """Looks like a key of GitHub's."""
    return "ghp" + "_" + secrets.token_hex(18)


def failing(error: Exception) -> Any:
    def fail(_: object, __: str) -> object:
        raise error

    return JOBS["deliver"]._replace(work=fail)


def queued(url: str, opened: OpenTenant, *found: Due) -> None:
    """Makes the queue and puts these into it."""

    async def run() -> None:
        queue = build_queue(url, opened)
        await prepare(queue, url)
        async with queue.open_async():
            for due in found:
                await defer(queue, due)

    asyncio.run(run())


def phases(memory: Memory) -> dict[str, str]:
    return {each.id: each.phase for each in memory.jobs()}


# --- without a server -----------------------------------------------------------------------------------------------------


def test_what_ran_inline_is_remembered_with_how_it_went(embedded: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    run_job(embedded, Due("mine", "local", "team/app"))
    token = made_token()
    monkeypatch.setitem(JOBS, "deliver", failing(StoreError(f"the hub did not take {token}")))
    for _ in range(2):
        with pytest.raises(JobFailedError) as told:
            run_job(embedded, Due("deliver", "local"))
    with embedded("local") as memory:
        deliver, mine = memory.jobs()
        assert (mine.id, mine.phase, mine.attempts, mine.error) == ("mine:team/app", "done", 0, "")
        assert (deliver.id, deliver.phase, deliver.attempts) == ("deliver", "failed", 2)
        assert mine.next_at is not None
        assert mine.ended_at is not None
        assert mine.next_at - mine.ended_at <= timedelta(hours=1, minutes=1)
    assert deliver.error.startswith("StoreError: the hub did not take ")
    assert token not in f"{deliver.error} {told.value}"
    with embedded("sail") as other:
        assert other.jobs() == []


def test_a_message_that_may_quote_a_text_is_not_kept(embedded: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS, "deliver", failing(ValueError("a sentence of somebody's session")))
    with pytest.raises(JobFailedError):
        run_job(embedded, Due("deliver", "local"))
    with embedded("local") as memory:
        assert memory.jobs()[0].error == "ValueError"


def test_by_the_command_line(diarist: Run, tmp_path: Path, embedded: OpenTenant) -> None:
    place = ("--workspace", tmp_path / "ws")
    with embedded("local"):
        pass
    nothing = diarist(*place, "worker", "--status")
    assert (nothing.returncode, "No background work" in nothing.stdout) == (0, True)
    run_job(embedded, Due("tidy", "local"))
    shown = diarist(*place, "worker", "--status")
    assert (shown.returncode, "tidy" in shown.stdout, "done" in shown.stdout) == (0, True, True)
    [told] = json.loads(diarist(*place, "worker", "--status", "--json").stdout)
    assert (told["id"], told["phase"], told["error"]) == ("tidy", "done", "")
    again = json.loads(diarist(*place, "worker", "--retry", "tidy", "--json").stdout)
    assert again[0]["ended_at"] > told["ended_at"]
    refused = diarist(*place, "worker", "--cancel", "tidy")
    assert (refused.returncode, "neither waits nor runs" in refused.stderr) == (1, True)
    assert diarist(*place, "worker", "--retry", "sail").returncode == 1
    assert diarist(*place, "worker", "--json").returncode == 2


def test_over_http_and_in_atlas_with_roles(tmp_path: Path, embedded: OpenTenant) -> None:
    admin, reader = make_key(tmp_path), make_key(tmp_path, "reader", "read")
    narrow, foreign = make_key(tmp_path, "narrow", "admin", project="team/app"), make_key(tmp_path, "foreign", tenant="sail")
    for due in (Due("tidy", "local"), Due("mine", "local", "team/app"), Due("mine", "local", "team/other")):
        run_job(embedded, due)
    with open_hub(tmp_path) as hub:

        def seen(key: str) -> list[str]:
            return [each["id"] for each in Asker(hub, key)("GET", "/v1/jobs").json()["jobs"]]

        told = Asker(hub, admin)("GET", "/metrics").text
        assert "diarist_jobs_done 3\n" in told
        assert "diarist_jobs_failed 0\n" in told
        assert seen(admin) == seen(reader) == ["mine:team/app", "mine:team/other", "tidy"]
        assert (seen(narrow), seen(foreign)) == (["mine:team/app"], [])
        assert Asker(hub, reader)("POST", "/v1/jobs/retry", json={"id": "tidy"}).status_code == 403
        assert Asker(hub, admin)("POST", "/v1/jobs/retry", json={"id": "tidy"}).json()["phase"] == "done"
        assert Asker(hub, admin)("POST", "/v1/jobs/cancel", json={"id": "tidy"}).status_code == 404
        for key in (foreign, narrow):
            assert Asker(hub, key)("POST", "/v1/jobs/retry", json={"id": "mine:team/other"}).status_code == 404

        def visitor(key: str) -> Asker:
            answer = Asker(hub)("POST", "/login", content=f"key={key}", headers=FORM)
            return Asker(hub, headers={"cookie": f"{COOKIE}={answer.cookies[COOKIE]}"})

        person = visitor(admin)
        page = person("GET", "/jobs").text
        assert "team/other" in page
        assert "Run now" in page
        assert "Run now" not in visitor(reader)("GET", "/jobs").text
        assert "team/other" not in visitor(foreign)("GET", "/jobs").text
        token = re.search(r'name="token" value="([0-9a-f]+)"', page)
        assert token is not None
        form = {"token": token[1], "id": "mine:team/other"}
        sent = person("POST", "/jobs/retry", data=form)
        assert (sent.status_code, sent.headers.get("location")) == (303, "/jobs"), sent.text
        assert person("POST", "/jobs/cancel", data=form).status_code == 404


def test_a_file_that_is_damaged_is_made_anew(tmp_path: Path, embedded: OpenTenant) -> None:
    with embedded("local"):
        pass
    (tmp_path / "ws" / "jobs.json").write_bytes(b"\xff{")
    with embedded("local") as memory:
        assert memory.jobs() == []
    run_job(embedded, Due("tidy", "local"))
    with embedded("local") as memory:
        assert phases(memory) == {"tidy": "done"}


# --- on PostgreSQL --------------------------------------------------------------------------------------------------------


def test_a_tenant_sees_and_steers_its_own_jobs_only(url: str, opened: OpenTenant, tmp_path: Path) -> None:
    queued(url, opened, Due("mine", "sail", "harbour"), Due("deliver", "local"), Due("mine", "local", "team/app"))
    with opened("local") as memory:
        assert phases(memory) == {"deliver": "queued", "mine:team/app": "queued"}
        keys = {tenant: memory.add_key(Grant(f"of-{tenant}", "admin", tenant)).secret for tenant in ("local", "sail")}
        with pytest.raises(NotFoundError):
            memory.cancel_job("mine:harbour")
    environ = {DATABASE_URL: url, "HOME": str(tmp_path)}
    hub = build(
        None,
        Options(limits=FREE),
        open_at=lambda tenant, project: open_memory(tmp_path / "w", environ=environ, tenant=tenant, project=project),
    )
    try:
        seen = {tenant: [each["id"] for each in Asker(hub, key)("GET", "/v1/jobs").json()["jobs"]] for tenant, key in keys.items()}
        assert seen == {"local": ["deliver", "mine:team/app"], "sail": ["mine:harbour"]}
        assert Asker(hub, keys["sail"])("POST", "/v1/jobs/cancel", json={"id": "deliver"}).status_code == 404
    finally:
        hub.room.close()
    asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        assert phases(memory)["mine:harbour"] == "done"
        assert not any("team/app" in each for each in phases(memory))
    with psycopg.connect(url) as connection:  # without a tenant, or as another one: row-level security shows nothing
        for tenant, expected in (("", 0), ("nobody", 0)):
            connection.execute("SELECT set_config('diarist.tenant', %s, false)", (tenant,))
            for table in ("runs", "mine"):
                counted = connection.execute(f"SELECT count(*) FROM diarist_jobs.{table}").fetchone()
                assert counted is not None
                assert counted[0] == expected


def test_what_failed_is_shown_and_a_person_has_it_done_at_once(url: str, opened: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    queued(url, opened, Due("deliver", "sail"))
    with monkeypatch.context() as patched:
        patched.setitem(JOBS, "deliver", failing(StoreError(f"no wind for {made_token()}")))
        asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        [state] = memory.jobs()
        assert (state.phase, state.attempts) == ("queued", 1)
        assert state.next_at is not None
        assert state.error.startswith("StoreError: no wind for")
        assert memory.retry_job("deliver").next_at is None
    asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        [state] = memory.jobs()
        assert (state.phase, state.attempts, state.error) == ("done", 0, "")
        assert memory.retry_job("deliver").phase == "queued"
        assert memory.cancel_job("deliver").phase == "cancelled"
        with pytest.raises(NotFoundError):
            memory.cancel_job("deliver")


def test_what_failed_for_good_can_be_tried_again(url: str, opened: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    queued(url, opened, Due("deliver", "sail"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE diarist_jobs.procrastinate_jobs SET attempts = 5 WHERE args->>'tenant' = 'sail'")
    with monkeypatch.context() as patched:
        patched.setitem(JOBS, "deliver", failing(OSError(28, "No space left on device")))
        asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        [state] = memory.jobs()
        assert (state.phase, state.attempts, state.error) == ("failed", 6, "OSError: No space left on device")
        assert memory.retry_job("deliver").phase == "queued"
    asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        assert phases(memory) == {"deliver": "done"}


def test_projects_are_jobs_of_their_own_which_two_workers_share(url: str, opened: OpenTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both plan at once, each job is done once, and they do run side by side: each waits until another one runs."""
    projects = [f"team/app-{number}" for number in range(6)]
    with opened("local") as memory:
        for project in projects:
            memory.add_note(title="A rule", body="Test first.", project=project)
    done: list[str] = []
    both = threading.Barrier(2, timeout=30)

    def meet(_: object, project: str) -> None:
        both.wait()
        done.append(project)

    monkeypatch.setitem(JOBS, "mine", JOBS["mine"]._replace(work=meet))

    async def run() -> None:
        from diarist.app.jobs import plan

        queue = build_queue(url, opened)
        await prepare(queue, url)
        async with queue.open_async():
            found = [due for due in plan(opened, NOON) if due.job == "mine"]
            assert found == [Due("mine", "local", project) for project in projects]
            counts = await asyncio.gather(*(defer_all(queue, found) for _ in range(2)))
            assert sum(counts) == len(projects)
        await asyncio.gather(*(work(url, opened, concurrency=1, wait=False) for _ in range(2)))

    asyncio.run(run())
    assert Counter(done) == Counter(projects)


def test_a_report_that_two_jobs_draft_is_drafted_once(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "diarist"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[synthesis]\nevery = "1d"\n')
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def opener(tenant: str) -> Memory:
        return open_memory(tmp_path / "ws", environ=environ, tenant=tenant)

    with opener("local") as memory:
        for project in ("a/one", "b/two"):
            memory.add_entry(task_id=f"t-{project}", transcript="please build\n$ make\n1 passed", project=project)
        due = JOBS["synthesize"].scopes(memory)
        assert due == ["a/one", "b/two"]
        assert memory.draft_due_reports(project="a/one") == ["a/one"]
        assert memory.draft_due_reports(project="a/one") == []
        assert JOBS["synthesize"].scopes(memory) == ["b/two"]


def test_what_a_dead_worker_had_at_hand_goes_to_another(url: str, opened: OpenTenant) -> None:
    queued(url, opened, Due("tidy", "sail"))
    claim = (
        "SET search_path = diarist_jobs; "
        "WITH gone AS (INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 hour') RETURNING id) "
        "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM gone) WHERE args->>'tenant' = 'sail'"
    )

    async def run() -> int:
        queue = build_queue(url, opened)
        async with queue.open_async():
            return await take_over(queue, url)

    for tries in range(1, 6):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(claim)
        with opened("sail") as memory:
            assert phases(memory) == {"tidy": "running"}
        assert asyncio.run(run()) == 1
        with opened("sail") as memory:
            [state] = memory.jobs()
            assert (state.phase, state.attempts, state.error) == ("queued", tries, "the worker that did it went away")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(claim)
    assert asyncio.run(run()) == 1
    with opened("sail") as memory:
        assert phases(memory) == {"tidy": "failed"}
        memory.retry_job("tidy")
    asyncio.run(work(url, opened, wait=False))
    with opened("sail") as memory:
        assert phases(memory) == {"tidy": "done"}


def test_a_role_with_fewer_rights_works_off_the_queue_but_does_not_make_it(postgres: Server, url: str, opened: OpenTenant) -> None:
    with opened("sail"):
        pass
    postgres.run(f"DO $$ BEGIN CREATE ROLE {ROLE} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    less = url.replace(f"//{OWNER}@", f"//{ROLE}@")

    async def make(address: str) -> None:
        await prepare(build_queue(address, opened), address)

    with pytest.raises(StoreError, match="as the owner"):
        asyncio.run(make(less))
    asyncio.run(make(url))
    asyncio.run(make(less))  # it is there: nothing to make
    board = QueueBoard(less, "sail")
    assert board.queue("tidy", Redacted(""))
    with psycopg.connect(url, autocommit=True) as connection:  # a role that is made later is given its rights later
        connection.execute(f"REVOKE ALL ON SCHEMA diarist_jobs FROM {ROLE}")
    asyncio.run(make(url))
    asyncio.run(work(less, opened, wait=False))
    assert [(state.id, state.phase) for state in board.list_jobs() if state.id == "tidy"] == [("tidy", "done")]


# --- what people are told -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waiting", "run", "expected"),
    [
        ([Waiting(7, "mine", "p", "doing", 0, None)], None, ("running", 1)),
        ([Waiting(7, "mine", "p", "todo", 2, NOON)], ("failed", 2, 7), ("queued", 2)),
        ([Waiting(7, "mine", "p", "failed", 6, None)], ("done", 0, 9), ("done", 0)),
        ([Waiting(7, "mine", "p", "failed", 6, None)], ("running", 6, 7), ("failed", 6)),
        ([Waiting(9, "mine", "p", "cancelled", 0, None)], ("done", 0, 7), ("cancelled", 0)),
        ([Waiting(7, "mine", "p", "failed", 6, None), Waiting(9, "mine", "p", "doing", 0, None)], ("running", 1, 9), ("running", 1)),
        ([], ("running", 1, 7), ("failed", 1)),
        ([], ("done", 0, 7), ("done", 0)),
    ],
)
def test_what_lives_in_the_queue_goes_before_how_the_last_run_ended(
    waiting: list[Waiting], run: tuple[str, int, int] | None, expected: tuple[str, int]
) -> None:
    runs = [] if run is None else [LastRun("mine", "p", run[2], run[0], run[1], "", NOON, NOON)]
    [state] = merge(waiting, runs)
    assert (state.phase, state.attempts) == expected
