"""ATIF, the Agent Trajectory Interchange Format (Harbor's RFC 0001), version 1.7: one JSON document a session.

What ATIF has a field for stands in that field and nowhere else. What it has none for (record ids, error flags, exit codes,
marks) stands beside it in `extra.diarist`, so that `diarist.importers.atif` gives back the same steps. Subagents are embedded
trajectories. What a host stated about a run is left out: a file must not be able to claim it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from diarist.model.session import Session, SessionInfo, Step, Usage
from diarist.stages.transcripts.turns import Turn, Turns

VERSION = "ATIF-v1.7"
OWN = "diarist"
OWN_VERSION = 1
_FACTS = ("cwd", "repository", "branch", "title", "parent_session", "workflow", "split_of", "role", "actor", "format", "rendering")
_encode = msgspec.json.Encoder().encode


def render(session: Session) -> Iterator[bytes]:
    """The document, piece by piece, compact, with a line feed at its end."""
    info = session.info
    main = info.actor if info.role == "subagent" else ""
    writers: dict[str, _Trajectory] = {}
    yield _encode(_head(info)).removesuffix(b"}") + b',"steps":['
    root = writers[main] = _Trajectory()
    for number, step in enumerate(session.steps):
        writer = writers.get(step.actor)
        if writer is None:
            writer = writers[step.actor] = _Trajectory()
        writer.add(number, step)
        if root.ready:
            yield root.drain()
    root.finish()
    if root.empty:
        root.ready += _encode({"step_id": 1, "source": "system", "message": ""})
    yield root.drain() + b"]"
    yield from _tail(session, {actor: each for actor, each in writers.items() if each is not root})


class _Trajectory:
    """The steps of one actor, encoded as they become complete."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._written = 0
        self.ready = bytearray()

    @property
    def empty(self) -> bool:
        """True as long as there is no step."""
        return not self._written

    def add(self, number: int, step: Step) -> None:
        """Takes a step of the session."""
        for turn in self._turns.take(number, step):
            self._write(turn)

    def finish(self) -> None:
        """No more steps will come."""
        for turn in self._turns.rest():
            self._write(turn)

    def drain(self) -> bytes:
        """What was encoded since the last time."""
        done = bytes(self.ready)
        self.ready.clear()
        return done

    def _write(self, turn: Turn) -> None:
        if self._written:
            self.ready += b","
        self._written += 1
        self.ready += _encode({"step_id": self._written, **_step(turn)})


# --- the frame ------------------------------------------------------------------------------------------------------------


def _head(info: SessionInfo) -> dict[str, Any]:
    agent: dict[str, Any] = {"name": info.agent, "version": info.agent_version or "unknown"}
    if info.models:
        agent["model_name"] = info.models[0]
    return {"schema_version": VERSION, "session_id": info.session, "agent": agent}


def _tail(session: Session, others: dict[str, _Trajectory]) -> Iterator[bytes]:
    info = session.info
    yield b',"final_metrics":' + _encode(_metrics(info.usage))
    opening = b',"subagent_trajectories":['
    for actor, writer in sorted(others.items()):
        writer.finish()
        head = {**_head(info), "trajectory_id": actor, "extra": {OWN: {"version": OWN_VERSION, "actor": actor}}}
        yield opening + _encode(head).removesuffix(b"}") + b',"steps":[' + writer.drain() + b"]}"
        opening = b","
    if others:
        yield b"]"
    yield b',"extra":' + _encode({OWN: _facts(info)}) + b"}\n"


def _facts(info: SessionInfo) -> dict[str, Any]:
    """Facts of the session that ATIF has no field for."""
    facts: dict[str, Any] = {name: value for name in _FACTS if (value := getattr(info, name))}
    facts["version"] = OWN_VERSION
    if len(info.models) > 1:
        facts["models"] = list(info.models)
    for name in ("started_at", "ended_at"):
        if (at := getattr(info, name)) is not None:
            facts[name] = _moment(at)
    return facts


def _metrics(usage: Usage) -> dict[str, Any]:
    """Prompt tokens count those read from a cache or written to it, as ATIF has it."""
    metrics: dict[str, Any] = {
        "total_prompt_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        "total_completion_tokens": usage.output_tokens,
        "total_cached_tokens": usage.cache_read_tokens,
    }
    if usage.cost_usd is not None:
        metrics["total_cost_usd"] = usage.cost_usd
    extra = {
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "reasoning_output_tokens": usage.reasoning_tokens,
        "latency_ms": usage.latency_ms,
    }
    if any(value is not None and value != 0 for value in extra.values()):
        metrics["extra"] = {name: value for name, value in extra.items() if value is not None}
    return metrics


def _moment(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


# --- steps ----------------------------------------------------------------------------------------------------------------


def _step(turn: Turn) -> dict[str, Any]:
    at = turn.first.at
    stamp = {} if at is None else {"timestamp": _moment(at)}
    if turn.alone is not None:
        return {**stamp, **_alone(*turn.alone)}
    own: dict[str, Any] = {}
    step: dict[str, Any] = {**stamp, "source": "agent", "message": ""}
    if turn.reply is not None:
        step["message"] = turn.reply[1].text
        own["reply"] = _beside(*turn.reply, at)
    if turn.thought is not None:
        step["reasoning_content"] = turn.thought[1].text
        own["thought"] = _beside(*turn.thought, at)
    if turn.calls:
        step["tool_calls"] = [_call(number, call, at) for number, call in turn.calls]
    if turn.results:
        step["observation"] = {"results": [_result(number, result, at) for number, result in turn.results]}
    if own:
        step["extra"] = {OWN: own}
    return step


def _alone(number: int, step: Step) -> dict[str, Any]:
    if step.kind == "result":
        orphan = {"content": step.text, "extra": {OWN: {**_flags(number, step, step.at), "call_id": step.call_id}}}
        return {"source": "system", "message": "", "observation": {"results": [orphan]}}
    source = "user" if step.kind == "prompt" else "system"
    return {"source": source, "message": step.text, "extra": {OWN: {step.kind: _beside(number, step, step.at)}}}


def _call(number: int, call: Step, at: datetime | None) -> dict[str, Any]:
    own = _beside(number, call, at)
    if call.text:
        own["text"] = call.text
    if call.arguments is None:
        own["arguments"] = False
    if not call.call_id:
        own["call_id"] = ""
    return {
        "tool_call_id": call.call_id or call.rid,
        "function_name": call.tool,
        "arguments": call.arguments or {},
        "extra": {OWN: own},
    }


def _result(number: int, result: Step, at: datetime | None) -> dict[str, Any]:
    found: dict[str, Any] = {"source_call_id": result.call_id, "content": result.text, "extra": {OWN: _flags(number, result, at)}}
    return found


def _flags(number: int, result: Step, at: datetime | None) -> dict[str, Any]:
    own = _beside(number, result, at)
    if result.tool:
        own["tool"] = result.tool
    if result.error is not None:
        own["error"] = result.error
    if result.exit_code is not None:
        own["exit_code"] = result.exit_code
    return own


def _beside(number: int, step: Step, at: datetime | None) -> dict[str, Any]:
    """What ATIF has no field for: the step's place in the session, its id, its mark, and its time where it is not the turn's."""
    own: dict[str, Any] = {"n": number, "id": step.rid}
    if step.mark:
        own["mark"] = step.mark
    if step.at != at:
        own["at"] = None if step.at is None else _moment(step.at)
    return own
