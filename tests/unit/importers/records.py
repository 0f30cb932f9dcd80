"""Records as Claude Code and Codex write them, for tests of what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SESSION = "3f1e0d5c-8a47-4d0b-9d62-5a2f8c1b7e90"


class Claude:
    """Writes the records of one Claude Code session: every record gets an id and a later time."""

    def __init__(self, session: str = SESSION, **common: object) -> None:
        self.session = session
        self.common = common
        self.count = 0

    def record(self, kind: str, **fields: Any) -> dict[str, Any]:
        """A record with the usual envelope."""
        self.count += 1
        return {
            "type": kind,
            "uuid": f"{self.session[:8]}-0000-4000-8000-{self.count:012d}",
            "parentUuid": None if self.count == 1 else f"{self.session[:8]}-0000-4000-8000-{self.count - 1:012d}",
            "sessionId": self.session,
            "timestamp": f"2026-11-02T09:00:{self.count:02d}.000Z",
            "cwd": "/home/kim/work/parcel",
            "gitBranch": "main",
            "version": "2.1.120",
            "isSidechain": False,
            **self.common,
            **fields,
        }

    def user(self, content: object, **fields: Any) -> dict[str, Any]:
        """A user turn."""
        return self.record("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: dict[str, Any], message: str = "", model: str = "claude-sonnet-4-5", **fields: Any) -> dict[str, Any]:
        """A line of an assistant's message."""
        usage = fields.pop("usage", {"input_tokens": 1, "output_tokens": 2})
        body = {"id": message or f"msg_{self.count}", "role": "assistant", "model": model, "content": list(blocks), "usage": usage}
        return self.record("assistant", message=body, **fields)

    def result(self, call_id: str, content: object, *, error: bool = False, **fields: Any) -> dict[str, Any]:
        """A tool's result."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return self.user([{**block, "is_error": True} if error else block], **fields)


def text(words: str) -> dict[str, Any]:
    """A block of visible text."""
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def rollout(*items: dict[str, Any], **meta: Any) -> list[dict[str, Any]]:
    """A Codex session in envelopes: its header, then one record each for the given payloads (events know themselves by their type)."""
    header = {"id": SESSION, "cwd": "/home/kim/work/parcel", "originator": "codex_cli_rs", "cli_version": "0.98.0", "source": "cli", **meta}
    records = [{"timestamp": "2026-11-02T09:00:00.000Z", "type": "session_meta", "payload": header}]
    for second, item in enumerate(items, 1):
        kind = item.pop("envelope", "response_item")
        records.append({"timestamp": f"2026-11-02T09:00:{second:02d}.000Z", "type": kind, "payload": item})
    return records


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """An event of Codex."""
    return {"envelope": "event_msg", "type": kind, **fields}


def turn(model: str, effort: str) -> dict[str, Any]:
    """The settings of a Codex turn."""
    return {"envelope": "turn_context", "model": model, "effort": effort, "cwd": "/home/kim/work/parcel"}


def said(role: str, words: str) -> dict[str, Any]:
    """A message of Codex."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def called(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """A function call of Codex."""
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}


def gave(call_id: str, output: object) -> dict[str, Any]:
    """What a function call of Codex gave back."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def marks(steps: Iterable[Any]) -> list[str]:
    """The marks of the steps that have one."""
    return [step.mark for step in steps if step.mark]
