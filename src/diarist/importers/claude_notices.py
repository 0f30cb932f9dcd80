"""What Claude Code itself says in its transcripts: system records, attachments and API failures."""

from __future__ import annotations

import re
from collections.abc import Callable

from diarist.importers.claude_record import ClaudeRecord
from diarist.importers.draft import Draft
from diarist.importers.speech import Said, understand
from diarist.importers.values import as_dict, as_list, as_str, compact, content_text, first_str
from diarist.model.session import Mark
from diarist.text.lazy import lazy

_LIMIT = lazy(
    r"(?:usage|session|weekly|5-hour|hourly|monthly|spend(?:ing)?|credit|opus|sonnet) (?:limit|balance)|limit reached|prompt is too long",
    re.IGNORECASE,
)
_HUMAN = frozenset({"", "human", "user", "cli"})


def failure_mark(text: str) -> Mark:
    """Gives "limit" for a message that the account's or the context's limit is reached, else "api-error"."""
    head = text[:400]
    low = head.lower()
    telling = "limit" in low or "balance" in low or "too long" in low
    return "limit" if telling and _LIMIT.search(head) else "api-error"


def is_human(origin: object) -> bool:
    """False where a record says that its text came from somewhere else than a person (a task's notification, a channel)."""
    return as_str(as_dict(origin).get("kind")) in _HUMAN


def as_machine(parts: list[Said]) -> list[Said]:
    """The same parts with nothing of them a prompt."""
    return [Said("notice", "machine", said.text) if said.kind == "prompt" else said for said in parts]


def add_system(draft: Draft, record: ClaudeRecord) -> bool:
    """Steps of a system record; False if it tells nothing about the run."""
    add = _SYSTEM.get(as_str(record.subtype), _other)
    add(draft, record)
    return bool(draft.steps)


def _local_command(draft: Draft, record: ClaudeRecord) -> None:
    draft.said(as_machine(understand(content_text(record.content))), 0)


def _api_error(draft: Draft, record: ClaudeRecord) -> None:
    error = as_dict(record.error)
    inner = as_dict(error.get("error"))
    text = as_str(record.error) or first_str(error, "formatted", "message") or first_str(as_dict(inner.get("error")) or inner, "message")
    status = error.get("status")
    text = text or (f"API error {status}" if isinstance(status, int) and status else "API error")
    draft.add("notice", 0, text, failure_mark(text))


def _refusal(draft: Draft, record: ClaudeRecord) -> None:
    draft.add("notice", 0, as_str(record.refusal) or content_text(record.content), "model-refusal")
    if as_str(record.original_model) and as_str(record.fallback_model):
        draft.add("notice", "model", f"{record.original_model} -> {record.fallback_model}", "model")


def _hooks(draft: Draft, record: ClaudeRecord) -> None:
    errors = "\n".join(compact(error) for error in as_list(record.hook_errors))
    if errors.strip():
        draft.add("notice", 0, errors, "machine")


def _nothing(draft: Draft, record: ClaudeRecord) -> None:
    """Boundaries and counters: the summary that follows, or the steps themselves, tell more."""


def _other(draft: Draft, record: ClaudeRecord) -> None:
    text = content_text(record.content)
    if record.error is not None and not text:
        _api_error(draft, record)
    elif text.strip() and record.is_meta is not True:
        draft.said(as_machine(understand(text)), 0)


_SYSTEM: dict[str, Callable[[Draft, ClaudeRecord], None]] = {
    "local_command": _local_command,
    "api_error": _api_error,
    "error": _api_error,
    "model_refusal_fallback": _refusal,
    "api_refusal": _refusal,
    "stop_hook_summary": _hooks,
    "compact_boundary": _nothing,
    "microcompact_boundary": _nothing,
    "turn_duration": _nothing,
    "session_start": _nothing,
}


def add_attachment(draft: Draft, record: ClaudeRecord) -> bool:
    """Steps of an attachment: only prompts typed while the agent was busy, and hooks that blocked, say something new."""
    attachment = as_dict(record.attachment)
    kind = as_str(attachment.get("type"))
    if kind == "queued_command":
        text = content_text(attachment.get("prompt"))
        human = attachment.get("commandMode") in (None, "prompt", "bash") and is_human(attachment.get("origin"))
        parts = understand(text)
        draft.said(parts if human else as_machine(parts), 0)
    elif kind in ("hook_blocking_error", "hook_stopped_continuation"):
        blocked = attachment.get("blockingError")
        text = as_str(blocked) or first_str(as_dict(blocked), "blockingError") or first_str(attachment, "message", "stderr")
        if text.strip():
            draft.add("notice", 0, text, "machine")
    return bool(draft.steps)


def add_api_failure(draft: Draft, record: ClaudeRecord) -> None:
    """An assistant record that the client made up to show a failure of the service."""
    text = content_text(as_dict(record.message).get("content")) or as_str(record.error) or "API error"
    mark: Mark = "limit" if as_str(record.error) == "billing_error" else failure_mark(text)
    draft.add("notice", 0, text, mark)
