"""Who may do what over HTTP: keys and roles, tenants and projects, on every route that OpenAPI tells of; MCP; the process itself."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError
from diarist.http_api.openapi import describe
from diarist.http_api.table import ROUTES
from diarist.model.access import ROLES
from diarist.serving import Hub, Options, is_loopback, listen
from hubs import ADDRESS, FREE, MARK, Asker, fill, make_key, open_hub

OPENAPI = describe(ROUTES)
OPERATIONS = [(method, path) for path, told in OPENAPI["paths"].items() for method in told]


# --- keys -----------------------------------------------------------------------------------------------------------------


def test_without_any_key_this_machine_is_the_owner_and_with_the_first_key_everybody_needs_one(tmp_path: Path) -> None:
    with open_hub(tmp_path) as hub:
        ask = Asker(hub)
        made = ask("POST", "/v1/keys", json={"name": "boss", "role": "admin"})
        assert made.status_code == 201
        refused = ask("GET", "/v1/stats")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="diarist"')
        secret = made.json()["secret"]
        assert ask("GET", "/v1/stats", headers={"x-api-key": secret}).status_code == 200
        assert ask("GET", "/v1/stats", headers={"authorization": f"Bearer {secret}"}).status_code == 200
        assert ask("GET", "/v1/stats", headers={"x-api-key": secret + "x"}).status_code == 401


def test_on_an_address_that_others_reach_nobody_is_the_owner(tmp_path: Path) -> None:
    with open_hub(tmp_path, Options(host="0.0.0.0", limits=FREE)) as hub:
        assert Asker(hub)("GET", "/v1/stats").status_code == 401


def test_a_key_is_shown_once_and_kept_as_a_hash_only(tmp_path: Path) -> None:
    secret = make_key(tmp_path)
    with open_hub(tmp_path) as hub:
        listed = Asker(hub, secret)("GET", "/v1/keys")
    assert secret not in listed.text
    assert listed.json()["keys"][0]["used_at"] is not None
    assert not [path for path in (tmp_path / "ws").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_revoked_or_expired_key_opens_nothing(tmp_path: Path) -> None:
    admin, other = make_key(tmp_path, "boss"), make_key(tmp_path, "gone", "read")
    with open_hub(tmp_path) as hub:
        known = next(key["id"] for key in Asker(hub, admin)("GET", "/v1/keys").json()["keys"] if key["name"] == "gone")
        assert Asker(hub, other)("GET", "/v1/stats").status_code == 200
        assert Asker(hub, admin)("DELETE", f"/v1/keys/{known}").json()["good"] is False
        assert Asker(hub, other)("GET", "/v1/stats").status_code == 401
        assert Asker(hub, admin)("DELETE", f"/v1/keys/{known}").status_code == 404
    past = datetime.now(UTC) - timedelta(days=1)
    with pytest.raises(InvalidInputError, match="expired already"):
        make_key(tmp_path, "late", expires_at=past)
    from diarist.app.keys import Grant

    with open_memory(tmp_path / "ws", now=lambda: past) as memory:
        secret = memory.add_key(Grant("short", "read", expires_at=past + timedelta(hours=1))).secret
    with open_hub(tmp_path) as hub:
        assert Asker(hub, secret)("GET", "/v1/stats").status_code == 401


@pytest.mark.parametrize("role", ROLES)
def test_each_role_reaches_exactly_the_routes_for_it(tmp_path: Path, role: Any) -> None:
    key = make_key(tmp_path, "one", role)
    with open_hub(tmp_path) as hub:
        ask = Asker(hub, key)
        for route in ROUTES:
            answer = ask(route.method, re.sub(r"\{\w+\}", "kh-aaaaaaaaaaaaaaaa", route.path))
            allowed = ROLES.index(role) >= ROLES.index(route.role)
            assert (answer.status_code == 403) is not allowed, (route.name, answer.text)


# --- tenants and projects -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, dict[str, str], dict[str, str]]]:
    """A hub whose own tenant holds marked texts, and keys: of another tenant, of another project, of its own."""
    folder = tmp_path_factory.mktemp("tenants")
    ids = fill(folder)
    fill(folder, "team-b", "okapi")
    keys = {
        "tenant": make_key(folder, "b", "admin", tenant="team-b"),
        "project": make_key(folder, "p", "admin", project="example.com/other"),
        "own": make_key(folder, "o", "admin"),
        "its project": make_key(folder, "i", "admin", project=ids["project"]),
    }
    with open_hub(folder) as hub:
        yield hub, ids, keys


def _value(schema: dict[str, Any], name: str, ids: dict[str, str]) -> Any:
    """Something that fits a schema; where it can name a record or a word, one that is not the asker's."""
    if "$ref" in schema:
        return _body(OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]], ids)
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], name, ids)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "integer":
        return max(1, schema.get("minimum", 1))
    if schema.get("type") == "array":
        return []
    if schema.get("type") == "object":
        return {}
    special = {
        "id": ids["entry"],
        "seen": "0" * 64,
        "query": MARK,
        "error": f"ModuleNotFoundError: No module named '{MARK}'",
        "expires": "1d",
    }
    return special.get(name, "probe")


def _body(schema: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    return {name: _value(schema["properties"][name], name, ids) for name in schema.get("required", ())}


def _requests(method: str, path: str, ids: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    told = OPENAPI["paths"][path][method]
    options: dict[str, Any] = {}
    content = told.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        options["json"] = _value(content["application/json"]["schema"], "", ids)
    names = {each["name"] for each in told["parameters"] if each["in"] == "query"}
    queries: list[dict[str, str]] = [{}] + [{"q": MARK}] * ("q" in names) + [{"project": ids["project"]}] * ("project" in names)
    queries += [{"scope_prefix": ids["project"]}] * ("scope_prefix" in names) + [{"tag": MARK}] * ("tag" in names)
    queries += [{"workflow": ids["workflow"]}] * ("workflow" in names) + [{"prefix": ids["project"]}] * ("prefix" in names)
    for wanted in ids.values() if "{" in path else [""]:
        for query in queries:
            yield re.sub(r"\{\w+\}", wanted.replace("/", "%2F"), path), {**options, "params": query}


@pytest.mark.parametrize("who", ["tenant", "project"])
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_another_tenants_or_projects_key_sees_nothing(filled: Any, who: str, method: str, path: str) -> None:
    hub, ids, keys = filled
    ask = Asker(hub, keys[who])
    for url, options in _requests(method, path, ids):
        answer = ask(method.upper(), url, **options)
        told = answer.text
        assert answer.status_code < 500, (url, answer.text)
        assert MARK not in told, (url, options, answer.text)
        if "{id}" in path:
            assert answer.status_code in (403, 404, 422), (url, answer.text)
        if answer.status_code < 400:
            assert not [known for name, known in ids.items() if name not in ("task", "workflow", "project") and known in told], url


def test_the_same_questions_by_an_own_key_do_find_it(filled: Any) -> None:
    """Else the test above would prove nothing."""
    hub, ids, keys = filled
    for who in ("own", "its project"):
        ask = Asker(hub, keys[who])
        found = ask("GET", "/v1/kb/search", params={"q": MARK, "top_k": 50}).json()["results"]
        assert {ids["entry"], ids["note"], ids["document"]} <= {each["id"] for each in found}
        assert ask("GET", f"/v1/kb/docs/{ids['note']}").status_code == 200
        assert ask("GET", f"/v1/reviews/{ids['review']}").status_code == 200
        assert [each["id"] for each in ask("GET", f"/v1/trails/{ids['workflow']}").json()["items"]] == [ids["entry"]]
        assert ask("GET", f"/v1/entries/{ids['entry']}/transcript").json()["total_lines"] == 3
        assert ask("GET", "/v1/stats").json()["entries"] >= 1
    assert MARK in Asker(hub, keys["own"])("GET", "/v1/kb/scopes").text


def test_a_key_of_one_project_writes_into_that_one_whatever_it_says(tmp_path: Path) -> None:
    key = make_key(tmp_path, "p", "admin", project="example.com/mine")
    with open_hub(tmp_path) as hub:
        ask = Asker(hub, key)
        edit = {"path": "diaries/x.md", "title": "t", "body": "b", "project": "example.com/theirs"}
        known = ask("POST", "/v1/kb/edit", json=edit).json()["id"]
        assert ask("GET", f"/v1/kb/docs/{known}").json()["project"] == "example.com/mine"
        run = {"task_id": "t", "transcript": "please look\n$ make\nok", "project": "example.com/theirs"}
        assert ask("POST", "/v1/entries", json=run).status_code == 201
        assert {each["project"] for each in ask("GET", "/v1/records").json()["items"]} == {"example.com/mine"}
        assert ask("POST", "/v1/transcripts", content=b"{}").status_code == 403
        assert ask("GET", "/v1/audit").status_code == 403
        assert ask("GET", "/v1/keys").status_code == 403


def test_a_tenants_admin_knows_only_the_tenants_keys(filled: Any) -> None:
    hub, _, keys = filled
    ask = Asker(hub, keys["tenant"])
    names = {each["name"] for each in ask("GET", "/v1/keys").json()["keys"]}
    assert "b" in names
    assert not {"o", "i", "p"} & names
    own = Asker(hub, keys["own"])("GET", "/v1/keys").json()["keys"]
    assert ask("DELETE", f"/v1/keys/{own[0]['id']}").status_code == 404
    made = ask("POST", "/v1/keys", json={"name": "second", "role": "read"}).json()
    assert MARK not in Asker(hub, made["secret"])("GET", "/v1/kb/search", params={"q": MARK}).text


@pytest.mark.parametrize(("who", "status"), [("own", 200), ("tenant", 403), ("project", 403)])
def test_metrics_tell_of_the_whole_hub_so_only_its_own_keys_get_them(filled: Any, who: str, status: int) -> None:
    hub, _, keys = filled
    assert Asker(hub, keys[who])("GET", "/metrics").status_code == status


# --- MCP ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "sees"), [("own", True), ("its project", True), ("tenant", False), ("project", False)])
def test_mcp_shows_what_the_key_may_see(tmp_path: Path, who: str, sees: bool) -> None:
    ids = fill(tmp_path)
    keys = {
        "own": make_key(tmp_path, "o", "read"),
        "its project": make_key(tmp_path, "i", "read", project=ids["project"]),
        "tenant": make_key(tmp_path, "b", "write", tenant="team-b"),
        "project": make_key(tmp_path, "p", "read", project="example.com/other"),
    }
    with open_hub(tmp_path) as hub:
        found, tools, refused = anyio.run(_over_mcp, hub, keys[who], ids["note"])
    assert (ids["note"] in found) is sees
    assert ("kb_edit" in tools) is (who == "tenant")
    assert refused == 401


async def _over_mcp(hub: Hub, key: str, wanted: str) -> tuple[list[str], list[str], int]:
    app: Any = hub.app
    async with _lifespan(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ADDRESS) as http:
        refused = (await http.post("/mcp", json={})).status_code
        http.headers["authorization"] = f"Bearer {key}"
        async with Client(streamable_http_client(f"{ADDRESS}/mcp", http_client=http), mode="auto") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("kb_search", {"query": MARK, "top_k": 20})
            fetched = await client.call_tool("kb_fetch", {"kh_id": wanted})
    assert isinstance(result.structured_content, dict)
    found = [each["id"] for each in result.structured_content["results"]]
    assert fetched.is_error is (wanted not in found)
    return found, tools, refused


class _lifespan:  # noqa: N801 - used as a function
    """Enters and leaves the app's lifespan, as a server does."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __aenter__(self) -> None:
        self._to, app_receives = anyio.create_memory_object_stream[dict[str, str]](2)
        app_sends, self._of = anyio.create_memory_object_stream[dict[str, str]](2)
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._app, {"type": "lifespan", "asgi": {"version": "3.0"}}, app_receives.receive, app_sends.send)
        await self._to.send({"type": "lifespan.startup"})
        assert (await self._of.receive())["type"] == "lifespan.startup.complete"
        self._streams = (self._to, app_receives, app_sends, self._of)

    async def __aexit__(self, *_: object) -> None:
        await self._to.send({"type": "lifespan.shutdown"})
        assert (await self._of.receive())["type"] == "lifespan.shutdown.complete"
        await self._group.__aexit__(None, None, None)
        for stream in self._streams:
            stream.close()


# --- the process ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("hub.example", False),
    ],
)
def test_loopback_addresses_are_known(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_serve_refuses_another_address_without_a_key(diarist: Any) -> None:
    done = diarist("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 2
    assert "diarist keys add" in done.stderr


def test_a_port_that_is_taken_is_said_so(diarist: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = diarist("serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1" in done.stderr
    assert "Serving" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_serve_answers_logs_ids_only_and_ends_well_when_told_to(environ: dict[str, str], home: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "diarist", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environ, cwd=home, stderr=subprocess.PIPE, text=True)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}") as client:
            _wait(client)
            body = {"path": "diaries/a.md", "title": "Zebrafish", "body": "zebrafish text"}
            assert client.post("/v1/kb/edit", json=body).json()["status"] == "merged"
            assert client.get("/v1/kb/search", params={"q": "zebrafish"}).json()["results"]
    finally:
        server.send_signal(signal.SIGTERM)
        _, told = server.communicate(timeout=60)
    assert server.returncode in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    assert {"POST", "GET"} <= {line.get("method") for line in lines}
    assert {"request", "route", "status", "ms", "key"} <= lines[-1].keys()
    assert "zebrafish" not in told.lower()
    assert "Traceback" not in told


def _wait(client: httpx2.Client) -> None:
    for _ in range(300):
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_keys_are_made_listed_and_revoked_on_the_command_line(diarist: Any) -> None:
    made = diarist("keys", "add", "ci", "--role", "write", "--project", "example.com/a", "--expires", "90d", "--json")
    told = json.loads(made.stdout)
    assert told["secret"].startswith("diarist_")
    listed = diarist("keys", "list").stdout
    assert told["id"] in listed
    assert told["secret"] not in listed
    assert diarist("keys", "revoke", "ci").returncode == 0
    assert diarist("keys", "revoke", "ci").returncode == 1
    assert told["id"] in diarist("keys", "list", "--all").stdout
    assert told["id"] not in diarist("keys", "list").stdout


def test_documents_of_the_hub_on_the_command_line(diarist: Any) -> None:
    made = json.loads(diarist("hub", "edit", "diaries/a.md", "-", "--title", "A", "--project", "p", "--json", stdin="First text").stdout)
    diarist("hub", "edit", "diaries/a.md", "-", "--title", "A", "--project", "p", stdin="Second text")
    assert "Second text" in diarist("hub", "fetch", made["id"]).stdout
    stale = diarist("hub", "edit", "diaries/a.md", "-", "--title", "A", "--project", "p", "--base-revision", "1", stdin="Third")
    assert (stale.returncode, "revision 2" in stale.stderr) == (1, True)
    assert "revision 3" in diarist("hub", "revert", made["id"], "--to", "1").stdout
    assert "First text" in diarist("hub", "fetch", made["id"]).stdout
    assert diarist("hub", "history", made["id"]).stdout.count("merge") == 3
    assert "Waits for review" in diarist("hub", "edit", "guides/a.md", "-", "--title", "G", stdin="x").stdout
    assert json.loads(diarist("hub", "list", "--json").stdout) == [{"scope": "p/notes", "documents": 1}]
    assert json.loads(diarist("hub", "node", made["id"], "--json").stdout)["neighbours"] == []


def test_no_packet_of_an_answer_waits_for_the_client() -> None:
    with (
        closing(listen(Options(port=0))) as listener,
        socket.create_connection(listener.getsockname()[:2]),
        closing(listener.accept()[0]) as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


# --- strangers -------------------------------------------------------------------------------------------------------------

STREAMED_BODIES = ("/v1/transcripts", "/v1/entries/batch", "/v1/kb/edit", "/v1/memory/items", "/login", "/new")


@pytest.mark.parametrize("path", STREAMED_BODIES)
@pytest.mark.parametrize("headers", [{"content-length": "200000000"}, {"transfer-encoding": "chunked"}, {"content-encoding": "gzip"}])
def test_of_a_strangers_large_body_nothing_is_read(tmp_path: Path, path: str, headers: dict[str, str]) -> None:
    """Else whoever reaches the address could fill the memory without a key."""
    make_key(tmp_path)
    pieces = _Pieces()
    with open_hub(tmp_path) as hub:
        status = anyio.run(_ask, hub, path, {"content-type": "application/json", **headers}, pieces)
    assert status in (401, 413, 303)
    assert pieces.taken == 0


def test_a_large_body_of_one_who_shows_a_key_is_taken(tmp_path: Path) -> None:
    key = make_key(tmp_path)
    with open_hub(tmp_path) as hub:
        edit = {"path": "diaries/long.md", "title": "Long", "body": "word " * 30_000}
        assert Asker(hub, key)("POST", "/v1/kb/edit", json=edit).status_code == 200


class _Pieces:
    """A body without an end."""

    def __init__(self) -> None:
        self.taken = 0

    async def __call__(self) -> dict[str, Any]:
        self.taken += 1
        assert self.taken < 1_000, "read on and on"
        return {"type": "http.request", "body": b"x" * 1_000, "more_body": True}


async def _ask(hub: Hub, path: str, headers: dict[str, str], receive: _Pieces) -> int:
    sent: list[Any] = []

    async def send(message: dict[str, Any]) -> None:
        await anyio.lowlevel.checkpoint()
        sent.append(message)

    told = {"host": "127.0.0.1", **headers}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in told.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 7788),
    }
    await hub.app(scope, receive, send)
    return int(sent[0]["status"])
