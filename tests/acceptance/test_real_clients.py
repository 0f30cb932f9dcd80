"""The clients themselves, where they are installed: offline, against a stub of their model's service on the loopback.

`DIARIST_TEST_CLIENTS` may name a folder that holds `claude` and `codex`; else they are looked for on PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import pytest

from builders import ClaudeSession
from diarist.bootstrap import open_memory

ERROR = "ModuleNotFoundError: No module named 'tomlkit'"
COMMAND = f'echo "{ERROR}" >&2; exit 1'
PLUGINS = Path(str(files("diarist"))) / "plugins"


def client(name: str) -> str:
    place = os.environ.get("DIARIST_TEST_CLIENTS")
    found = shutil.which(name, path=place) if place else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


class Stub(BaseHTTPRequestHandler):
    """A model that runs one failing command, then says that it is done; speaks Anthropic's and OpenAI's protocols."""

    asked: ClassVar[list[str]] = []

    def log_message(self, *_: Any) -> None: ...

    def do_GET(self) -> None:
        self._head("application/json")
        self.wfile.write(b'{"data": [], "models": []}')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode("utf-8", "replace")
        self.asked.append(body)
        self._head("text/event-stream")
        used = "tool_result" in body or "function_call_output" in body
        events = anthropic(used or '"Bash"' not in body) if "messages" in self.path else openai(used)
        for name, data in events:
            self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()


def anthropic(done: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "stub",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    yield "message_start", {"message": message}
    if done:
        yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
        yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "Done."}}
    else:
        yield "content_block_start", {"index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}}
        arguments = json.dumps({"command": COMMAND, "description": "try it"})
        yield "content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": arguments}}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": "end_turn" if done else "tool_use"}, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


def openai(done: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    call = {"type": "function_call", "id": "f", "call_id": "c1", "name": "exec_command", "arguments": json.dumps({"cmd": COMMAND})}
    said = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}
    yield "response.created", {"response": {"id": "r"}}
    yield "response.output_item.done", {"output_index": 0, "item": said if done else call}
    yield "response.completed", {"response": {"id": "r", "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}}


@pytest.fixture
def service() -> Iterator[str]:
    Stub.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def project(home: Path, environ: dict[str, str]) -> Path:
    """A project in which an earlier session met ERROR and got past it."""
    folder = home / "parcel"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    session = ClaudeSession(3, cwd=str(folder)).prompt("Read the settings from pyproject.toml")
    session.bash("python -m pytest -q", f"E   {ERROR}\n1 failed", 1).edit("pyproject.toml", "[]", '["tomlkit"]')
    session.bash("python -m pytest -q", "3 passed").reply("The dependency was missing.")
    with open_memory(home / ".local" / "share" / "diarist") as memory:
        memory.ingest([session.write(home / "old")])
    environ.update(PATH=f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}", DIARIST_IDLE_SECONDS="1")
    return folder


def shown() -> list[str]:
    return [body for body in Stub.asked if "what solved it" in body]


def test_claude_code_accepts_the_plugin_and_its_marketplace(environ: dict[str, str]) -> None:
    claude = client("claude")
    for folder in (PLUGINS, PLUGINS / "claude-code"):
        done = subprocess.run(
            [claude, "plugin", "validate", "--strict", str(folder)], capture_output=True, text=True, env=environ, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_claude_code_shows_its_agent_the_fix(home: Path, environ: dict[str, str], project: Path, service: str, diarist: Any) -> None:
    claude = client("claude")
    assert diarist("connect", "claude-code", "--no-import").returncode == 0
    stubbed = {"ANTHROPIC_BASE_URL": service, "ANTHROPIC_API_KEY": "stub", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    command = [claude, "-p", "Read the settings", "--allowedTools", "Bash", "--model", "stub-1"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**environ, **stubbed}, cwd=project, timeout=180
    )
    assert "Done." in done.stdout, done.stdout + done.stderr
    assert shown()


def test_codex_lists_the_skill_of_its_plugin(home: Path, environ: dict[str, str], project: Path) -> None:
    codex = client("codex")
    for arguments in (["plugin", "marketplace", "add", str(PLUGINS)], ["plugin", "add", "diarist@diarist"]):
        assert subprocess.run([codex, *arguments], capture_output=True, env=environ, cwd=project, timeout=120).returncode == 0
    done = subprocess.run([codex, "debug", "prompt-input", "hello"], capture_output=True, text=True, env=environ, cwd=project, timeout=120)
    assert "past-sessions: Looks up what earlier agent sessions" in done.stdout


def test_codex_shows_its_agent_the_fix(home: Path, environ: dict[str, str], project: Path, service: str, diarist: Any) -> None:
    codex = client("codex")
    assert diarist("connect", "codex", "--no-import").returncode == 0
    provider = f'model_providers.stub={{name="stub",base_url="{service}/v1",wire_api="responses"}}'
    options = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
    command = [codex, "exec", *options, "-c", "model_provider=stub", "-c", provider, "-c", "model=stub-1", "Read the settings"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environ, cwd=project, timeout=180)
    assert "Done." in done.stdout, done.stdout + done.stderr
    assert shown()
