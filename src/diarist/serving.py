"""`diarist serve`: the hub's HTTP API, MCP and Atlas as one ASGI app, and the process that serves it."""

from __future__ import annotations

import asyncio
import functools
import gc
import ipaddress
import logging
import os
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route

import diarist
from diarist.app.jobs import JobFailedError, plan, run_job
from diarist.asgi.access import Doorkeeper
from diarist.asgi.following import follow
from diarist.asgi.guard import Guard, JsonLines, Limits
from diarist.asgi.metrics import CONTENT_TYPE, Metrics
from diarist.asgi.problems import Problem, problem_of, tell
from diarist.asgi.tracing import make_trace
from diarist.asgi.workroom import OWNER, OpenMemory, Workroom
from diarist.bootstrap import DATABASE_URL, build_crew, open_memory
from diarist.config import load_settings
from diarist.errors import DiaristError, UsageError
from diarist.http_api.endpoint import Desk, Turns, endpoints
from diarist.http_api.openapi import describe
from diarist.http_api.table import ROUTES
from diarist.model.job import PHASES
from diarist.web.site import problem_page
from diarist.web.site import routes as pages

if TYPE_CHECKING:
    from diarist.app.crew import Crew
    from diarist.app.memory import Memory
    from diarist.mcp_server.http import McpApp
    from diarist.model.access import Caller

JOB_SECONDS = 60.0
GRACE_SECONDS = 10
BACKLOG = 2048
SWITCH_SECONDS = 0.001
"""Of the interpreter: the event loop must not wait long behind threads that compute."""
COLLECT_EVERY = 20_000
"""New objects after which it looks for cycles: requests make many objects and few cycles, and the usual 700 took a tenth of the time."""


class Options(NamedTuple):
    """How to serve. `hosts`: names it answers to beside the loopback ones; `base_url`: where people reach Atlas."""

    host: str = "127.0.0.1"
    port: int = 7788
    hosts: Sequence[str] = ()
    base_url: str = ""
    limits: Limits = Limits()


class Hub(NamedTuple):
    """The app, and what to close after it."""

    app: Guard
    room: Workroom
    metrics: Metrics


def build(workspace: str | Path | None, options: Options, *, open_at: OpenMemory | None = None) -> Hub:
    """The ASGI app over a workspace. `open_at`: how to open one, for tests."""
    crew = build_crew(workspace)
    opener = open_at or functools.partial(_open, workspace, crew)
    room = Workroom(opener)
    door = Doorkeeper(room, open_house=is_loopback(options.host))
    metrics = Metrics()
    base_url = (options.base_url or f"http://{_shown(options.host)}:{options.port}").rstrip("/")
    desk = Desk(room, door, base_url, Turns())
    mcp = _mcp(room, base_url, options)
    own: list[BaseRoute] = [*_service_routes(room, door, metrics), *endpoints(ROUTES, desk), *pages(room, door)]

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with mcp.lifespan():
            on_server = bool(os.environ.get(DATABASE_URL))  # then `diarist worker --queue` does the background work
            beside = follow(room, lambda: opener("local", None)) if on_server else _work_inline(room, opener)
            tasks = [asyncio.create_task(beside)]
            yield
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if crew is not None:
                crew.close()

    handlers: Any = {HTTPException: _http_error, Problem: _problem, DiaristError: _own_error, Exception: _problem}
    inner = Starlette(routes=[*own, Mount("/", app=_McpDoor(mcp, room, door, own))], lifespan=lifespan, exception_handlers=handlers)
    limits = options.limits._replace(hosts=(*options.limits.hosts, *options.hosts, *_own_name(options.host)))
    return Hub(Guard(cast("Any", inner), limits, metrics, make_trace(os.environ)), room, metrics)


def _open(workspace: str | Path | None, crew: Crew | None, tenant: str, project: str | None) -> Memory:
    memory = open_memory(workspace, tenant=tenant, project=project)
    memory.crew = crew
    return memory


def serve(workspace: str | None, options: Options, say: Callable[[str], None]) -> int:
    """Serves until it is told to stop; requests at work are finished first. Returns the exit code.

    Raises
    ------
    UsageError
        The address is not a loopback one and there is no key: everybody who reaches it could read everything.
    """
    import uvicorn

    with open_memory(workspace) as memory:  # also makes the workspace, and says early what is wrong with it
        keys = [key for key in memory.api_keys() if key.is_good(memory.now())]
    if not is_loopback(options.host) and not keys:
        raise UsageError(
            f"{options.host} can be reached from other machines, and there is no key yet: everybody could read everything. "
            "Make one with `diarist keys add NAME --role admin`, or serve on 127.0.0.1."
        )
    listener = listen(options)
    options = options._replace(port=listener.getsockname()[1])
    hub = build(workspace, options)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded stays for good
    gc.set_threshold(COLLECT_EVERY, 20, 20)
    _log_to(sys.stderr)
    config = uvicorn.Config(
        hub.app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=64 << 10,
    )
    server = uvicorn.Server(config)
    say(f"Serving {load_settings(workspace).workspace} on http://{_shown(options.host)}:{options.port} ({_told(len(keys))}).")
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()
        hub.room.close()
    return 0 if server.started else 1


def listen(options: Options) -> socket.socket:
    """The address, taken: whoever cannot have it is told before anything else happens. Port 0: any that is free.

    Raises
    ------
    UsageError
        Another process has it, or this machine has no such address.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(
            options.host.strip("[]"), options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.create_server(place[:2], family=family, backlog=BACKLOG)
        # Inherited by each connection. Head and body of an answer are two packets; without this the second waits 40 ms for the client.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {options.host}, port {options.port}: {error.strerror or error}. Choose another with --port or --host."
        ) from error
    made.set_inheritable(True)
    return made


def start(workspace: str | None, **told: Any) -> int:
    """What the command line asks for, in its own words; see `cli.serve`."""
    limits = Limits(body_bytes=told["body_bytes"], stream_bytes=told["stream_bytes"], per_minute=told["rate"])
    options = Options(told["host"], told["port"], tuple(told["hosts"]), told["base_url"], limits)
    return serve(workspace, options, lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201 - for people, beside the log


def is_loopback(host: str) -> bool:
    """Can only this machine reach the address?"""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


# --- what is no operation of the hub --------------------------------------------------------------------------------------


def _service_routes(room: Workroom, door: Doorkeeper, metrics: Metrics) -> list[BaseRoute]:
    described = describe(ROUTES)

    async def health(_: Request) -> Response:
        """The process is alive."""
        return JSONResponse({"status": "ok", "version": diarist.__version__})

    async def ready(_: Request) -> Response:
        """Store and index can be used."""
        try:
            told = await room.run(lambda: (room.memory().last_change(), room.memory().index_status()))
            if "problem" in told[1]:
                return JSONResponse({"status": "not ready", "error": "IndexUnavailableError"}, 503)
        except DiaristError as error:
            return JSONResponse({"status": "not ready", "error": type(error).__name__}, 503)
        return JSONResponse({"status": "ready"})

    async def openapi(_: Request) -> Response:
        return JSONResponse(described)

    async def told_metrics(request: Request) -> Response:
        def work() -> str:
            caller = door.by_header(request.headers)
            if caller is None:
                raise Problem(401, "metrics need a key with the role read", {"www-authenticate": 'Bearer realm="diarist"'})
            if caller.tenant != OWNER.tenant or caller.project is not None:
                raise Problem(403, "metrics tell of the whole hub; use a key of its own tenant without a project")
            memory = room.memory()
            status = memory.index_status()
            jobs = Counter(each.phase for each in memory.jobs())
            gauges = {f"jobs_{phase}": jobs[phase] for phase in PHASES}
            gauges |= {"changes_total": memory.last_change(), "index_behind": status["behind"], "records": status["records"]}
            return metrics.render(gauges)

        return PlainTextResponse(await room.run(work), media_type=CONTENT_TYPE)

    return [
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", told_metrics),
        Route("/v1/openapi.json", openapi),
    ]


async def _work_inline(room: Workroom, opener: OpenMemory) -> None:
    """The embedded server's background work: each minute what is due, one after the other, beside the requests."""

    def opened(tenant: str) -> Memory:
        return opener(tenant, None)

    planned = datetime.now(UTC)
    while True:
        await asyncio.sleep(JOB_SECONDS)
        now = datetime.now(UTC)
        try:
            found = await room.run(functools.partial(plan, opened, now, planned))
        except (DiaristError, OSError) as error:
            logging.getLogger("diarist.serve").warning("planning failed: %s", type(error).__name__)
            continue
        planned = now
        for due in found:
            try:
                await room.run(functools.partial(run_job, opened, due))
            except JobFailedError as error:  # what one job meets holds up no other; it is due again later
                logging.getLogger("diarist.serve").warning("job %s failed: %s", due.job, error.cause)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return await _problem(request, Problem(error.status_code, "", dict(error.headers or {})))


async def _problem(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if _is_for_people(request):
        return problem_page(problem)
    told = tell(problem)
    return Response(told.body, told.status, told.headers)


async def _own_error(request: Request, error: Exception) -> Response:
    if problem_of(error).status == 500:
        raise error  # to be logged as any other fault
    return await _problem(request, error)


def _is_for_people(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(("/v1/", "/mcp"))


# --- MCP ------------------------------------------------------------------------------------------------------------------

_caller: ContextVar[Caller] = ContextVar("diarist-caller", default=OWNER)


class _Seen:
    """The workspace as the caller of the request at hand may see it: whatever is asked of it is asked of that one's `Memory`."""

    def __init__(self, room: Workroom) -> None:
        self._room = room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._room.memory(_caller.get()), name)


class _McpDoor:
    """Asks for a key before MCP, and remembers who calls for as long as the request lasts. Stands after all routes (`before`)."""

    def __init__(self, app: McpApp, room: Workroom, door: Doorkeeper, before: Sequence[BaseRoute]) -> None:
        self._app = app
        self._room = room
        self._door = door
        self._before = before

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") != "/mcp":
            partly = [route for route in self._before if isinstance(route, Route) and route.matches(scope)[0] is Match.PARTIAL]
            allowed = sorted({method for route in partly for method in route.methods or ()})
            raise HTTPException(405, headers={"allow": ", ".join(allowed)}) if allowed else HTTPException(404)
        scope["diarist.route"] = "/mcp"
        request = Request(scope)
        caller = await self._room.run(lambda: self._door.by_header(request.headers))
        if caller is None:
            raise Problem(401, "show a key as a bearer or in x-api-key", {"www-authenticate": 'Bearer realm="diarist"'})
        scope["diarist.key"], scope["diarist.tenant"] = caller.key_id, caller.tenant
        kept = _caller.set(caller)
        try:
            await self._app(scope, receive, send)
        finally:
            _caller.reset(kept)


def _mcp(room: Workroom, base_url: str, options: Options) -> McpApp:
    from diarist.mcp_server.http import McpApp
    from diarist.mcp_server.server import build_server

    def opened() -> Memory:
        return cast("Memory", _Seen(room))

    def tell_use(record_id: str, verdict: str, session: str) -> None:
        room.memory(_caller.get()).feedback(record_id, verdict, session=session or _caller.get().key_id or "mcp")

    def may_write(_: str) -> bool:
        return _caller.get().may("write")

    def words(error: DiaristError) -> str:
        return problem_of(error).detail

    reading = build_server(opened, base_url=base_url, tell=tell_use, words=words)
    writing = build_server(opened, base_url=base_url, tell=tell_use, write=True, words=words)
    origins = [f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in options.hosts for port in ("", ":*")]
    return McpApp(reading, writing, may_write, hosts=[*options.hosts, *_own_name(options.host)], origins=origins)


# --- words ----------------------------------------------------------------------------------------------------------------


def _log_to(stream: Any) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger("diarist")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    root.propagate = False  # a library may have given the root logger a handler of its own
    for name in ("uvicorn.error", "mcp", "psycopg.pool"):
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger(name).propagate = False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _own_name(host: str) -> list[str]:
    """The address itself as a name, unless it is that of every interface."""
    return [] if host.strip("[]") in ("0.0.0.0", "::") else [host.strip("[]").lower()]  # noqa: S104 - compared, not bound


def _told(keys: int) -> str:
    return f"{keys} key{'s' if keys != 1 else ''}" if keys else "no key needed: only this machine can reach it"
