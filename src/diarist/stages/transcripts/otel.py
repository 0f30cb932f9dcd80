"""OpenTelemetry's GenAI conventions as OTLP JSON: one trace a session, on one line.

The root span is the run (`invoke_agent`); below it a `chat` span for each turn of the agent and an `execute_tool` span for each
call. A prompt stands in the input of the turn that answers it. What happened beside that (refusals, interruptions, limits)
is an event of the root span. Spans are a microsecond long at least and begin in the order of the session, since readers sort
them by their beginning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from diarist.model.session import Session, SessionInfo, Step
from diarist.stages.transcripts.turns import Turn, Turns

SCOPE = {"name": "diarist"}
FAILED = {"code": 2}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encode = msgspec.json.Encoder().encode


def render(session: Session) -> Iterator[bytes]:
    """One `TracesData` object, piece by piece, with a line feed at its end."""
    trace = _Trace(session.info)
    resource = {"attributes": _attributes({"service.name": session.info.agent})}
    yield b'{"resourceSpans":[{"resource":' + _encode(resource) + b',"scopeSpans":[{"scope":' + _encode(SCOPE) + b',"spans":['
    for turn in _turns(session):
        for span in trace.spans(turn):
            yield _encode(span) + b","
    yield _encode(trace.root()) + b"]}]}]}\n"


def _turns(session: Session) -> Iterator[Turn]:
    """Turns of all actors, each when it is complete."""
    actors: dict[str, Turns] = {}
    for number, step in enumerate(session.steps):
        yield from actors.setdefault(step.actor, Turns()).take(number, step)
    for turns in actors.values():
        yield from turns.rest()


class _Trace:
    """Spans of one session; remembers the prompts that wait for an answer, and where time stands."""

    def __init__(self, info: SessionInfo) -> None:
        self._info = info
        self._trace = hashlib.sha256(f"{info.agent}\0{info.session}".encode()).hexdigest()[:32]
        self._root = self._id("run")
        start = info.started_at or info.ended_at or _EPOCH
        self._start = self._clock = _nanoseconds(start)
        self._waiting: dict[str, list[dict[str, Any]]] = {}
        self._events: list[dict[str, Any]] = []

    def spans(self, turn: Turn) -> Iterator[dict[str, Any]]:
        """Spans of one turn: none for a prompt or notice, which stand elsewhere."""
        if turn.alone is not None:
            number, step = turn.alone
            if step.kind == "prompt":
                self._waiting.setdefault(step.actor, []).append({"role": "user", "parts": [{"type": "text", "content": step.text}]})
            elif step.kind == "notice":
                self._events.append(self._event(step))
            else:
                yield self._tool(number, step, None)
            return
        yield self._chat(turn)
        answers = {result.call_id: (number, result) for number, result in reversed(turn.results)}
        for number, call in turn.calls:
            yield self._tool(number, call, answers.pop(call.call_id, (0, None))[1])

    def root(self) -> dict[str, Any]:
        """The run itself."""
        info, usage = self._info, self._info.usage
        ended = max(self._clock, _nanoseconds(info.ended_at) if info.ended_at else 0)
        told: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": info.agent,
            "gen_ai.agent.version": info.agent_version,
            "gen_ai.conversation.id": info.session,
            "gen_ai.request.model": info.models[0] if info.models else "",
            "gen_ai.usage.input_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
            "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
            "process.working_directory": info.cwd,
            "vcs.ref.head.name": info.branch,
            "vcs.repository.url.full": info.repository,
            "diarist.title": info.title,
            "diarist.cost_usd": usage.cost_usd,
        }
        if any(message for messages in self._waiting.values() for message in messages):
            told["gen_ai.input.messages"] = _json([message for messages in self._waiting.values() for message in messages])
        span = self._span(self._root, f"invoke_agent {info.agent}", self._start, ended, told)
        del span["parentSpanId"]
        return {**span, "events": self._events}

    def _chat(self, turn: Turn) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        if turn.thought is not None:
            parts.append({"type": "reasoning", "content": turn.thought[1].text})
        if turn.reply is not None:
            parts.append({"type": "text", "content": turn.reply[1].text})
        for _, call in turn.calls:
            parts.append({"type": "tool_call", "id": call.call_id or call.rid, "name": call.tool, "arguments": call.arguments})
        asked = self._waiting.pop(turn.first.actor, [])
        told = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": self._info.session,
            "diarist.actor": turn.first.actor,
            "gen_ai.request.model": self._info.models[0] if self._info.models else "",
            "gen_ai.input.messages": _json(asked) if asked else "",
            "gen_ai.output.messages": _json([{"role": "assistant", "parts": parts}]),
        }
        start = self._tick(turn.first.at)
        return self._span(self._id(f"chat\0{turn.first.rid}"), "chat", start, start + 1000, told)

    def _tool(self, number: int, step: Step, result: Step | None) -> dict[str, Any]:
        """A call with its result; a result without a call (`step` itself) tells what came back only."""
        answer = step if step.kind == "result" else result
        told: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.conversation.id": self._info.session,
            "diarist.actor": step.actor,
            "gen_ai.tool.name": step.tool or (answer.tool if answer is not None else ""),
            "gen_ai.tool.call.id": step.call_id or step.rid,
            "gen_ai.tool.call.arguments": "" if step.arguments is None else _json(step.arguments),
        }
        failed = answer is not None and answer.error is True
        if answer is not None:
            told |= {"gen_ai.tool.call.result": answer.text, "error.type": "tool_error" if failed else ""}
            told |= {"process.exit.code": answer.exit_code, "diarist.mark": answer.mark}
        start = self._tick(step.at)
        end = max(start + 1000, _nanoseconds(answer.at) if answer is not None and answer.at is not None else 0)
        span = self._span(self._id(f"tool\0{step.rid}\0{number}"), f"execute_tool {step.tool}".strip(), start, end, told)
        return {**span, "status": FAILED} if failed else span

    def _event(self, step: Step) -> dict[str, Any]:
        attributes = _attributes({"diarist.mark": step.mark, "diarist.text": step.text, "diarist.actor": step.actor})
        return {"timeUnixNano": str(self._tick(step.at)), "name": "diarist.notice", "attributes": attributes}

    def _span(self, name: str, title: str, start: int, end: int, told: dict[str, Any]) -> dict[str, Any]:
        return {
            "traceId": self._trace,
            "spanId": name,
            "parentSpanId": self._root,
            "name": title,
            "kind": 1,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(end),
            "attributes": _attributes(told),
        }

    def _tick(self, at: datetime | None) -> int:
        """When something began: never before what was told before it."""
        self._clock = max(self._clock + 1000, _nanoseconds(at) if at is not None else 0)
        return self._clock

    def _id(self, name: str) -> str:
        return hashlib.sha256(f"{self._trace}\0{name}".encode()).hexdigest()[:16]


def _nanoseconds(at: datetime) -> int:
    elapsed = at - _EPOCH
    return ((elapsed.days * 86400 + elapsed.seconds) * 10**6 + elapsed.microseconds) * 1000


def _attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    """OTLP's list of keys and typed values; what is empty or unknown is left out."""
    return [{"key": name, "value": _value(value)} for name, value in told.items() if value is not None and value != ""]


def _value(value: object) -> dict[str, Any]:
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
