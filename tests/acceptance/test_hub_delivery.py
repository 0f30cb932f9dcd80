"""Two Diarists, one hub: what one records, the other finds; through real processes and the interface Cerebrum's writer speaks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from diarist.bootstrap import open_memory
from hubs import make_key

RUN = """User: Make the harbour list sort by name.
$ python -m pytest -q
E   KeyError: 'harbour_name'
1 failed
I rename the column in the query.
$ python -m pytest -q
12 passed
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Address and a write key of a running hub."""
    key = make_key(tmp_path, "worker", "write")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "diarist", "--workspace", str(tmp_path / "ws"), "serve", "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ})
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                if httpx2.get(f"{url}/readyz").status_code == 200:
                    break
            except httpx2.TransportError:
                time.sleep(0.1)
        yield url, key
    finally:
        server.terminate()
        server.wait(60)


def test_a_recorded_run_is_in_the_hub_and_found_by_the_next_search(hub: tuple[str, str], tmp_path: Path) -> None:
    url, key = hub
    environ = {"KB_DIARIES_ENABLED": "1", "MOTHER_AI_URL": url, "MOTHER_AI_API_KEY": key, "HOME": str(tmp_path), "USER": "tester"}
    with open_memory(tmp_path / "mine", environ=environ) as memory:
        done = memory.record(
            task_id="t-7", transcript=RUN, agent="codex", project="example.com/ferry", host={"verified": True, "outcome": "recovered"}
        )
        assert done.recorded
        assert done.problem == ""
    asked = httpx2.get(f"{url}/v1/kb/search", params={"q": "harbour_name KeyError"}, headers={"x-api-key": key})
    [found] = asked.json()["results"]
    assert (found["agent"], found["outcome"], found["task_id"]) == ("codex", "recovered", "t-7")
    document = httpx2.get(f"{url}/v1/kb/docs/{found['id']}", headers={"x-api-key": key}).json()
    assert document["source_type"] == "diary"
    assert document["path"].startswith("diaries/agents/codex/")
    assert "## How it was recovered" in document["body"]


def test_a_hub_that_refuses_the_key_does_not_stop_the_run(hub: tuple[str, str], tmp_path: Path) -> None:
    url, key = hub
    environ = {
        "KB_DIARIES_ENABLED": "1",
        "MOTHER_AI_URL": url,
        "MOTHER_AI_API_KEY": key[:-1] + "_",
        "HOME": str(tmp_path),
        "USER": "tester",
    }
    with open_memory(tmp_path / "mine", environ=environ) as memory:
        assert memory.record(task_id="t-8", transcript=RUN, agent="codex", host={"verified": True}).recorded
        assert memory.search("harbour_name")
    asked = httpx2.get(f"{url}/v1/kb/search", params={"q": "harbour_name"}, headers={"x-api-key": key})
    assert asked.json()["results"] == []
