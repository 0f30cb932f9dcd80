"""Content blocks of Anthropic messages, as Claude Code, its stream and several other clients write them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally, Tokens
from diarist.importers.speech import without_reminders
from diarist.importers.values import as_arguments, as_dict, as_int, as_list, as_str, content_text
from diarist.model.session import Mark
from diarist.text.lazy import lazy

_EXIT = lazy(r"\s*(?:<error>)?(?:Error: )?(?:Command failed(?: with)? \(?)?(?:Exit|exit) code:? (-?\d{1,9})\b")
_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected",
    "The user rejected",
    "User declined to answer",
    "The user declined",
    "Tool use was rejected by the user",
)
_WORDS = lazy(r"the user (?:said|provided the following (?:reason|feedback))[^:\n]{0,80}:\s*", re.IGNORECASE)
_BOILERPLATE = "Note: The user's next message may contain a correction or preference."
_TOOL_ERROR = lazy(r"\A<tool_use_error>(.*)</tool_use_error>\s*\Z", re.DOTALL)
CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
RESULT_SUFFIX = "tool_result"


class Outcome(NamedTuple):
    """A tool result understood."""

    text: str
    error: bool
    exit_code: int | None
    mark: Mark


def tool_outcome(text: str, is_error: bool, denied: bool = False) -> Outcome:
    """What a result's text and flag say. `denied`: the record itself says that a person declined."""
    text = without_reminders(text)
    if not (is_error or denied):
        return Outcome(text, False, None, "")
    if denied or (is_error and text.startswith(_REFUSED)):
        return Outcome(_refusal_words(text), True, None, "refusal")
    if is_error and text.startswith("[Request interrupted by user"):
        return Outcome(text, True, None, "interrupt")
    wrapped = _TOOL_ERROR.match(text) if is_error else None
    if wrapped:
        text = wrapped[1]
    code = _EXIT.match(text) if is_error else None
    return Outcome(text, is_error, int(code[1]) if code else None, "")


def _refusal_words(text: str) -> str:
    """What the person said when declining; the client's sentence where they said nothing."""
    words = _WORDS.search(text)
    said = text[words.end() :].partition(_BOILERPLATE)[0].strip() if words else ""
    return said or text


def add_assistant(draft: Draft, content: object, tally: Tally) -> None:
    """Replies, thoughts and calls of an assistant message."""
    if isinstance(content, str):
        draft.reply(0, content)
        return
    for number, block in enumerate(as_list(content)):
        if isinstance(block, str):
            draft.reply(number, block)
        elif isinstance(block, dict):
            _add_assistant_block(draft, number, block, tally)


def _add_assistant_block(draft: Draft, number: int, block: dict[str, Any], tally: Tally) -> None:
    kind = block.get("type") or ""
    if not isinstance(kind, str):
        kind = ""
    if kind == "text" or (not kind and "text" in block):
        text = as_str(block.get("text"))
        if text != "(no content)":
            draft.reply(number, text)
    elif kind == "thinking":
        draft.thought(number, as_str(block.get("thinking")) or as_str(block.get("text")))
    elif kind in CALL_TYPES:
        call_id = as_str(block.get("id")) or f"{draft.rid}/{number}"
        tally.call(call_id)
        draft.call(number, as_str(block.get("name")), as_arguments(block.get("input")), call_id)
    elif kind.endswith(RESULT_SUFFIX):
        add_result(draft, number, block, tally)


def add_result(draft: Draft, number: object, block: dict[str, Any], tally: Tally, *, call_id: str = "", denied: bool = False) -> None:
    """A tool result block. `call_id` is used where the block has none of its own."""
    call_id = as_str(block.get("tool_use_id")) or call_id
    content = block.get("content")
    error = block.get("is_error") is True
    if isinstance(content, str):
        text = content
    else:
        text = content_text(content) if content is not None else as_str(block.get("text"))
        error = error or as_str(as_dict(content).get("type")).endswith("_error")
    found = tool_outcome(text, error, denied)
    if call_id:
        tally.result(call_id)
    draft.result(number, found.text, call_id, error=found.error, exit_code=found.exit_code, mark=found.mark)


def tokens_of(usage: object) -> Tokens | None:
    """Usage of one message, None where there is none."""
    if not isinstance(usage, dict):
        return None
    get = usage.get
    details = get("output_tokens_details")
    return Tokens(
        as_int(get("input_tokens")),
        as_int(get("output_tokens")),
        as_int(get("cache_read_input_tokens", 0)),
        as_int(get("cache_creation_input_tokens", 0)),
        as_int(as_dict(details).get("thinking_tokens")) if details else 0,
    )
