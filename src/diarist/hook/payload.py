"""The event a client sends: what it means, and the few fields that are looked at. One table for all clients."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 32 << 20

KINDS = {
    "sessionstart": "start",
    "sessioncreated": "start",
    "userpromptsubmit": "prompt",
    "userpromptsubmitted": "prompt",
    "beforeagent": "prompt",
    "beforesubmitprompt": "prompt",
    "posttoolusefailure": "tool",
    "posttooluse": "tool",
    "aftertool": "tool",
    "aftershellexecution": "tool",
    "stop": "stop",
    "stopfailure": "stop",
    "agentstop": "stop",
    "afteragent": "stop",
    "interrupt": "stop",
    "erroroccurred": "stop",
    "sessionidle": "stop",
    "agentturncomplete": "stop",
    "subagentstop": "subagent",
    "precompact": "compact",
    "precompress": "compact",
    "sessionend": "end",
    "sessiondeleted": "end",
}
"""What an event means, by its name in lower case without marks. Unknown ones are none of our business."""

CAPTURED = frozenset(("start", "stop", "subagent", "compact", "end"))


def kind_of(event: str) -> str:
    """What an event of this name means; empty for one that is not known.

    >>> kind_of("SessionEnd"), kind_of("session.idle"), kind_of("Notification")
    ('end', 'stop', '')
    """
    return KINDS.get("".join(char for char in event.lower() if char.isalnum()), "")


class _Plain:
    """What C's JSON scanner wants to know: nothing special."""

    strict = False
    object_hook = object_pairs_hook = array_hook = None
    parse_float = parse_constant = float
    parse_int = int


def parse(raw: bytes) -> dict[str, Any]:
    """The JSON object in `raw`; empty where there is none. Loads `json` only where its C scanner cannot be had alone."""
    text = raw.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text.startswith("{"):
        return {}
    try:
        from _json import make_scanner

        value = make_scanner(_Plain)(text, 0)[0]  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError, StopIteration, ValueError, RecursionError):
        value = _parse_slowly(text)
    return value if isinstance(value, dict) else {}


def _parse_slowly(text: str) -> Any:
    import json

    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def text_of(payload: dict[str, Any], *names: str) -> str:
    """The first of these fields that holds a text; empty for none."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def session_of(payload: dict[str, Any]) -> str:
    """The client's own id of the session."""
    return text_of(payload, "session_id", "sessionId", "conversation_id", "sessionID", "thread-id")[:200]


def folder_of(payload: dict[str, Any]) -> str:
    """Where the agent works, as the client tells it, else where the hook runs."""
    told = text_of(payload, "cwd", "workspaceRoot", "directory")
    if told:
        return told
    roots = payload.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0]
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def event_of(kind: str, event: str, client: str, payload: dict[str, Any]) -> dict[str, str]:
    """What the spool is told: ids and paths, nothing that anybody said."""
    told = {
        "kind": kind,
        "event": event[:60],
        "client": client,
        "session": session_of(payload),
        "transcript": text_of(payload, "transcript_path", "transcriptPath"),
        "agent_transcript": text_of(payload, "agent_transcript_path", "agentTranscriptPath"),
        "cwd": folder_of(payload),
    }
    return {name: value for name, value in told.items() if value}
