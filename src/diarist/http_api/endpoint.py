"""From a row of the table to an endpoint: reads the request, asks who calls, checks, handles, answers."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, MutableMapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from diarist.asgi.access import Doorkeeper
from diarist.asgi.bodies import STREAMED, may_be_large
from diarist.asgi.problems import Problem, problem_of, tell
from diarist.asgi.workroom import Workroom
from diarist.http_api.asked import Nothing
from diarist.http_api.many import read_many
from diarist.http_api.route import Call, Reply, Route
from diarist.model.access import Answer

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.model.access import Caller

KEPT = timedelta(hours=24)
"""How long a repeated request is answered as before."""
MAX_KEY = 200
MAX_PATH = 1000


class Desk(NamedTuple):
    """What endpoints share."""

    room: Workroom
    door: Doorkeeper
    base_url: str
    turns: Turns


class Turns:
    """One request at a time for each idempotency key."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[threading.Lock, int]] = {}
        self._turn = threading.Lock()

    def take(self, key: str) -> threading.Lock:
        """The lock of a key; to be given back with `give`."""
        with self._turn:
            lock, waiting = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = (lock, waiting + 1)
            return lock

    def give(self, key: str) -> None:
        """The caller needs the lock no more."""
        with self._turn:
            lock, waiting = self._held.pop(key)
            if waiting > 1:
                self._held[key] = (lock, waiting - 1)


class Asked(NamedTuple):
    """A request as it was read off the wire."""

    scope: MutableMapping[str, Any]
    headers: Mapping[str, str]
    ids: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    upload: bytes | None


def endpoints(routes: tuple[Route, ...], desk: Desk) -> list[StarletteRoute]:
    """Endpoints of all routes."""
    return [_endpoint(route, desk) for route in routes]


def _endpoint(route: Route, desk: Desk) -> StarletteRoute:
    async def endpoint(request: Request) -> Response:
        request.scope["diarist.route"] = route.path
        try:
            if may_be_large(request.headers):
                await desk.room.run(lambda: _admitted(route, desk, request.scope, request.headers))
            upload = await _upload(request, route)
            body = b"" if route.streamed else await request.body()
            asked = Asked(request.scope, request.headers, request.path_params, dict(request.query_params), body, upload)
            return await desk.room.run(lambda: answer(route, desk, asked))
        except ClientDisconnect:
            return Response(status_code=400)
        except Problem as problem:
            return _told(problem)

    return StarletteRoute(route.path, endpoint, methods=[route.method], name=route.name)


def answer(route: Route, desk: Desk, asked: Asked) -> Response:
    """The whole of a request, in a thread of the room. What goes wrong becomes a problem; faults of ours are for the log."""
    try:
        caller = _admitted(route, desk, asked.scope, asked.headers)
        memory = desk.room.memory(caller)
        if any(len(value) > MAX_PATH for value in asked.ids.values()):
            raise Problem(422, "an id in the address is too long")  # noqa: TRY301 - answered below as any other
        call = Call(
            caller, memory, desk.room, desk.base_url, asked.ids, _query(route, asked), _body(route, asked), asked.headers, asked.upload
        )
        return _once(route, desk, asked, call) if route.once else _handle(route, desk, call)
    except Exception as error:
        problem = problem_of(error)
        if problem.status == 500:
            raise
        return _told(problem)


def _admitted(route: Route, desk: Desk, scope: MutableMapping[str, Any], headers: Mapping[str, str]) -> Caller:
    """Who calls, if that one may do this. Raises Problem 401 and 403."""
    caller = desk.door.by_header(headers)
    if caller is None:
        raise Problem(401, "show a key in x-api-key or as a bearer", {"www-authenticate": 'Bearer realm="diarist"'})
    scope["diarist.key"], scope["diarist.tenant"] = caller.key_id, caller.tenant
    if not caller.may(route.role):
        raise Problem(403, f"this needs the role {route.role}; the key has {caller.role}")
    return caller


def _handle(route: Route, desk: Desk, call: Call) -> Response:
    made = route.handle(call)
    if route.follows:
        desk.room.refresh_soon(call.caller.tenant)
    elif route.writes:
        desk.room.refresh(call.memory, call.caller, patient=True)
        if route.name == "add_key":
            desk.door.key_was_made()
    reply = made if isinstance(made, Reply) else Reply(made, route.status)
    if reply.status == 304:
        return Response(status_code=304, headers=dict(reply.headers))
    headers = {"cache-control": "private, no-cache", **reply.headers}
    return Response(msgspec.json.encode(reply.value), reply.status, headers, media_type="application/json")


def _once(route: Route, desk: Desk, asked: Asked, call: Call) -> Response:
    """Handles a request that may come again under its key: the second time it is answered as the first, and nothing is done."""
    key = asked.headers.get("idempotency-key", "") or getattr(call.body, "idempotency_key", "")
    if not key:
        return _handle(route, desk, call)
    if len(key) > MAX_KEY:
        raise Problem(422, f"an idempotency key has {MAX_KEY} characters at most")
    who = call.caller.key_id or "owner"
    request = f"{route.method} {asked.scope['path']}\0".encode() + asked.body
    name = f"{call.caller.tenant}\0{who}\0{key}"
    lock = desk.turns.take(name)
    try:
        with lock:
            known = call.memory.find_answer(who, key)
            if known is not None:
                return _again(known, request, call.memory)
            made = _handle(route, desk, call)
            if made.status_code < 300:
                mark = call.memory.request_mark(request)
                _keep(call.memory, who, key, Answer(mark, made.status_code, bytes(made.body), call.memory.now()))
            return made
    finally:
        desk.turns.give(name)


def _again(known: Answer, request: bytes, memory: Memory) -> Response:
    if known.request not in (memory.request_mark(request), hashlib.sha256(request).hexdigest()):  # plain, as earlier versions kept it
        raise Problem(422, "this idempotency key was used for another request; use a new one")
    headers = {"idempotent-replayed": "true", "cache-control": "no-store"}
    return Response(known.body, known.status, headers, media_type="application/json")


def _keep(memory: Memory, who: str, key: str, made: Answer) -> None:
    memory.keep_answer(who, key, made, forget_before=made.at - KEPT)


def _query(route: Route, asked: Asked) -> msgspec.Struct:
    if route.query is Nothing:
        return Nothing()
    found = msgspec.convert(dict(asked.query), route.query, strict=False)
    for name, value in asked.query.items():
        if value.lower() == "null" and getattr(found, name, "") is None:  # msgspec reads it as a value left out
            raise Problem(422, f"{name}: null is no value here; leave it out")
    return found


def _body(route: Route, asked: Asked) -> Any:
    if route.body is None:
        return None
    kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
    if route.many:
        return read_many(asked.body, kind, route.body)
    if kind != "application/json" and not kind.endswith("+json"):
        raise Problem(415, "the body must be application/json")
    return msgspec.json.decode(asked.body, type=route.body)


async def _upload(request: Request, route: Route) -> bytes | None:
    """The body of a streamed route, held in memory: nothing that is not redacted may lie on a disk."""
    if not route.streamed:
        return None
    request.scope[STREAMED] = True
    return b"".join([piece async for piece in request.stream()])


def _told(problem: Problem) -> Response:
    told = tell(problem)
    return Response(told.body, told.status, told.headers)
