"""Whatever a session holds: written out and read in again, it is the same session."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from diarist.importers import find_importer
from diarist.model.redacted import Redacted, RedactedJson, derived
from diarist.model.session import CaptureReport, Mark, RawStep, Session, SessionInfo, Step, Usage
from diarist.stages.transcripts import render

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
NAMES = st.text("abcxyz-_.:", min_size=1, max_size=12)
TIMES = st.none() | st.integers(0, 10**7).map(lambda number: START + timedelta(milliseconds=number))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
MARKS = st.sampled_from(get_args(Mark))
ACTORS = st.sampled_from(("", "", "", "worker-1", "worker-2"))


@st.composite
def steps_of_a_session(draw: Callable[..., Any]) -> list[Step]:
    """Steps in any order: calls whose results come at once, late, twice or never; results of no call; several actors."""
    calls: list[tuple[str, str]] = []
    made = []
    for number in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from(("prompt", "reply", "thought", "call", "result", "notice")))
        said: dict[str, Any] = {"at": draw(TIMES), "actor": derived(draw(ACTORS)), "text": derived(draw(TEXTS))}
        if kind == "call":
            said |= {"tool": derived(draw(NAMES)), "call_id": derived(draw(st.just("") | NAMES))}
            said["arguments"] = draw(st.none() | st.dictionaries(TEXTS, VALUES, max_size=3).map(RedactedJson))
            calls.append((said["call_id"], said["actor"]))
        elif kind == "result":
            call_id, actor = draw(st.sampled_from(calls)) if calls and draw(st.booleans()) else (derived(draw(NAMES)), said["actor"])
            said |= {"call_id": call_id, "actor": actor, "tool": derived(draw(st.just("") | NAMES))}
            said |= {"error": draw(st.none() | st.booleans()), "exit_code": draw(st.none() | st.integers(-64, 255)), "mark": draw(MARKS)}
        elif kind == "notice":
            said["mark"] = draw(MARKS)
        made.append(Step(kind=kind, rid=derived(f"r{number}/{draw(st.integers(0, 2))}"), **said))
    return made


@st.composite
def facts(draw: Callable[..., Any]) -> SessionInfo:
    """Facts of a session, any of them unknown."""
    actor = draw(st.just("") | st.just("worker-1"))
    return SessionInfo(
        session=draw(NAMES),
        agent=draw(NAMES),
        format="claude-code/jsonl",
        role="subagent" if actor else "main",
        actor=actor,
        agent_version=draw(st.just("") | st.just("2.1.0")),
        models=tuple(draw(st.lists(NAMES, unique=True, max_size=3))),
        **{name: draw(st.just("") | NAMES) for name in ("cwd", "repository", "branch", "title", "parent_session", "workflow", "split_of")},
        started_at=START,
        ended_at=START + timedelta(days=1, microseconds=draw(st.integers(0, 999999))),
        usage=Usage(
            **{name: draw(st.integers(0, 10**6)) for name in ("input_tokens", "output_tokens", "cache_read_tokens")},
            cache_write_tokens=draw(st.integers(0, 5)),
            reasoning_tokens=draw(st.integers(0, 5)),
            cost_usd=draw(st.none() | st.integers(0, 1000).map(lambda cents: cents / 100)),
            latency_ms=draw(st.none() | st.integers(1, 10**6)),
        ),
    )


def session_of(steps: list[Step], info: SessionInfo) -> Session:
    return Session(info=info, project=Redacted(""), capture=CaptureReport(), steps=steps, redaction_hash="0" * 64)


def read_back(data: bytes) -> tuple[list[Step], dict[str, SessionInfo]]:
    """What the importer that knows the document takes from it."""
    importer = find_importer(data[:65536], None)
    assert importer is not None
    reading = importer.read(io.BytesIO(data), None)
    steps = [_redacted(raw) for raw in reading]
    assert all(capture.seen == capture.kept + sum(capture.skipped.values()) for capture in reading.captures.values())
    return steps, dict(reading.sessions)


def _redacted(raw: RawStep) -> Step:
    """Generated texts hold no secrets."""
    arguments = None if raw.arguments is None else RedactedJson(raw.arguments)
    names = ("rid", "text", "tool", "call_id", "actor")
    said: dict[str, Any] = {name: derived(getattr(raw, name)) for name in names}
    return Step(kind=raw.kind, at=raw.at, arguments=arguments, error=raw.error, exit_code=raw.exit_code, mark=raw.mark, **said)


@given(steps_of_a_session(), facts())
def test_a_session_written_as_a_trajectory_comes_back_as_it_was(steps: list[Step], info: SessionInfo) -> None:
    data = b"".join(render(session_of(steps, info), "atif"))
    back, infos = read_back(data)
    assert back == _told_apart(steps)
    assert infos == {info.session: msgspec.structs.replace(info, format="atif/json")}


def _told_apart(steps: list[Step]) -> list[Step]:
    """Ids that come twice are told apart, as the importer does it; step texts that a kind has no use for are left out."""
    seen: set[str] = set()
    told = []
    for number, step in enumerate(steps):
        told.append(msgspec.structs.replace(step, rid=derived(f"{step.rid}~{number}")) if step.rid in seen else step)
        seen.add(step.rid)
    return told


@given(steps_of_a_session(), facts())
def test_a_session_written_in_the_neutral_form_comes_back_as_it_was(steps: list[Step], info: SessionInfo) -> None:
    once = list({step.rid: step for step in reversed(steps)}.values())[::-1]  # a step that comes again is a copy there
    back, infos = read_back(b"".join(render(session_of(once, info), "jsonl")))
    assert back == once
    assert infos == {info.session: msgspec.structs.replace(info, format="diarist/session", split_of="")}


@given(steps_of_a_session(), facts())
def test_the_trajectory_is_valid_and_the_same_every_time(steps: list[Step], info: SessionInfo) -> None:
    data = b"".join(render(session_of(steps, info), "atif"))
    assert data == b"".join(render(session_of(steps, info), "atif"))
    document = json.loads(data)
    trajectories = [document, *document.get("subagent_trajectories", [])]
    assert len({each.get("trajectory_id") for each in trajectories}) == len(trajectories)
    for trajectory in trajectories:
        assert [step["step_id"] for step in trajectory["steps"]] == list(range(1, len(trajectory["steps"]) + 1))
        for step in trajectory["steps"]:
            assert step["source"] in {"system", "user", "agent"}
            assert step["source"] == "agent" or not {"tool_calls", "reasoning_content"} & set(step)
            called = {call["tool_call_id"] for call in step.get("tool_calls", ())}
            answered = {result.get("source_call_id") for result in step.get("observation", {}).get("results", ())}
            assert answered - {None} <= called
