"""Codex response items: what the model said, called and got back, in every generation's spelling."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally
from diarist.importers.tool_output import understand_output
from diarist.importers.values import as_arguments, as_dict, as_list, as_str, content_text, dicts, first_str, hash64, text64

_OPEN = 256


class CodexMemory:
    """What has to be remembered from item to item. Ids and hashes only."""

    def __init__(self) -> None:
        self.unnamed: list[str] = []
        """Calls without an id that wait for their result."""
        self.exits: dict[int, int] = {}
        """Exit status by hashed call id, where an event told it before the output came."""
        self.last_reply = 0
        """Hash of the agent's last message."""
        self.told = OrderedDict[int, int]()
        """By hashed role and text: how often an item (positive) or an event (negative) said it and the other has not yet."""

    def is_echo(self, role: str, text: str, weight: int) -> bool:
        """True if the other stream (items: weight 1, events: -1) has said this already; else notes that this one has."""
        key = text64(f"{role}\n{text.strip()}")
        count = self.told.pop(key, 0)
        left = count + weight
        if left:
            self.told[key] = left
            if len(self.told) > _OPEN:
                self.told.popitem(last=False)
        return count * weight < 0

    def note_exit(self, call_id: str, exit_code: int) -> None:
        """Remembers an exit status for the output that will come."""
        self.exits[hash64(call_id)] = exit_code
        if len(self.exits) > _OPEN:
            del self.exits[next(iter(self.exits))]

    def pack(self) -> Any:
        """For a checkpoint."""
        return [self.unnamed, list(self.exits.items()), list(self.told.items()), self.last_reply]

    def unpack(self, packed: Any) -> None:
        """Takes up what `pack` gave."""
        self.unnamed, exits, told, self.last_reply = packed
        self.exits, self.told = dict(exits), OrderedDict(told)


def add_item(draft: Draft, item: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    """Adds the steps of one response item. Returns why there is nothing in it, or ""."""
    kind = as_str(item.get("type"))
    if not kind and "role" in item:
        kind = "message"
    add = _ITEMS.get(kind)
    if add is None:
        return "unknown-type"
    return add(draft, item, tally, memory) or ("" if draft.steps else "empty")


def _message(draft: Draft, item: dict[str, Any], _tally: Tally, memory: CodexMemory) -> str:
    role = as_str(item.get("role"))
    content = item.get("content") if item.get("content") is not None else item.get("message")
    parts = [content_text(part) for part in (content if isinstance(content, list) else [content])]
    if role in ("developer", "system"):
        return "instructions"
    if role == "assistant":
        memory.last_reply = text64("\n".join(parts).strip())
        if memory.is_echo(role, "\n".join(parts), 1):
            return "duplicate"
        for number, text in enumerate(parts):
            draft.reply(number, text)
    elif role in ("user", ""):
        if memory.is_echo("user", "\n".join(filter(None, parts)), 1):
            return "duplicate"
        for number, text in enumerate(parts):
            draft.user(number, text)
    else:
        return "unknown-type"
    return ""


def _reasoning(draft: Draft, item: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    texts = [
        *(as_str(part.get("text")) for part in dicts(item.get("summary"))),
        *(as_str(part.get("text")) for part in dicts(item.get("content"))),
    ]
    draft.thought(0, "\n\n".join(filter(None, texts)) or as_str(item.get("text")))
    return "" if draft.steps or "encrypted_content" not in item else "encrypted"


def _call(draft: Draft, item: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    function = as_dict(item.get("function"))
    call_id = first_str(item, "call_id")
    if not call_id:
        call_id = f"{draft.rid}/0"
        memory.unnamed.append(call_id)
        del memory.unnamed[:-_OPEN]
    tally.call(call_id)
    arguments = next(
        (item[name] for name in ("arguments", "input", "action", "query") if item.get(name) is not None), function.get("arguments")
    )
    name = first_str(item, "name") or first_str(function, "name") or _NAMES.get(as_str(item.get("type")), "")
    draft.call(0, name.partition("<|")[0], _with_patch(name, as_arguments(arguments)), call_id)
    return ""


def _with_patch(name: str, arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    """apply_patch takes its patch as plain text: it stands under the name that the function form uses for it."""
    if name == "apply_patch" and arguments is not None and isinstance(arguments.get("input"), str):
        return {"patch": arguments["input"], **{key: value for key, value in arguments.items() if key != "input"}}
    return arguments


def _server_call(draft: Draft, item: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    """A call that the service ran itself: its results are never told, only that it was completed."""
    call_id = first_str(item, "call_id", "id") or f"{draft.rid}/0"
    _call(draft, {**item, "call_id": call_id}, tally, memory)
    if item.get("status") in ("completed", "failed"):
        tally.result(call_id)
    return ""


def _output(draft: Draft, item: dict[str, Any], tally: Tally, memory: CodexMemory) -> str:
    call_id = first_str(item, "call_id")
    if not call_id and memory.unnamed:
        call_id = memory.unnamed.pop(0)
    if call_id:
        tally.result(call_id)
    found = understand_output(next((item[name] for name in ("output", "result", "tools", "content") if item.get(name) is not None), ""))
    code = memory.exits.pop(hash64(call_id), None) if memory.exits else None
    if found.exit_code is None and code is not None:
        found = found._replace(exit_code=code, error=found.error or code != 0)
    draft.result(0, found.text, call_id, error=found.error, exit_code=found.exit_code, mark=found.mark)
    return ""


def _handover(draft: Draft, item: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    """A message between agents."""
    text = content_text(item.get("content"))
    if text and (item.get("author") or item.get("recipient")):
        draft.add("notice", 0, f"{as_str(item.get('author'))} -> {as_str(item.get('recipient'))}: {text}", "handover")
    return ""


def _compaction(draft: Draft, item: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    text = as_str(item.get("message")) or content_text(as_list(item.get("summary")))
    if text:
        draft.add("notice", 0, text, "compaction")
    return "" if text else "state"


def _nothing(_draft: Draft, _item: dict[str, Any], _tally: Tally, _memory: CodexMemory) -> str:
    return "state"


_NAMES = {
    "local_shell_call": "shell",
    "web_search_call": "web_search",
    "tool_search_call": "tool_search",
    "image_generation_call": "image_generation",
}
_ITEMS: dict[str, Callable[[Draft, dict[str, Any], Tally, CodexMemory], str]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "tool_call": _call,
    "tool_search_call": _call,
    "web_search_call": _server_call,
    "image_generation_call": _server_call,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "tool_search_output": _output,
    "tool_result": _output,
    "function_result": _output,
    "agent_message": _handover,
    "compaction": _compaction,
    "compaction_summary": _compaction,
    "context_compaction": _compaction,
    "ghost_snapshot": _nothing,
}
