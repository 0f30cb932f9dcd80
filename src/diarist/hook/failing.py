"""Did a command fail, and what did it say? Each client tells it in its own way."""

from __future__ import annotations

import re
from typing import Any

_SHELL = re.compile(r"bash|shell|exec|terminal|command|powershell", re.IGNORECASE)
_EXIT = re.compile(r"(?:exit(?:ed with)?|process exited with|returned) ?(?:code|status)?:? *(-?\d+)", re.IGNORECASE)
_HEAD = 400
"""Where clients put the exit code: at the beginning or the end of the output."""


def failed_output(payload: dict[str, Any]) -> str:
    """What a failed shell command printed; empty for one that succeeded, another tool, or one that the person stopped."""
    tool = payload.get("tool_name") or payload.get("toolName") or ""
    if not isinstance(tool, str) or not _SHELL.search(tool) or payload.get("is_interrupt") is True:
        return ""
    for name in ("error", "error_message", "errorMessage"):
        told = payload.get(name)
        if isinstance(told, str) and told.strip():
            return told
    for name in ("tool_response", "toolResult", "tool_output", "result_json"):
        if name in payload:
            return _of_response(payload[name])
    return ""


def _of_response(response: Any) -> str:
    if isinstance(response, str):
        return response if _code_in(response) else ""
    if not isinstance(response, dict):
        return ""
    text = _text(response)
    error = response.get("error")
    if isinstance(error, str | dict) and error:
        return text or str(error)
    code = _code(response)
    failed = code != 0 if code is not None else response.get("resultType") == "failure" or _code_in(text) != 0
    return text if failed else ""


def _code(response: dict[str, Any]) -> int | None:
    inner = response.get("metadata")
    for place in (response, inner if isinstance(inner, dict) else {}):
        for name in ("exit_code", "exitCode", "exit", "returncode"):
            value = place.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None


def _code_in(text: str) -> int:
    found = _EXIT.search(text[:_HEAD]) or _EXIT.search(text[-_HEAD:])
    return int(found[1]) if found else 0


def _text(response: dict[str, Any]) -> str:
    pieces = [response.get(name) for name in ("stderr", "stdout", "output", "llmContent", "textResultForLlm", "aggregated_output")]
    return "\n".join(piece for piece in pieces if isinstance(piece, str) and piece.strip())
