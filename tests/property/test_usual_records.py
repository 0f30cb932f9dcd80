"""Records in their usual shape are decoded into typed values; whatever stands in them, both ways of reading give the same steps."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.importers.cursor import CursorFormat
from diarist.importers.droid import DroidFormat
from diarist.importers.jsonlines import JsonLinesReading, RecordFormat

decode_plain = msgspec.json.Decoder().decode
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
ODD: list[Any] = [
    *(None, True, 0, 1.5, "", "x", " ", "/clear", "<system-reminder>be brief</system-reminder>go on", "[REDACTED]", "system", "tool"),
    *([], {}, ["x"], [TEXT], [CALL], [RESULT], {"text": "y"}, {"role": "user", "content": "z"}, "[exit code 3]", AT, "2"),
]
EXTRA = (
    *("usage", "model", "thought", "reasoning", "tool_calls", "function_call", "functionCall", "functionResponse", "title", "type"),
    *("session_id", "sessionId", "role", "text", "message", "call_id", "function", "arguments", "id", "cwd", "is_error", "isError"),
)


class PlainDroid(DroidFormat):
    """The same without typed values."""

    decode = staticmethod(decode_plain)


class PlainCursor(CursorFormat):
    """The same without typed values."""

    decode = staticmethod(decode_plain)


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


def told(form: RecordFormat, data: bytes) -> tuple[Any, ...]:
    """All that a reading gives."""
    reading = JsonLinesReading(io.BytesIO(data), form)
    return list(reading), reading.sessions, reading.captures, reading.naming, reading.state


@pytest.mark.parametrize(
    ("typed", "plain", "records"), [(DroidFormat, PlainDroid, DROID), (CursorFormat, PlainCursor, CURSOR)], ids=["droid", "cursor"]
)
@given(data=st.data())
def test_typed_and_plain_values_give_the_same(typed: type[Any], plain: type[Any], records: list[Any], data: st.DataObject) -> None:
    draw: Any = data.draw
    lines = b"".join(json.dumps(changed(record, draw)).encode() + b"\n" for record in records)
    assert told(typed(), lines) == told(plain(), lines)


@pytest.mark.parametrize(("form", "records"), [(DroidFormat(), DROID[1:]), (CursorFormat(), CURSOR[:3])], ids=["droid", "cursor"])
def test_records_in_their_usual_shape_are_typed(form: RecordFormat, records: list[Any]) -> None:
    assert not any(isinstance(form.decode(json.dumps(record).encode()), dict) for record in records)
