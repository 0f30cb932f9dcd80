"""Transcripts for tests, in the shapes that Claude Code and Codex write. Texts are made up; every id and time is passed in or counted."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@dataclass
class ClaudeSession:
    """A Claude Code session, record by record. Methods return self, so that a session reads like what happened."""

    number: int
    cwd: str = "/home/kim/work/parcel"
    start: datetime = START
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Native session id."""
        return str(uuid.UUID(int=(self.number << 64) + 0x4000_8000_0000_0000_0000))

    def prompt(self, text: str) -> ClaudeSession:
        """The person types."""
        return self._add("user", {"role": "user", "content": text})

    def reply(self, text: str) -> ClaudeSession:
        """The agent says."""
        return self._add("assistant", self._message([{"type": "text", "text": text}]))

    def bash(self, command: str, output: str, code: int = 0) -> ClaudeSession:
        """The agent runs a command."""
        text = f"Exit code {code}\n{output}" if code else output
        return self.call("Bash", {"command": command}, text, error=code != 0)

    def edit(self, path: str, old: str, new: str) -> ClaudeSession:
        """The agent edits a file."""
        return self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, f"The file {path} has been updated.")

    def call(self, tool: str, arguments: dict[str, Any], result: str, *, error: bool = False) -> ClaudeSession:
        """The agent calls a tool and gets a result."""
        call_id = f"toolu_{self.number:04d}{len(self.records):04d}"
        self._add("assistant", self._message([{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}]))
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": result}
        return self._add("user", {"role": "user", "content": [{**block, "is_error": True} if error else block]})

    def lines(self) -> list[str]:
        """The file's lines, each with its line feed."""
        return [json.dumps(record, ensure_ascii=False) + "\n" for record in self.records]

    def write(self, folder: Path, name: str = "") -> Path:
        """Writes the session as the agent would, below a projects folder."""
        path = folder / (name or f"{self.id}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(self.lines()), encoding="utf-8")
        return path

    def _message(self, content: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        name = f"msg_{self.number:04d}{len(self.records):04d}"
        return {"id": name, "type": "message", "role": "assistant", "model": "claude-test-1", "content": content, "usage": usage}

    def _add(self, kind: str, message: dict[str, Any]) -> ClaudeSession:
        count = len(self.records)
        at = self.start + timedelta(seconds=10 * count)
        record_id = str(uuid.uuid5(uuid.UUID(self.id), str(count)))
        parent = self.records[-1]["uuid"] if self.records else None
        common = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.id}
        tail = {"version": "2.1.200", "gitBranch": "main", "uuid": record_id, "timestamp": at.isoformat().replace("+00:00", "Z")}
        self.records.append({**common, "type": kind, "message": message, **tail})
        return self


def fixed_test_session(number: int, *, module: str = "parser", padding: int = 0) -> ClaudeSession:
    """A run that meets a failing test, edits, and passes. `padding`: further file reads, to make it longer."""
    session = ClaudeSession(number, start=START + timedelta(hours=number))
    session.prompt(f"The {module} tests fail, please fix them.")
    session.bash(f"python -m pytest -q tests/test_{module}.py", f"E   KeyError: 'width_{number}'\n1 failed in 0.10s", 1)
    for step in range(padding):
        session.call("Read", {"file_path": f"/home/kim/work/parcel/src/{module}_{step}.py"}, f"     1\tvalue_{step} = {number}\n" * 20)
    session.edit(f"/home/kim/work/parcel/src/{module}.py", "box['width']", "box.get('width', 0)")
    session.bash(f"python -m pytest -q tests/test_{module}.py", "3 passed in 0.08s")
    return session.reply(f"The {module} reads the width with a default now; the tests pass.")


def codex_rollout(
    number: int, items: Iterable[tuple[str, Any]], *, cwd: str = "/home/kim/work/crane", start: datetime = START
) -> list[str]:
    """Lines of a Codex rollout (envelope form). Items: ("user"|"say", text), ("run", (command, output, exit code))."""
    at = START + timedelta(minutes=number)
    session = str(uuid.UUID(int=(number << 64) + 0x7000_8000_0000_0000_0001))
    meta = {"id": session, "timestamp": at.isoformat(), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.140.0"}
    records: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", meta),
        ("turn_context", {"cwd": cwd, "model": "codex-test-1", "turn_id": "1"}),
    ]
    for count, (kind, value) in enumerate(items):
        if kind == "run":
            command, output, code = value
            call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": command}), "call_id": f"call_{count}"}
            text = f"Chunk ID: {count:06x}\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
            records.append(("response_item", call))
            records.append(("response_item", {"type": "function_call_output", "call_id": f"call_{count}", "output": text}))
        else:
            role, block = ("user", "input_text") if kind == "user" else ("assistant", "output_text")
            records.append(("response_item", {"type": "message", "role": role, "content": [{"type": block, "text": value}]}))
    lines = []
    for count, (kind, payload) in enumerate(records):
        stamp = (at + timedelta(seconds=5 * count)).isoformat().replace("+00:00", "Z")
        lines.append(json.dumps({"timestamp": stamp, "type": kind, "payload": payload}) + "\n")
    return lines
