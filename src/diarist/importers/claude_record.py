"""One line of a Claude Code transcript, with the fields that matter; the others are passed over without being built."""

from __future__ import annotations

from typing import Any

import msgspec

from diarist.text.lazy import lazy

_RENAMED = {
    "session_id": "sessionId",
    "git_branch": "gitBranch",
    "is_meta": "isMeta",
    "is_sidechain": "isSidechain",
    "agent_id": "agentId",
    "parent_uuid": "parentUuid",
    "is_compact_summary": "isCompactSummary",
    "is_api_error": "isApiErrorMessage",
    "tool_use_result": "toolUseResult",
    "denial": "toolDenialKind",
    "source_tool_use": "sourceToolUseID",
    "custom_title": "customTitle",
    "ai_title": "aiTitle",
    "leaf_uuid": "leafUuid",
    "pr_url": "prUrl",
    "forked_from": "forkedFrom",
    "duration_ms": "durationMs",
    "original_model": "originalModel",
    "fallback_model": "fallbackModel",
    "refusal": "apiRefusalExplanation",
    "hook_errors": "hookErrors",
}
_LONGEST_ID = 128
_ID = lazy(rf"[\w.:@#~+=-]{{1,{_LONGEST_ID}}}\Z")


class ToolUseResult(msgspec.Struct):
    """The part of `toolUseResult` that the message does not say; whole files (`originalFile`) are never built."""

    stdout: Any = None
    stderr: Any = None
    is_error: Any = None


class ClaudeRecord(msgspec.Struct, rename=_RENAMED):
    """A record. Every field may hold anything: nothing is refused here."""

    type: Any = None
    subtype: Any = None
    uuid: Any = None
    parent_uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    git_branch: Any = None
    version: Any = None
    effort: Any = None
    message: Any = None
    is_meta: Any = None
    is_sidechain: Any = None
    is_compact_summary: Any = None
    is_api_error: Any = None
    agent_id: Any = None
    origin: Any = None
    error: Any = None
    tool_use_result: ToolUseResult | list[Any] | str | int | float | bool | None = None
    denial: Any = None
    source_tool_use: Any = None
    attachment: Any = None
    operation: Any = None
    content: Any = None
    custom_title: Any = None
    ai_title: Any = None
    summary: Any = None
    leaf_uuid: Any = None
    pr_url: Any = None
    forked_from: Any = None
    duration_ms: Any = None
    original_model: Any = None
    fallback_model: Any = None
    refusal: Any = None
    hook_errors: Any = None
    name: Any = None
    input: Any = None
    output: Any = None


_decode_record = msgspec.json.Decoder(ClaudeRecord).decode
_decode_any = msgspec.json.Decoder().decode


def decode(raw: bytes) -> Any:
    """A `ClaudeRecord`, or another JSON value where the line is no object."""
    return _decode_record(raw) if raw[:1] == b"{" else _decode_any(raw)


def adopt(value: dict[str, Any]) -> ClaudeRecord:
    """A record from a plain object."""
    return msgspec.convert(value, ClaudeRecord)


def is_id(value: object) -> bool:
    """True for text that can serve as an id; placeholders with blanks cannot."""
    if not isinstance(value, str):
        return False
    if len(value) <= _LONGEST_ID and value.replace("-", "").isalnum():  # as nearly every id
        return True
    return _ID.match(value) is not None


_PROGRESS = lazy(rb'\{(?:"[A-Za-z_]{1,40}": ?(?:"[^"\\]{0,2000}"|null|true|false|-?\d{1,20}), ?){0,20}"type": ?"progress"')


def is_progress(raw: bytes) -> bool:
    """True for a progress record (what it tells comes again in the results, or in the subagent's own records)."""
    return b'"progress"' in raw[:3000] and _PROGRESS.match(raw) is not None
