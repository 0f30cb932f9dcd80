"""Chat messages of the usual services, in OpenAI's, Anthropic's and Gemini's spelling, one message at a time."""

from __future__ import annotations

from typing import Any

from diarist.importers.claude_blocks import CALL_TYPES, add_result, tokens_of
from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally, Tokens
from diarist.importers.tool_output import is_mere_text, understand_output
from diarist.importers.transcript_marks import exit_mark
from diarist.importers.values import as_arguments, as_dict, as_int, as_list, as_str, compact, content_text, dicts, first_str

USER = frozenset(("user", "human", "customer"))
AGENT = frozenset(("assistant", "model", "ai", "agent", "bot", "gemini"))
TOOL = frozenset(("tool", "function", "tool_result", "toolresult", "observation", "ipython", "environment"))
INSTRUCTIONS = frozenset(("system", "developer"))
_ROLES = {name: names for names in (USER, AGENT, TOOL, INSTRUCTIONS) for name in names}
_CONTENTS = ("content", "tool_calls", "function_call", "parts", "text", "value", "message")
_TEXT_TYPES = frozenset(("", "text", "input_text", "output_text", "refusal"))
_ARGUMENTS = ("arguments", "input", "args", "parameters")
_FLAGS = ("is_error", "isError", "error")
_OPEN = 256
_CONTENT = (str, list, dict)
_EXIT_ENDS = "])>}."
"""How a line ends that tells an exit status, where it does not end with the number itself."""


def is_message(value: object) -> bool:
    """True for an object that looks like a chat message."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    if not isinstance(role, str):
        role = value.get("from")
    if not isinstance(role, str) or (role not in _ROLES and role.lower() not in _ROLES):
        return False
    return "content" in value or any(name in value for name in _CONTENTS)


def _mere_text(block: object) -> str | None:
    """The text of a block that holds nothing else, as most do; None for any other."""
    if type(block) is dict and len(block) == 2 and block.get("type") == "text" and isinstance(text := block.get("text"), str):
        return text
    return None


class Chat:
    """Turns messages into steps; remembers the calls that wait for a result."""

    def __init__(self) -> None:
        self.unnamed: list[str] = []

    def add(self, draft: Draft, message: dict[str, Any], tally: Tally, role: str = "") -> str:
        """Adds one message's steps to `draft`. Returns why there is nothing in it, or "". `role` is used for the message's own."""
        role = role or first_str(message, "role", "from")
        who = _ROLES.get(role) or _ROLES.get(role.lower())
        if who is None:
            return "unknown-type"
        if who is INSTRUCTIONS:
            return "instructions"
        content = message.get("content")
        bare = content is not None and len(message) == 2  # nothing but the role stands beside it
        if content is None:
            content = next((message[name] for name in ("parts", "text", "value", "message") if message.get(name) is not None), None)
        if who is AGENT:
            self._agent(draft, message, content, tally, bare)
        elif who is TOOL:
            self._tool(draft, message, content, tally)
        else:
            self._user(draft, content, tally)
        return "" if draft.steps else "empty"

    def say(self, draft: Draft, role: str, content: object, tally: Tally) -> str:
        """Adds what a message consists of that has nothing but a role and its content; the same as `add` does for such a one."""
        who = _ROLES.get(role) or _ROLES.get(role.lower())
        if who is AGENT:
            self._said(draft, content, tally)
        elif who is USER:
            self._user(draft, content, tally)
        elif who is TOOL:
            self._tool(draft, {}, content, tally)
        else:
            return "unknown-type" if who is None else "instructions"
        return "" if draft.steps else "empty"

    def _user(self, draft: Draft, content: object, tally: Tally) -> None:
        if isinstance(content, str):
            draft.user(0, content)
            return
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            if (text := _mere_text(block)) is not None:
                draft.user(number, text)
                continue
            kind = as_str(block.get("type")) if isinstance(block, dict) else ""
            if isinstance(block, dict) and kind.endswith("tool_result"):
                add_result(draft, number, block, tally, call_id=self.take_call())
            elif isinstance(block, dict) and "functionResponse" in block:
                self._function_response(draft, number, as_dict(block["functionResponse"]), tally)
            elif kind in _TEXT_TYPES:
                draft.user(number, content_text(block))

    def _agent(self, draft: Draft, message: dict[str, Any], content: object, tally: Tally, bare: bool) -> None:
        if not bare:
            usage = message.get("usage")
            if isinstance(usage, dict):
                tally.use(as_str(message.get("id")), usage_of(usage))
            thought = first_str(message, "reasoning_content", "reasoning", "thought", "thinking")
            if thought:
                draft.thought("thought", thought)
        self._said(draft, content, tally)
        if bare:
            return
        calls = message.get("tool_calls")
        if calls:
            for number, call in enumerate(dicts(calls)):
                self._call(draft, f"call{number}", call, tally)
        if isinstance(message.get("function_call"), dict):
            self._call(draft, "call", message["function_call"], tally)

    def _said(self, draft: Draft, content: object, tally: Tally) -> None:
        if isinstance(content, str):
            draft.reply(0, content)
            return
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            self.add_block(draft, number, block, tally)

    def add_block(self, draft: Draft, number: int, block: object, tally: Tally) -> None:
        """Adds one block of what the agent said."""
        if (text := _mere_text(block)) is not None:
            draft.reply(number, text)
            return
        if not isinstance(block, dict):
            draft.reply(number, content_text(block))
            return
        kind = as_str(block.get("type"))
        if kind in CALL_TYPES or kind in ("toolCall", "tool_call", "tool-call", "function_call") or "functionCall" in block:
            self._call(draft, number, as_dict(block.get("functionCall")) or block, tally)
        elif kind.endswith("tool_result"):
            add_result(draft, number, block, tally)
        elif kind in ("thinking", "reasoning") or block.get("thought") is True:
            draft.thought(number, first_str(block, "thinking", "reasoning", "text") or content_text(block.get("summary")))
        elif kind in _TEXT_TYPES:
            draft.reply(number, content_text(block))

    def _call(self, draft: Draft, part: object, call: dict[str, Any], tally: Tally) -> None:
        named = call.get("function")
        function = named if named and isinstance(named, dict) else call
        call_id = first_str(call, "id", "call_id", "tool_call_id", "toolCallId")
        if not call_id:
            call_id = self.name_call(f"{draft.rid}/{part}")
        tally.call(call_id)
        arguments = None
        for name in _ARGUMENTS:
            if (arguments := function.get(name)) is not None:
                break
        tool = first_str(function, "name", "toolName", "tool_name") or as_str(named)
        draft.call(part, tool, as_arguments(arguments), call_id)

    def _tool(self, draft: Draft, message: dict[str, Any], content: object, tally: Tally) -> None:
        call_id = first_str(message, "tool_call_id", "tool_use_id", "toolCallId", "call_id") or self.take_call()
        if call_id:
            tally.result(call_id)
        flag = None
        for name in _FLAGS:
            if isinstance(flag := message.get(name), bool):
                break
            flag = None
        add_output(draft, 0, content, call_id, tool=first_str(message, "name", "tool_name"), error=flag)

    def _function_response(self, draft: Draft, number: int, answer: dict[str, Any], tally: Tally) -> None:
        call_id = as_str(answer.get("id")) or self.take_call()
        if call_id:
            tally.result(call_id)
        response = answer.get("response")
        output = as_dict(response).get("output", response)
        error = as_dict(response).get("error")
        add_output(
            draft, number, error if error is not None else output, call_id, tool=as_str(answer.get("name")), error=error is not None or None
        )

    def name_call(self, name: str) -> str:
        """Names a call that has no id; the next result without one is its result."""
        self.unnamed.append(name)
        del self.unnamed[:-_OPEN]
        return name

    def take_call(self) -> str:
        """The call without an id that waits longest, "" if none does; it waits no more."""
        return self.unnamed.pop(0) if self.unnamed else ""


def add_output(draft: Draft, part: object, content: object, call_id: str, *, tool: str = "", error: bool | None = None) -> None:
    """Adds a tool's output; looks for an exit status in its fields, above its text and in its last line."""
    text = content if isinstance(content, str) else content_text(content) if isinstance(content, list) else ""
    if text and is_mere_text(text):
        text, code = _without_exit_line(text)
        draft.result(part, text, call_id, tool=tool, error=error if error is not None or code is None else code != 0, exit_code=code)
        return
    found = understand_output(content if isinstance(content, _CONTENT) else compact(content))
    text, code = found.text, found.exit_code
    if code is None:
        text, code = _without_exit_line(text)
    failed = error if error is not None else (code != 0 if code is not None else found.error)
    draft.result(part, text, call_id, tool=tool, error=failed, exit_code=code, mark=found.mark)


def _without_exit_line(text: str) -> tuple[str, int | None]:
    """The text without the exit status that its last line tells, and the status; the text as it is, and None, where it tells none."""
    end = text.rstrip()
    if not end or not (end[-1] in _EXIT_ENDS or end[-1].isdigit()):
        return text, None
    cut = end.rfind("\n")
    code = exit_mark(end[max(cut, len(end) - 90) + 1 :])
    return (end[: max(0, cut)], code) if code is not None else (text, None)


def usage_of(usage: dict[str, Any]) -> Tokens:
    """Usage as any of the services tells it, cached input taken out of the input."""
    if "prompt_tokens" not in usage and "completion_tokens" not in usage:
        return tokens_of(usage) or Tokens()
    details = as_dict(usage.get("prompt_tokens_details"))
    cached = as_int(details.get("cached_tokens")) or as_int(usage.get("cached_tokens"))
    return Tokens(
        input=max(0, as_int(usage.get("prompt_tokens")) - cached),
        output=as_int(usage.get("completion_tokens")),
        cache_read=cached,
        reasoning=as_int(as_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def opening_messages(messages: object) -> list[Any]:
    """The messages up to the agent's first one: together they tell one conversation from another."""
    found = []
    for message in as_list(messages)[:64]:
        found.append(message)
        if isinstance(message, dict) and as_str(message.get("role")).lower() in AGENT:
            break
    return found
