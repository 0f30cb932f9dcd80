"""Codex events: what happened around the model's items. Most of them repeat an item and only add a status."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from diarist.importers.codex_items import CodexMemory
from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally, Tokens
from diarist.importers.switches import model_change
from diarist.importers.values import as_dict, as_exit_code, as_int, as_list, as_str, compact, content_text, dicts, first_str, text64
from diarist.model.session import Mark
from diarist.text.lazy import lazy

_LIMIT = lazy(r"usage limit|context window|out of credits|quota|spend(?:ing)? limit|budget", re.IGNORECASE)


def add_event(draft: Draft, event: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    """Adds the steps of one event. Returns why there is nothing in it, or ""."""
    add = _EVENTS.get(as_str(event.get("type")))
    return "event" if add is None else add(draft, event, tally, memory)


def count_tokens(usage: dict[str, Any]) -> Tokens:
    """Usage in Codex's fields. Its input counts cached tokens too; ours does not."""
    cached = as_int(usage.get("cached_input_tokens"))
    return Tokens(
        input=max(0, as_int(usage.get("input_tokens")) - cached),
        output=as_int(usage.get("output_tokens")),
        cache_read=cached,
        cache_write=as_int(usage.get("cache_write_input_tokens")),
        reasoning=as_int(usage.get("reasoning_output_tokens")),
    )


def _tokens(_draft: Draft, event: dict[str, Any], tally: Tally, _memory: CodexMemory) -> str:
    """A running total: the largest counts, for a resumed thread may begin anew."""
    total = as_dict(event.get("info")).get("total_token_usage")
    if not isinstance(total, dict):
        return "state"
    tally.tokens = max(tally.tokens, count_tokens(total), key=sum)
    return ""


def _turn_usage(draft: Draft, event: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    usage = event.get("usage")
    if isinstance(usage, dict):
        tally.use("", count_tokens(usage))
    _last_words(draft, as_str(event.get("message")), memory)
    return "" if draft.steps or isinstance(usage, dict) else "state"


def _user(draft: Draft, event: dict[str, Any], _tally: Tally, memory: CodexMemory) -> str:
    text = content_text(event.get("message"))
    if memory.is_echo("user", text, -1):
        return "duplicate"
    draft.user(0, text)
    return "" if draft.steps else "empty"


def _agent(draft: Draft, event: dict[str, Any], _tally: Tally, memory: CodexMemory) -> str:
    text = content_text(event.get("message"))
    memory.last_reply = text64(text.strip())
    if memory.is_echo("assistant", text, -1):
        return "duplicate"
    draft.reply(0, text)
    return "" if draft.steps else "empty"


def _last_words(draft: Draft, text: str, memory: CodexMemory) -> None:
    """A turn's end repeats the agent's last message: it is read only where nothing else told it."""
    if text and text64(text.strip()) != memory.last_reply:
        memory.last_reply = text64(text.strip())
        draft.reply("last", text)


def _complete(draft: Draft, event: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    tally.wait(as_int(event.get("duration_ms")))
    _last_words(draft, as_str(event.get("last_agent_message")), memory)
    draft.add("notice", 0, "", "end")
    return ""


def _aborted(draft: Draft, event: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    reason = as_str(event.get("reason"))
    if reason in ("interrupted", ""):
        draft.add("notice", 0, "interrupted by the user", "interrupt")
    elif reason == "budget_limited":
        draft.add("notice", 0, reason, "limit")
    return "" if draft.steps else "event"


def _error(draft: Draft, event: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    text = as_str(event.get("message")) or as_str(event.get("text")) or first_str(as_dict(event.get("error")), "message", "kind") or "error"
    draft.add("notice", 0, text, _failure_mark(text))
    return ""


def _failure_mark(text: str) -> Mark:
    return "limit" if _LIMIT.search(text[:400]) else "api-error"


def _command(draft: Draft, event: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    """A command that ended. Known calls get their exit status from it; one that no item called stands for itself."""
    call_id = first_str(event, "call_id", "id")
    code = as_exit_code(event.get("exit_code"))
    if call_id in tally.called:
        if code is not None and call_id not in tally.answered:
            memory.note_exit(call_id, code)
        return "event"
    output = first_str(event, "aggregated_output", "formatted_output", "stdout") or as_str(event.get("stderr"))
    if event.get("source") == "user_shell":
        command = [part for part in as_list(event.get("command")) if isinstance(part, str)]
        draft.add("notice", 0, f"! {' '.join(command[-1:])}", "command")
        draft.add("notice", 1, output, "machine")
        return ""
    failed = code != 0 if code is not None else event.get("status") in ("failed", "declined")
    _pair(draft, tally, call_id, "shell", {"command": event.get("command"), "cwd": event.get("cwd")}, output, failed, code)
    return ""


def _patch(draft: Draft, event: dict[str, Any], tally: Tally, _memory: CodexMemory) -> str:
    call_id = first_str(event, "call_id", "id")
    if call_id in tally.called:
        return "event"
    failed = event.get("success") is False or event.get("status") in ("failed", "declined")
    output = first_str(event, "stdout", "stderr")
    _pair(draft, tally, call_id, "apply_patch", {"changes": as_dict(event.get("changes"))}, output, failed, None)
    return ""


def _mcp(draft: Draft, event: dict[str, Any], tally: Tally, _memory: CodexMemory) -> str:
    call_id = first_str(event, "call_id", "id")
    if call_id in tally.called:
        return "event"
    call = as_dict(event.get("invocation")) or event
    result = as_dict(event.get("result"))
    answer = as_dict(result.get("Ok")) or result
    failed = "Err" in result or answer.get("isError") is True or event.get("status") == "failed"
    text = content_text(answer.get("content")) or compact(result.get("Err"))
    name = f"mcp__{as_str(call.get('server'))}__{as_str(call.get('tool'))}"
    _pair(draft, tally, call_id, name, as_dict(call.get("arguments")), text, failed, None)
    return ""


def _pair(
    draft: Draft, tally: Tally, call_id: str, tool: str, arguments: dict[str, Any], output: str, failed: bool, code: int | None
) -> None:
    call_id = call_id or f"{draft.rid}/0"
    tally.call(call_id)
    tally.result(call_id)
    draft.call(0, tool, {name: value for name, value in arguments.items() if value is not None}, call_id)
    draft.result(1, output, call_id, error=failed, exit_code=code)


def _item_completed(draft: Draft, event: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    item = as_dict(event.get("item"))
    kind = as_str(item.get("type"))
    text = "\n".join(filter(None, (as_str(part.get("text")) for part in dicts(item.get("content")))))
    if kind == "UserMessage":
        return _user(draft, {"message": text}, tally, memory)
    if kind == "AgentMessage":
        return _agent(draft, {"message": text}, tally, memory)
    add = {"CommandExecution": _command, "McpToolCall": _mcp, "FileChange": _patch}.get(kind)
    return add(draft, item, tally, memory) if add else "event"


def _spawned(draft: Draft, event: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    text = as_str(event.get("prompt"))
    if not text:
        return "event"
    draft.add("notice", 0, text, "handover")
    return ""


def _rerouted(draft: Draft, event: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    before, after = as_str(event.get("from_model")), as_str(event.get("to_model"))
    if not (before and after):
        return "event"
    draft.add("notice", 0, f"{before} -> {after}", model_change(before, after))
    return ""


def _title(_draft: Draft, event: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    return "" if as_str(event.get("thread_name")) else "event"


_EVENTS: dict[str, Callable[[Draft, dict[str, Any], Tally, CodexMemory], str]] = {
    "token_count": _tokens,
    "turn.completed": _turn_usage,
    "user_message": _user,
    "agent_message": _agent,
    "task_complete": _complete,
    "turn_complete": _complete,
    "turn_aborted": _aborted,
    "error": _error,
    "stream_error": _error,
    "exec_command_end": _command,
    "patch_apply_end": _patch,
    "mcp_tool_call_end": _mcp,
    "item_completed": _item_completed,
    "collab_agent_spawn_end": _spawned,
    "model_reroute": _rerouted,
    "thread_name_updated": _title,
}
