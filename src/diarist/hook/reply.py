"""What each client wants to be answered. Schemas are strict: nothing else may be printed."""

from __future__ import annotations

import json

_NESTED = frozenset(("claude-code", "codex", "gemini"))
_FLAT = {"copilot": "additionalContext", "cursor": "additional_context", "opencode": "context"}
_IGNORED = frozenset((("copilot", "prompt"),))
"""Clients that drop what a hook says on such an event."""


def can_inject(client: str, kind: str) -> bool:
    """True where the client puts what a hook says before the agent."""
    return (client in _NESTED or client in _FLAT) and (client, kind) not in _IGNORED


def reply(client: str, event: str, context: str) -> bytes:
    """The JSON that makes `client` add `context`. `event` is the event's name as the client spells it."""
    if client in _FLAT:
        answer: dict[str, object] = {_FLAT[client]: context}
    else:
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
    return json.dumps(answer, ensure_ascii=True).encode("ascii") + b"\n"
