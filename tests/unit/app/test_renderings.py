"""A run that is there natively, as a stream and as other programs tell it counts once, whatever comes first."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

import diarist
from builders import ClaudeSession, fixed_test_session
from diarist.app.memory import Memory
from diarist.model.entry import Entry
from diarist.model.record import RecordFilter

DERIVED = ("prompt", "outcome", "verified", "tried", "worked", "failed", "tools", "files", "file_operations", "id", "workflow")
"""What a run's entry must say, whatever it came in."""


def trajectory(session: ClaudeSession) -> dict[str, Any]:
    """The session as Harbor's converter tells it: turns, results with the client's own block beside them."""
    steps: list[dict[str, Any]] = []
    callers: dict[str, dict[str, Any]] = {}
    for record in session.records:
        content = record["message"]["content"]
        if isinstance(content, str):
            steps.append({"step_id": len(steps) + 1, "timestamp": record["timestamp"], "source": "user", "message": content})
            continue
        for block in content:
            if block["type"] == "tool_result":
                native = {"tool_result_metadata": {"raw_tool_result": block}, "tool_result_is_error": block.get("is_error", False)}
                result = {"source_call_id": block["tool_use_id"], "content": f"{block['content']}\n\n[metadata] {{}}", "extra": native}
                callers[block["tool_use_id"]]["observation"] = {"results": [result]}
                continue
            step: dict[str, Any] = {"step_id": len(steps) + 1, "timestamp": record["timestamp"], "source": "agent", "message": ""}
            if block["type"] == "text":
                step["message"] = block["text"]
            else:
                step["tool_calls"] = [{"tool_call_id": block["id"], "function_name": block["name"], "arguments": block["input"]}]
                callers[block["id"]] = step
            steps.append({**step, "model_name": record["message"]["model"], "extra": {"cwd": record["cwd"], "is_sidechain": False}})
            callers |= {call: steps[-1] for call, each in callers.items() if each is step}
    agent = {"name": "claude-code", "version": "2.1.200", "extra": {"cwds": [session.cwd]}}
    return {"schema_version": "ATIF-v1.7", "session_id": session.id, "agent": agent, "steps": steps}


def stream(session: ClaudeSession) -> list[str]:
    """The session as `claude -p --output-format stream-json` prints it. It does not print the prompt."""
    opening = {"type": "system", "subtype": "init", "session_id": session.id, "cwd": session.cwd, "model": "claude-test-1"}
    lines: list[dict[str, Any]] = [{**opening, "claude_code_version": "2.1.200"}]
    for record in session.records:
        if not isinstance(record["message"]["content"], str):
            told = {"type": record["type"], "message": record["message"], "uuid": record["uuid"], "timestamp": record["timestamp"]}
            lines.append({**told, "session_id": session.id, "parent_tool_use_id": None})
    return [json.dumps(line) + "\n" for line in lines]


@pytest.fixture
def told(tmp_path: Path) -> dict[str, Path]:
    """One run in three forms."""
    session = fixed_test_session(1)
    paths = {"native": session.write(tmp_path / "in"), "stream": tmp_path / "in" / "stream.jsonl", "atif": tmp_path / "in" / "run.json"}
    paths["stream"].write_text("".join(stream(session)), "utf-8")
    paths["atif"].write_text(json.dumps(trajectory(session)), "utf-8")
    return paths


def only_entry(memory: Memory) -> Entry:
    (record,) = memory.list_records(RecordFilter(kinds=("entry",)))
    return memory.get_entry(record.id)


def test_each_form_alone_gives_the_same_entry(told: dict[str, Path], tmp_path: Path) -> None:
    """The stream does not hold the prompt, so nothing that follows from it can be there."""
    entries = {}
    for form, path in told.items():
        with diarist.open_memory(tmp_path / f"ws-{form}") as memory:
            memory.ingest([path])
            entries[form] = only_entry(memory)
    for name in DERIVED:
        assert getattr(entries["atif"], name) == getattr(entries["native"], name), name
        if name not in {"prompt", "tried"}:
            assert getattr(entries["stream"], name) == getattr(entries["native"], name), name
    for form in ("atif", "stream"):
        assert [fix.text for fix in entries[form].fixes] == [fix.text for fix in entries["native"].fixes]
        assert [error.fingerprint for error in entries[form].errors] == [error.fingerprint for error in entries["native"].errors]
        assert [(each.text, each.passed) for each in entries[form].commands] == [
            (each.text, each.passed) for each in entries["native"].commands
        ]


def test_all_forms_together_are_one_entry_in_any_order(told: dict[str, Path], tmp_path: Path) -> None:
    found = set()
    for number, order in enumerate(permutations(told)):
        with diarist.open_memory(tmp_path / f"ws-{number}") as memory:
            for form in order:
                memory.ingest([told[form]])
            entry = only_entry(memory)
            found.add(msgspec.json.encode(entry))
            assert memory.verify(entry.id).ok
    assert len(found) == 1
    assert msgspec.json.decode(found.pop(), type=Entry).source == "claude-code/jsonl"


def test_the_subagents_of_a_trajectory_are_told_apart_from_the_main_agent(tmp_path: Path) -> None:
    """Harbor tells Claude's among the other steps, ATIF 1.7 has trajectories within trajectories."""
    document = trajectory(ClaudeSession(3).prompt("Fix it.").reply("I send somebody."))
    beside = {"is_sidechain": True, "agent_id": "a1"}
    document["steps"].append({"step_id": 3, "source": "user", "message": "Look for it.", "extra": beside})
    document["steps"].append({"step_id": 4, "source": "agent", "message": "Found.", "extra": beside})
    embedded = {"trajectory_id": "w", "agent": {"name": "worker"}, "steps": [{"step_id": 1, "source": "agent", "message": "Mended."}]}
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**document, "subagent_trajectories": [embedded]}), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([path])
        entry = only_entry(memory)
        steps = [json.loads(line) for line in memory.transcript(entry.id).splitlines()]
    assert [(step.get("actor", ""), step["kind"], step["text"]) for step in steps] == [
        ("", "prompt", "Fix it."),
        ("", "reply", "I send somebody."),
        ("a1", "notice", "Look for it."),
        ("a1", "reply", "Found."),
        ("w", "reply", "Mended."),
    ]


def test_a_command_that_printed_nothing_has_passed_though_its_result_was_left_out(tmp_path: Path) -> None:
    """Harbor writes no result where there was nothing to write; the agent could only go on because it got one."""
    session = ClaudeSession(4).prompt("Build it.").bash("make build", "").reply("Built.")
    document = trajectory(session)
    called = next(step for step in document["steps"] if "tool_calls" in step)
    del called["observation"]
    for steps, paired, passed in ((document["steps"], 1, [True]), (document["steps"][:-1], 0, [None])):
        path = tmp_path / f"run-{paired}.json"
        path.write_text(json.dumps({**document, "steps": steps}), "utf-8")
        with diarist.open_memory(tmp_path / f"ws-{paired}") as memory:
            memory.ingest([path])
            entry = only_entry(memory)
            assert (entry.capture.calls, entry.capture.calls_paired) == (1, paired)
            assert [command.passed for command in entry.commands] == passed
