"""Memory, ended runs and skills over MCP, in both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client

from diarist.bootstrap import open_memory
from diarist.mcp_server.server import build_server

Work = Callable[[Client], Any]


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> Literal["auto", "legacy"]:
    """Of the protocol."""
    return "legacy" if request.param == "legacy" else "auto"


def served(workspace: Path, mode: Literal["auto", "legacy"], work: Work) -> None:
    """Runs `work` against a server that may write."""
    server = build_server(lambda: open_memory(workspace), base_url="http://atlas.test", tell=lambda *_: None, write=True, owned=True)

    async def main() -> None:
        async with Client(server, mode=mode) as client:
            await work(client)

    anyio.run(main)


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured content of a successful call."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


def test_facts_are_stored_recalled_summarized_and_forgotten(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    """In their namespace and project only; a bad namespace is an error that can be read."""

    async def work(client: Client) -> None:
        stored = await ask(
            client, "memory_store", namespace="team/notes", key="deploy", value={"needs": "a warm-up"}, tags=["ops"], item_id="1"
        )
        assert stored == {"id": "1", "namespace": "team/notes"}
        found = await ask(client, "memory_recall", namespace="team/notes", query="warm-up")
        assert [(item["key"], item["tags"]) for item in found["items"]] == [("deploy", ["ops"])]
        assert found["effective_mode"] == "bm25"
        assert (await ask(client, "memory_recall", namespace="team/notes", query="warm-up", project="other"))["items"] == []
        made = await ask(client, "memory_summarize", namespace="team/notes")
        assert made["count"] == 1
        assert "deploy" in made["text"]
        assert (await ask(client, "memory_forget", namespace="team/notes", tags=["ops"]))["ids"] == ["1"]
        assert (await ask(client, "memory_recall", namespace="team/notes"))["items"] == []
        refused = await client.call_tool("memory_store", {"namespace": "../x", "key": "k", "value": 1})
        assert refused.is_error
        assert "not a namespace" in str(refused.content[0])
        assert (await client.call_tool("memory_forget", {"namespace": "team/notes"})).is_error

    served(tmp_path / "ws", mode, work)


def test_the_workspace_is_left_in_order_when_the_client_goes(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    """The search index knows what was written last."""

    async def work(client: Client) -> None:
        await ask(client, "memory_store", namespace="team/notes", key="deploy", value="warm up first")

    served(tmp_path / "ws", mode, work)
    with open_memory(tmp_path / "ws", read_only=True) as memory:
        assert memory.index_status()["behind"] == 0


def test_ended_runs_are_noted_and_skills_proposed_never_accepted(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    """What comes of it waits for a person; what was accepted is listed with its use."""

    async def work(client: Client) -> None:
        ids = []
        for number in range(3):
            told = {"session_id": f"s{number}", "prompt": "rotate the signing keys", "tools": ["vault_read", "vault_write"]}
            done = await ask(client, "observe_run", **told, project="shop", run_id="1")
            assert done["observed"]
            ids.append(done["observation_id"])
        assert not (await ask(client, "observe_run", session_id=" ", prompt="x"))["observed"]
        text = {"name": "rotate-keys", "title": "Rotate keys", "description": "Rotates keys. Use when asked to."}
        filed = await ask(client, "propose_skill", **text, body="# Rotate\n\n1. Read, then write.\n", evidence=ids, project="shop")
        assert (filed["name"], filed["what"], filed["objections"]) == ("rotate-keys", "new", [])
        alone = await ask(client, "propose_skill", **{**text, "name": "one"}, body="# X\n\n1. x\n", evidence=ids[:1], project="shop")
        assert "independent" in alone["objections"][0]
        assert (await ask(client, "skills_list"))["skills"] == []
        assert (await client.call_tool("propose_skill", {**text, "body": "# X", "evidence": ["kh-aaaaaaaaaaaaaaaa"]})).is_error

    served(tmp_path / "ws", mode, work)
    with open_memory(tmp_path / "ws") as memory:
        memory.accept_skill("rotate-keys")

    async def after(client: Client) -> None:
        (skill,) = (await ask(client, "skills_list", project="shop"))["skills"]
        assert (skill["name"], skill["states"], skill["loaded"]) == ("rotate-keys", ["missing"], 0)
        assert json.dumps(await ask(client, "skills_list", project="other")) == '{"skills": []}'

    served(tmp_path / "ws", mode, after)
