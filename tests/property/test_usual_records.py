"""Records in their usual shape are decoded into typed values; whatever stands in them, both ways of reading give the same steps."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.importers.antigravity import AntigravityFormat
from diarist.importers.claude_stream import StreamFormat
from diarist.importers.codex import CodexFormat
from diarist.importers.copilot import CopilotFormat
from diarist.importers.cursor import CursorFormat
from diarist.importers.droid import DroidFormat
from diarist.importers.grok import GrokFormat
from diarist.importers.jsonlines import JsonLinesReading, RecordFormat
from diarist.importers.kimi import KimiFormat
from diarist.importers.messages import MessageLines
from diarist.importers.neutral import NeutralFormat
from diarist.importers.pi import PiFormat
from diarist.importers.qwen import QwenFormat

AT = "2026-11-02T09:00:00.000Z"
TEXT = {"type": "text", "text": "Weigh the parcels again"}
CALL = {"type": "tool_use", "id": "call-1", "name": "Shell", "input": {"command": "make weigh"}}
RESULT = {"type": "tool_result", "tool_use_id": "call-1", "content": [{"type": "text", "text": "Exit code 2\nno scale"}], "is_error": True}
DROID = [
    {"type": "session_start", "id": "s1", "cwd": "/home/kim/parcel", "title": "Weights"},
    {"type": "message", "id": "m1", "timestamp": AT, "message": {"role": "user", "content": [TEXT]}},
    {"type": "message", "id": "m2", "timestamp": AT, "message": {"role": "assistant", "content": [TEXT, CALL]}},
    {"type": "message", "id": "m3", "timestamp": AT, "message": {"role": "user", "content": [RESULT]}},
    {"type": "message", "session_id": "s2", "timestamp": 1793610000000, "role": "assistant", "text": "Done", "id": "m4"},
    {"type": "tool_call", "session_id": "s2", "toolCallId": "c1", "toolName": "Shell", "parameters": {"command": "ls"}, "id": "t1"},
    {"type": "tool_result", "session_id": "s2", "toolCallId": "c1", "value": {"stdout": "scale.py\n", "exitCode": 0}, "isError": False},
]
CURSOR = [
    {"role": "user", "message": {"content": [TEXT]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "[REDACTED]"}, TEXT]}},
    {"role": "assistant", "message": {"content": [{name: part for name, part in CALL.items() if name != "id"}]}},
    {"role": "user", "message": {"content": [RESULT]}},
]
ANSWER = {"type": "text", "text": "Exit code: 1\nno scale"}
MESSAGES = [
    {"role": "user", "content": "Weigh the parcels again", "timestamp": AT},
    {"role": "assistant", "content": [TEXT, CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c2", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c2", "content": "[exit code 3]", "is_error": False},
]
KIMI = [
    {"type": "turn.prompt", "input": [TEXT], "origin": {"kind": "user"}, "time": 1793610001000},
    {"type": "llm.request", "model": "kimi-k2", "thinkingEffort": "on", "time": 1793610002000},
    *(
        {"type": "context.append_loop_event", "time": 1793610003000, "event": event}
        for event in (
            {"type": "step.begin", "uuid": "u1"},
            {"type": "content.part", "part": {"type": "text", "text": "I weigh"}},
            {"type": "tool.call", "toolCallId": "c1", "name": "Bash", "args": {"command": "make"}},
            {"type": "tool.result", "toolCallId": "c1", "result": {"output": [ANSWER], "message": "", "isError": True}},
            {"type": "step.end", "uuid": "u1", "usage": {"inputOther": 3, "output": 4}},
        )
    ),
    {"type": "usage.record", "model": "kimi-k2", "time": 1793610004000},
    {"type": "llm.request", "model": "kimi-k3", "thinkingEffort": "on", "time": 1793610005000},
]
GROK = [
    {"type": "user", "content": [TEXT], "prompt_index": 0},
    {"type": "user", "content": "<user_info>\nLinux\n</user_info>", "synthetic_reason": "environment"},
    {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "Weigh first"}], "encrypted_content": "x"},
    {"type": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "sh", "arguments": '{"command":"ls"}'}], "model_id": "grok-4"},
    {"type": "tool_result", "tool_call_id": "c1", "content": "Exit code: 1\nno scale"},
    {"type": "assistant", "content": "Done", "model_id": "grok-5", "reasoning_effort": "high"},
]
ANTIGRAVITY = [
    {"type": "USER_INPUT", "source": "USER_EXPLICIT", "created_at": AT, "content": "<USER_REQUEST>\nWeigh\n</USER_REQUEST>"},
    {
        "type": "PLANNER_RESPONSE",
        "source": "MODEL",
        "created_at": AT,
        "thinking": "First",
        "tool_calls": [{"name": "run_command", "args": {"CommandLine": '"make"'}}],
    },
    {"type": "RUN_COMMAND", "source": "MODEL", "status": "DONE", "content": "The command failed with exit code: 1\nOutput:\nno scale"},
]
COPILOT = [
    {"type": type_, "id": f"e{number}", "timestamp": AT, "data": data}
    for number, (type_, data) in enumerate(
        (
            ("session.start", {"sessionId": "s1", "context": {"cwd": "/home/kim/parcel"}}),
            ("user.message", {"content": "Weigh the parcels again"}),
            (
                "assistant.message",
                {"content": "I weigh", "toolRequests": [{"toolCallId": "c1", "name": "bash", "arguments": {"command": "make"}}]},
            ),
            ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "make"}}),
            ("tool.execution_start", {"toolCallId": "c2", "toolName": "bash"}),
            ("tool.execution_complete", {"toolCallId": "c1", "success": False, "result": {"content": "no scale"}, "model": "gpt-5"}),
            ("assistant.message", {"content": "", "reasoningText": "Odd", "outputTokens": 3, "messageId": "m1", "model": "gpt-5"}),
        )
    )
]
NEUTRAL: list[dict[str, Any]] = [
    {"diarist": "session/1", "session": "run-7", "agent": "bot"},
    {"kind": "prompt", "id": "1", "at": AT, "text": "Weigh the parcels again"},
    {"kind": "thought", "id": "2", "text": "First", "actor": "helper"},
    {"kind": "call", "id": "3", "tool": "bash", "arguments": {"command": "make"}},
    {"kind": "result", "id": "4", "text": "no scale", "exit_code": 1},
    {"kind": "notice", "id": "5", "mark": "limit", "text": "used up"},
    {"kind": "reply", "id": "6", "text": "Done", "usage": {"input_tokens": 2, "cost_usd": 0.5}},
]
QWEN_CALL = {"functionCall": {"id": "c1", "name": "sh", "args": {"command": "make"}}}
QWEN_ANSWER = {"functionResponse": {"id": "c1", "name": "sh", "response": {"output": "Exit code: 1"}}}
QWEN = [
    {"uuid": f"u{number}", "sessionId": "s1", "timestamp": AT, "cwd": "/home/kim/parcel", "version": "1", **more}
    for number, more in enumerate(
        (
            {"type": "user", "message": {"parts": [{"text": "Weigh the parcels again"}]}},
            {"type": "assistant", "message": {"parts": [QWEN_CALL]}, "model": "qwen3", "usageMetadata": {"promptTokenCount": 5}},
            {"type": "tool_result", "message": {"parts": [QWEN_ANSWER]}},
        )
    )
]
CODEX = [
    {"timestamp": AT, "type": "session_meta", "payload": {"id": "t1", "cwd": "/home/kim/parcel"}},
    *(
        {"timestamp": AT, "type": "response_item", "payload": payload}
        for payload in (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Weigh the parcels again"}]},
            {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command":["make"]}'},
            {"type": "function_call_output", "call_id": "c1", "output": "Exit code: 1\nOutput:\nno scale"},
        )
    ),
    {"timestamp": AT, "type": "event_msg", "payload": {"type": "agent_message", "message": "Done"}},
    {"timestamp": AT, "type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": "Weights"}},
]
STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s1", "model": "claude-sonnet-4-5", "cwd": "/home/kim/parcel"},
    {"type": "assistant", "session_id": "s1", "uuid": "a1", "message": {"id": "m1", "model": "claude-sonnet-4-5", "content": [TEXT, CALL]}},
    {"type": "user", "session_id": "s1", "uuid": "a2", "parent_tool_use_id": None, "message": {"role": "user", "content": [RESULT]}},
]
PI = [
    {"type": "session", "id": "s1", "timestamp": AT, "cwd": "/home/kim/parcel"},
    {"type": "message", "id": "m1", "timestamp": AT, "message": {"role": "user", "content": [TEXT]}},
    {
        "type": "message",
        "id": "m2",
        "message": {"role": "assistant", "content": [TEXT], "model": "claude-haiku-4-5", "usage": {"input": 3}},
    },
    {"type": "message", "id": "m3", "message": {"role": "toolResult", "toolCallId": "c1", "content": [TEXT], "isError": True}},
    {"type": "message", "id": "m4", "message": {"role": "assistant", "content": [], "model": "claude-opus-4-5"}},
]
ODD: list[Any] = [
    *(None, True, 0, 1.5, "", "x", " ", "/clear", "<system-reminder>be brief</system-reminder>go on", "[REDACTED]", "system", "tool"),
    *([], {}, ["x"], [TEXT], [CALL], [RESULT], {"text": "y"}, {"role": "user", "content": "z"}, "[exit code 3]", AT, "2"),
]
EXTRA = (
    *("usage", "model", "thought", "reasoning", "tool_calls", "function_call", "functionCall", "functionResponse", "title", "type"),
    *("session_id", "sessionId", "role", "text", "message", "call_id", "function", "arguments", "id", "cwd", "is_error", "isError"),
    *("model_id", "synthetic_reason", "prior_turn_interrupt", "timestamp", "created_at", "conversation_id", "subtype", "systemPayload"),
    *("agentId", "context", "newModel", "parentToolCallId", "name", "error", "thinking", "thread_name", "diarist", "mark", "session"),
    *("environmentDisclosure", "output", "input", "args", "content", "time", "reasoningText", "toolCallId", "actor", "version"),
)


def changed(value: Any, draw: st.DrawFn) -> Any:
    """The value with, here and there, something else in a field's place, a field less, or one more."""
    if isinstance(value, list):
        return [changed(part, draw) for part in value]
    if not isinstance(value, dict):
        return value
    result = {name: changed(part, draw) for name, part in value.items()}
    act = draw(st.sampled_from(("leave", "leave", "leave", "drop", "replace", "add")))
    if act == "add":
        result[draw(st.sampled_from(EXTRA))] = draw(st.sampled_from(ODD))
    elif act != "leave" and result:
        name = draw(st.sampled_from(sorted(result)))
        result[name] = draw(st.sampled_from(ODD))
        if act == "drop":
            del result[name]
    return result


def plainly(form: Any) -> Any:
    """The same without typed values."""
    form.expect({})
    return form


def told(form: RecordFormat, data: bytes) -> tuple[Any, ...]:
    """All that a reading gives."""
    reading = JsonLinesReading(io.BytesIO(data), form)
    return list(reading), reading.sessions, reading.captures, reading.naming, reading.state


USUAL: dict[str, tuple[Callable[[], Any], list[Any], list[Any]]] = {
    "droid": (DroidFormat, DROID[:1], DROID[1:]),
    "cursor": (CursorFormat, CURSOR[3:], CURSOR[:3]),
    "messages": (MessageLines, [], MESSAGES),
    "kimi": (KimiFormat, [], KIMI),
    "grok": (GrokFormat, [], GROK),
    "antigravity": (AntigravityFormat, [], ANTIGRAVITY),
    "copilot": (CopilotFormat, COPILOT[:1], COPILOT[1:]),
    "neutral": (NeutralFormat, NEUTRAL[:1], NEUTRAL[1:]),
    "exact": (NeutralFormat, [{**NEUTRAL[0], "exact": True}], NEUTRAL[1:]),
    "qwen": (QwenFormat, [], QWEN),
    "codex": (CodexFormat, CODEX[:1], CODEX[1:]),
    "stream-json": (StreamFormat, STREAM[:1], STREAM[1:]),
    "pi": (PiFormat, PI[:1], PI[1:]),
}
"""By format: records of another shape, and those of its usual ones."""


@pytest.mark.parametrize(("form", "others", "records"), USUAL.values(), ids=list(USUAL))
@settings(max_examples=40)
@given(data=st.data())
def test_typed_and_plain_values_give_the_same(form: Callable[[], Any], others: list[Any], records: list[Any], data: st.DataObject) -> None:
    draw: Any = data.draw
    lines = b"".join(json.dumps(changed(record, draw)).encode() + b"\n" for record in [*others, *records])
    assert told(form(), lines) == told(plainly(form()), lines)


@pytest.mark.parametrize(("form", "_others", "records"), USUAL.values(), ids=list(USUAL))
def test_records_in_their_usual_shape_are_typed(form: Callable[[], Any], _others: list[Any], records: list[Any]) -> None:
    reading = form()
    assert {type(reading.decode(json.dumps(record).encode())) for record in records} <= set(reading.usual)
