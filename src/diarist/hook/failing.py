"""Did a command fail, and what did it say? Each client tells it in its own way."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_SHELL = re.compile(r"bash|shell|exec|terminal|command|powershell", re.IGNORECASE)
_EXIT = re.compile(r"(?:exit(?:ed with)?|process exited with|returned) ?(?:code|status)?:? *(-?\d+)", re.IGNORECASE)
_HINT = re.compile(r"[Ee]rror|ERR|[Ee]xception|[Ff]ail|FAIL|[Pp]anic|[Ff]atal|Traceback|not found|[Dd]enied|No such|[Cc]annot|[Uu]nable")
_LABEL = re.compile(r"^(?:Output|Stdout|Stderr): ", re.MULTILINE)
"""Gemini CLI puts its parts of a result behind labels."""
_HEAD = 400
"""Where clients put the exit code: at the beginning or the end of the output."""


class Output(NamedTuple):
    """What a command printed. `certain`: the client says that it failed; else its words have to tell."""

    text: str
    certain: bool = True


def failed_output(payload: dict[str, Any]) -> Output | None:
    """What a shell command printed that failed, or may have failed; None for one that succeeded, another tool, or one that was stopped."""
    tool = payload.get("tool_name") or payload.get("toolName") or ""
    if not isinstance(tool, str) or not _SHELL.search(tool) or payload.get("is_interrupt") is True:
        return None
    for name in ("error", "error_message", "errorMessage"):
        told = payload.get(name)
        if isinstance(told, str) and told.strip():
            return Output(told)
    for name in ("tool_response", "toolResult", "tool_output", "result_json"):
        if name in payload:
            return _of_response(payload[name])
    return None


def _of_response(response: Any) -> Output | None:
    if isinstance(response, dict):
        text = _text(response)
        error = response.get("error")
        if isinstance(error, str | dict) and error:
            return Output(text or str(error))
        code = _code(response)
        if code is None and response.get("resultType") == "failure":
            code = 1
    elif isinstance(response, str):
        text, code = response, None
    else:
        return None
    code = _code_in(text) if code is None else code
    if code is None:  # Codex tells the output only
        return Output(text, certain=False) if _HINT.search(text) else None
    return Output(text) if code else None


def _code(response: dict[str, Any]) -> int | None:
    inner = response.get("metadata")
    for place in (response, inner if isinstance(inner, dict) else {}):
        for name in ("exit_code", "exitCode", "exit", "returncode"):
            value = place.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None


def _code_in(text: str) -> int | None:
    found = _EXIT.search(text[:_HEAD]) or _EXIT.search(text[-_HEAD:])
    return int(found[1]) if found else None


def _text(response: dict[str, Any]) -> str:
    pieces = [response.get(name) for name in ("stderr", "stdout", "output", "llmContent", "textResultForLlm", "aggregated_output")]
    return _LABEL.sub("", "\n".join(piece for piece in pieces if isinstance(piece, str) and piece.strip()))
