"""A hub elsewhere, whatever it answers; against real servers on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from diarist.errors import HubError
from diarist.publishers.hub_api import HttpHub
from stub_server import stub_server

DOCUMENT = {"path": "diaries/a.md", "title": "A", "body": "text of the run"}


@contextmanager
def answering(head: bytes, rest: bytes = b"") -> Iterator[str]:
    """The address of a server that answers one request with `head`, then with `rest` for as long as anybody reads."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                place, _ = listener.accept()
                with place:
                    place.recv(1 << 16)
                    place.sendall(head)
                    while rest:
                        place.sendall(rest)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            thread.join(10)
        assert not thread.is_alive(), "still reading"


def test_an_endless_answer_is_not_read_to_its_end() -> None:
    with answering(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"400\r\n" + b"x" * 1024 + b"\r\n") as url:
        HttpHub(url, "k").put(DOCUMENT)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 4\r\n\r\nSign",
        b"HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n\n <!doctype html>",
    ],
)
def test_a_web_page_is_no_hub_and_what_was_sent_stays_due(head: bytes) -> None:
    """A sign-in page before the hub, or an address that is another site's, answers 200 to everything."""
    with answering(head) as url, pytest.raises(HubError, match="web page") as caught:
        HttpHub(url, "k").put(DOCUMENT)
    assert caught.value.retry


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_takes_the_key_to_another_host(status: int) -> None:
    with stub_server() as elsewhere:
        head = f"HTTP/1.1 {status} Elsewhere\r\nlocation: {elsewhere.url}/v1/kb/edit\r\ncontent-length: 0\r\n\r\n".encode()
        with answering(head) as url, pytest.raises(HubError, match=str(status)):
            HttpHub(url, "k").put(DOCUMENT)
        assert elsewhere.asked == []


def test_a_key_of_other_letters_is_said_without_the_key() -> None:
    with stub_server() as server, pytest.raises(HubError, match="MOTHER_AI_API_KEY") as caught:
        HttpHub(server.url, "schlüssel").put(DOCUMENT)
    assert "schl" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"id": "kh-x"}', b"ok"])
def test_any_other_answer_of_200_is_an_acknowledgement(body: bytes) -> None:
    with stub_server() as server:
        server.answer = (200, body)
        HttpHub(server.url, "k").put(DOCUMENT)
        assert server.asked == [("/v1/kb/edit", server.asked[0][1], DOCUMENT)]
