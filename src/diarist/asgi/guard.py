"""The outermost layer of the server: what a request may be, and what every answer carries."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from diarist.asgi.bodies import compressed, expanded, wants
from diarist.asgi.metrics import Metrics
from diarist.asgi.problems import Problem, tell
from diarist.asgi.tracing import Trace
from diarist.stages.redact.redactor import default_redactor

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("diarist.http")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
BUCKETS_KEPT = 10_000
KEYS_PER_ADDRESS = 20
"""So many callers may share an address (a proxy's, an office's) before they hold each other up."""
COMPRESS_FROM = 1_024


class Limits(NamedTuple):
    """What the server takes. Bodies in bytes, after they were unpacked; `stream_bytes` for streamed transcripts."""

    hosts: Sequence[str] = ()
    """Names it answers to beside the loopback ones."""
    body_bytes: int = 8 << 20
    stream_bytes: int = 256 << 20
    per_minute: int = 1_200
    burst: int = 300


class Guard:
    """Checks Host and Origin, sizes and rates; unpacks and packs bodies; counts and logs every request by ids alone."""

    def __init__(self, app: App, limits: Limits, metrics: Metrics, trace: Trace | None = None) -> None:
        self._app = app
        self._trace = trace
        self._limits = limits
        self._metrics = metrics
        self._hosts = {*LOOPBACK, *(host.lower() for host in limits.hosts)}
        self._rates = Rates(limits.per_minute, limits.burst)
        self._addresses = Rates(limits.per_minute * KEYS_PER_ADDRESS, limits.burst * KEYS_PER_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; anything but HTTP goes through as it is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = _Answer(scope, send, headers.get("accept-encoding", ""), headers.get("x-request-id", ""))
        began = time.perf_counter()
        self._metrics.begin()
        try:
            self._check(scope, headers)
            await self._app(scope, expanded(receive, headers, scope, self._limits.body_bytes, self._limits.stream_bytes), answer.send)
        except Problem as problem:
            await answer.problem(problem)
        except Exception as error:  # the outermost edge: a fault of ours must not end the server
            log.exception("fault", extra={"told": {"request": answer.request_id, "error": type(error).__name__}})
            await answer.problem(Problem(500, "the server's log says more"))
        finally:
            self._ended(scope, answer, time.perf_counter() - began)

    def _check(self, scope: Scope, headers: Mapping[str, str]) -> None:
        host = _name(headers.get("host", ""))
        if host not in self._hosts:
            raise Problem(421, f"start it with --host-name {host[:80] or 'NAME'} if it shall")
        origin = headers.get("origin", "")
        if origin and _name(origin.partition("://")[2]) not in self._hosts:
            raise Problem(403, "the page that asks is of another origin")
        if scope["method"] not in SAFE and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Problem(403, "the page that asks is of another site")
        client = (scope.get("client") or ("", 0))[0]
        secret = headers.get("x-api-key") or headers.get("authorization") or ""
        wait = self._rates.take(f"{client}\0{hash(secret)}") or self._addresses.take(client)
        if wait:
            raise Problem(429, "slow down", {"retry-after": str(max(1, round(wait)))})

    def _ended(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        route = scope.get("diarist.route") or _route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.end(method, route, answer.status, seconds)
        if self._trace is not None:
            self._trace(method, route, answer.status, seconds)
        told = {
            "request": answer.request_id,
            "method": scope["method"][:16],
            "route": route,
            "status": answer.status,
            "ms": round(seconds * 1000, 1),
            "bytes": answer.sent,
            "key": scope.get("diarist.key", ""),
            "tenant": scope.get("diarist.tenant", ""),
        }
        log.info("request", extra={"told": told})


_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


def _route_of(scope: Scope) -> str:
    route = scope.get("route")
    return str(getattr(route, "path", "")) or "other"


def _name(host: str) -> str:
    """A Host header's name in lower case, without port and brackets."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


class Rates:
    """A token bucket for each caller: `burst` at once, `per_minute` in the long run. 0: no limit."""

    def __init__(self, per_minute: int, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = threading.Lock()

    def take(self, caller: str) -> float:
        """0 where the request may pass, else the seconds to wait."""
        if not self._per_second:
            return 0.0
        with self._turn:
            now = self._clock()
            left, at = self._buckets.pop(caller, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._per_second)
            passed = left >= 1
            self._buckets[caller] = (left - passed, now)
            while len(self._buckets) > BUCKETS_KEPT:
                self._buckets.popitem(last=False)
        return 0.0 if passed else (1 - left) / self._per_second


def _may_be_logged(request_id: str) -> bool:
    """Is a client's name for its request a plain one, and no secret?"""
    plain = request_id.isascii() and request_id.replace("-", "").isalnum() and len(request_id) <= 64
    return plain and default_redactor().redact(request_id) == request_id


class _Answer:
    """Sends one response: adds our headers, packs a body that came whole."""

    def __init__(self, scope: Scope, send: Send, accept: str, request_id: str) -> None:
        self._send = send
        self._head = scope["method"] == "HEAD"
        self._accept = accept
        self._start: dict[str, Any] | None = None
        self._started = False
        self.status = 0
        self.sent = 0
        self.request_id = request_id if _may_be_logged(request_id) else os.urandom(8).hex()

    async def send(self, message: dict[str, Any]) -> None:
        """One message of the app's."""
        if message["type"] == "http.response.start":
            self._start = message
            self.status = message["status"]
            return
        if message["type"] != "http.response.body" or (self._start is None and not self._started):
            await self._send(message)
            return
        if self._start is not None:
            message = await self._begin(message)
        self.sent += len(message.get("body", b""))
        await self._send(message)

    async def problem(self, problem: Problem) -> None:
        """Answers with a problem, unless an answer has begun."""
        if self._started:
            return
        told = tell(problem)
        headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in told.headers.items()]
        await self.send({"type": "http.response.start", "status": told.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": told.body})

    async def _begin(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._start is not None
        start, self._start, self._started = self._start, None, True
        headers = [(name.lower(), value) for name, value in start.get("headers", ())]
        names = {name for name, _ in headers}
        body = message.get("body", b"")
        whole = not message.get("more_body")
        packing = wants(self._accept) if whole and len(body) >= COMPRESS_FROM and b"content-encoding" not in names else ""
        if packing and _is_text(headers) and not self._head:
            body = await asyncio.to_thread(compressed, body, packing) if len(body) > 1 << 16 else compressed(body, packing)
            headers = [(name, value) for name, value in headers if name != b"content-length"]
            headers += [(b"content-encoding", packing.encode()), (b"content-length", str(len(body)).encode())]
            message = {**message, "body": body}
        headers += [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in names]
        headers += [(b"x-request-id", self.request_id.encode()), (b"vary", b"accept-encoding, cookie")]
        await self._send({**start, "headers": headers})
        return message


def _is_text(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    kind = next((value for name, value in headers if name == b"content-type"), b"")
    return kind.startswith((b"text/", b"application/json", b"application/problem+json", b"image/svg")) or b"javascript" in kind


class JsonLines(logging.Formatter):
    """One JSON object a line. Of an exception the places, never the message: it could hold a text."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told: dict[str, Any] = {"at": round(record.created, 3), "level": record.levelname.lower(), "event": record.getMessage()}
        told.update(getattr(record, "told", {}))
        if record.exc_info and record.exc_info[2] is not None:
            told["places"] = _places(record.exc_info[2])
        return json.dumps(told, sort_keys=True, default=str)


def _places(trace: Any) -> list[str]:
    import traceback

    return [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)[-8:]]  # noqa: PTH119
