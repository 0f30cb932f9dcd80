"""Attributes of GenAI spans: typed values unpacked, messages and usage under the names of every version of the conventions."""

from __future__ import annotations

import re
from typing import Any

from diarist.importers.ledger import Tokens
from diarist.importers.values import as_dict, as_int, as_list, as_str, content_text, dicts, parse_json
from diarist.text.lazy import lazy

_INDEXED = lazy(r"llm\.(input|output)_messages\.(\d{1,5})\.message\.(.+)\Z")
_OLD_INDEXED = lazy(r"gen_ai\.(prompt|completion)\.(\d{1,5})\.(role|content)\Z")
_EVENT_ROLES = {
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.choice": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.content.prompt": "user",
    "gen_ai.content.completion": "assistant",
}
_USAGE = {
    "input": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "cache_read": ("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"),
    "cache_write": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning": ("gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning"),
}


def attributes_of(listed: object) -> dict[str, Any]:
    """A list of `{key, value: {stringValue | intValue | …}}` as a mapping; a mapping stays one."""
    if isinstance(listed, dict):
        return listed
    return {as_str(item.get("key")): _unpacked(item.get("value")) for item in dicts(listed)}


def _unpacked(value: object, depth: int = 0) -> Any:
    holder = as_dict(value)
    if depth > 32:
        return None
    if "arrayValue" in holder:
        return [_unpacked(item, depth + 1) for item in as_list(as_dict(holder["arrayValue"]).get("values"))]
    if "kvlistValue" in holder:
        pairs = dicts(as_dict(holder["kvlistValue"]).get("values"))
        return {as_str(item.get("key")): _unpacked(item.get("value"), depth + 1) for item in pairs}
    for name in ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"):
        if name in holder:
            return holder[name]
    return None if isinstance(value, dict) else value


def messages_of(attributes: dict[str, Any], events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of a span as `{role, parts}`, input first, from whichever place tells them."""
    found: list[dict[str, Any]] = []
    for name in ("gen_ai.input.messages", "gen_ai.output.messages"):
        value = attributes.get(name)
        found += [_message(message) for message in dicts(parse_json(value) if isinstance(value, str) else value)]
    return found or _indexed(attributes) or [message for event in events for message in _of_event(event)]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    parts = message.get("parts")
    if isinstance(parts, list):
        return {"role": message.get("role"), "parts": parts}
    return {"role": message.get("role"), "parts": _parts(message)}


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Parts of a message in OpenAI's spelling."""
    text = content_text(message.get("content"))
    if message.get("role") == "tool":
        return [{"type": "tool_call_response", "id": message.get("tool_call_id") or message.get("id"), "response": text}]
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    for call in dicts(message.get("tool_calls")):
        function = as_dict(call.get("function"))
        parts.append({"type": "tool_call", "id": call.get("id"), "name": function.get("name"), "arguments": function.get("arguments")})
    return parts


def _indexed(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Messages whose fields are attributes of their own, numbered."""
    gathered: dict[tuple[int, int], dict[str, Any]] = {}
    for name, value in attributes.items():
        new, old = _INDEXED.match(name), _OLD_INDEXED.match(name)
        if new:
            message = gathered.setdefault((int(new[1] == "output"), int(new[2])), {})
            message[new[3]] = value
        elif old:
            message = gathered.setdefault((int(old[1] == "completion"), int(old[2])), {})
            message[old[3]] = value
    return [{"role": message.get("role"), "parts": _indexed_parts(message)} for _, message in sorted(gathered.items())]


def _indexed_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    text = as_str(message.get("content")) or "\n".join(
        as_str(value) for name, value in sorted(message.items()) if re.match(r"contents\.\d+\.message_content\.text\Z", name)
    )
    if message.get("role") == "tool":
        return [{"type": "tool_call_response", "id": message.get("tool_call_id"), "response": text}]
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    for number in range(64):
        prefix = f"tool_calls.{number}.tool_call."
        if f"{prefix}function.name" not in message:
            break
        parts.append(
            {
                "type": "tool_call",
                "id": message.get(f"{prefix}id"),
                "name": message[f"{prefix}function.name"],
                "arguments": message.get(f"{prefix}function.arguments"),
            }
        )
    return parts


def _of_event(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The message an event of the older conventions tells."""
    attributes = attributes_of(event.get("attributes"))
    name = as_str(event.get("name"))
    if name == "gen_ai.client.inference.operation.details":
        return messages_of(attributes, [])
    role = _EVENT_ROLES.get(name)
    if role is None:
        return []
    body = parse_json(attributes["gen_ai.event.content"]) if isinstance(attributes.get("gen_ai.event.content"), str) else attributes
    body = as_dict(body) or attributes
    message = as_dict(body.get("message")) or body
    content = message.get("content", attributes.get("gen_ai.prompt", attributes.get("gen_ai.completion")))
    return [{"role": role, "parts": _parts({**message, "role": role, "content": content})}]


def tokens_of(attributes: dict[str, Any]) -> Tokens:
    """Usage of a span; cached input taken out of the input where it is counted in it."""
    counts = {field: next((as_int(attributes[name]) for name in names if name in attributes), 0) for field, names in _USAGE.items()}
    cached = counts["cache_read"] + counts["cache_write"]
    counts["input"] = counts["input"] - cached if counts["input"] >= cached else counts["input"]
    return Tokens(**counts)
