"""The hub when what it is sent, or what it stands on, is broken."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from diarist.app.memory import Memory
from diarist.asgi.problems import problem_of
from diarist.errors import StoreAwayError, StoreCorruptError
from diarist.mcp_server.desk import Desk
from diarist.serving import Options, build
from hubs import FREE, Asker, open_hub

BODY = {"path": "diaries/agents/codex/2026-03-15-fix.md", "title": "Repair the parcel build", "body": "Added tomlkit."}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asker]:
    with open_hub(tmp_path) as hub:
        yield Asker(hub)


@pytest.mark.parametrize(
    "place", ["-99999999999999999:a", "99999999999999999:a", "--5:a", "9" * 200 + ":a", ":a", "5", "5:a:b", "1_0:", "٣:a"]
)
def test_a_cursor_that_was_tampered_with_is_none(ask: Asker, place: str) -> None:
    ask("POST", "/v1/kb/edit", json=BODY)
    cursor = base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")
    for path in ("/v1/records", "/v1/trails/x", "/v1/reviews", "/v1/jobs", "/v1/kb/search", "/v1/memory/items"):
        answer = ask("GET", path, params={"cursor": cursor, "q": "tomlkit", "namespace": "n"})
        assert answer.status_code in (200, 422), (path, answer.text)


@pytest.mark.parametrize("etag", ['"\u00b2-abcdef"', '"1-"', '"-1"', '"9999999999-a"', "W/1", '"'])
def test_an_etag_that_cannot_be_ours_is_refused(ask: Asker, etag: str) -> None:
    ask("POST", "/v1/kb/edit", json=BODY)
    assert ask("POST", "/v1/kb/edit", json={**BODY, "body": "Mine."}, headers={"if-match": etag.encode("latin-1")}).status_code == 422


@pytest.mark.parametrize("path", ["/v1/stats", "/metrics", "/mcp", "/nowhere", "/"])
@pytest.mark.parametrize(
    ("error", "status"),
    [(StoreAwayError("PostgreSQL on /a text"), 503), (StoreCorruptError("/a text"), 500), (RuntimeError("a text"), 500)],
)
def test_whatever_fails_wherever_is_told_as_a_problem(tmp_path: Path, path: str, error: Exception, status: int) -> None:
    """Programs get a problem, people a page; neither names a file, a host or a database, nor what nobody foresaw."""

    def opened(tenant: str, project: str | None) -> Memory:
        raise error

    hub = build(tmp_path / "ws", Options(limits=FREE), open_at=opened)
    try:
        answer = Asker(hub)("POST" if path == "/mcp" else "GET", path, json={} if path == "/mcp" else None)
        page = Asker(hub)("GET", "/kb/kh-aaaaaaaaaaaaaaaa", headers={"accept": "text/html"})
    finally:
        hub.room.close()
    if path == "/nowhere":
        assert answer.status_code == 404
        return
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "a text" not in answer.text + page.text


def test_a_tool_names_no_place_of_the_server() -> None:
    """To whom runs the server by hand it does: they can do something about it."""

    def opened() -> Memory:
        raise StoreAwayError("PostgreSQL on /a text cannot be reached")

    for desk, says in ((Desk(opened, "", lambda error: problem_of(error).detail), False), (Desk(opened, ""), True)):
        with pytest.raises(ToolError) as told, desk.memory():
            pass
        assert ("a text" in str(told.value)) is says
