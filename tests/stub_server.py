"""An HTTP server on loopback that answers what a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StubServer(ThreadingHTTPServer):
    """`answer` is the status and body of every answer; `asked` holds path, headers and JSON body of every request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.answer: tuple[int, bytes] = (200, b"{}")
        self.reply: Callable[[Any], bytes] | None = None
        """Where there is one, it makes the body of an answer with status 200 from what was asked."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        server = self.server
        assert isinstance(server, StubServer)
        server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(self.rfile.read(length))))
        status, body = server.answer
        if server.reply is not None and status == 200:
            body = server.reply(server.asked[-1][2])
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        del format, args


@contextmanager
def stub_server() -> Iterator[StubServer]:
    """A running server, stopped at the end."""
    with StubServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()
