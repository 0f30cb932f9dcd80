"""Agents that write events: the ones that say something are told, the ones that repeat it are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contract.importers.passes import TRANSCRIPTS, Taken, lines, take
from unit.importers.records import SESSION, Claude, event, marks, rollout, said

Shown = list[tuple[str, str, str]]


def shown(taken: Taken) -> Shown:
    """Kind, mark and text of each step."""
    return [(step.kind, step.mark, step.text) for step in taken.steps]


def codex(*items: dict[str, Any]) -> Taken:
    return take(lines(*rollout(*items)), "codex")


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        (event("error", message="stream disconnected"), [("notice", "api-error", "stream disconnected")]),
        (event("error", message="You've hit your usage limit."), [("notice", "limit", "You've hit your usage limit.")]),
        (event("turn_aborted", reason="budget_limited"), [("notice", "limit", "budget_limited")]),
        (event("turn_aborted", reason="replaced"), []),
        (event("task_complete", last_agent_message="Done."), [("reply", "", "Done."), ("notice", "end", "")]),
        (event("user_message", message="Only here."), [("prompt", "", "Only here.")]),
        (event("agent_message", message="Only here."), [("reply", "", "Only here.")]),
        (event("token_count", info=None), []),
        (event("some_new_event"), []),
    ],
)
def test_events_of_codex_that_nothing_else_tells(happened: dict[str, Any], expected: Shown) -> None:
    assert shown(codex(happened)) == expected


@pytest.mark.parametrize(
    ("ended", "tool", "failed", "code"),
    [
        (event("exec_command_end", call_id="c1", command=["make"], exit_code=2, aggregated_output="no rule"), "shell", True, 2),
        (event("exec_command_end", call_id="c1", command=["make"], exit_code=0, stdout="no rule"), "shell", False, 0),
        (event("patch_apply_end", call_id="c1", success=False, stderr="no rule", changes={"a": {}}), "apply_patch", True, None),
        (
            event(
                "mcp_tool_call_end",
                call_id="c1",
                invocation={"server": "printer", "tool": "status", "arguments": {}},
                result={"Ok": {"content": [{"type": "text", "text": "no rule"}], "isError": True}},
            ),
            "mcp__printer__status",
            True,
            None,
        ),
        (
            event(
                "item_completed",
                item={"type": "CommandExecution", "id": "c1", "command": "make", "exit_code": 1, "aggregated_output": "no rule"},
            ),
            "shell",
            True,
            1,
        ),
    ],
)
def test_what_ran_without_a_call_of_its_own_stands_for_itself(ended: dict[str, Any], tool: str, failed: bool, code: int | None) -> None:
    taken = codex(ended)
    assert [(step.kind, step.tool) for step in taken.steps] == [("call", tool), ("result", "")]
    assert (taken.steps[1].text, taken.steps[1].error, taken.steps[1].exit_code) == ("no rule", failed, code)
    assert taken.capture.calls_paired == 1


def test_an_event_gives_a_known_call_the_exit_status_its_output_does_not_tell() -> None:
    taken = codex(
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["make"]}, "status": "completed"},
        event("exec_command_end", call_id="c1", command=["make"], exit_code=2),
        {"type": "function_call_output", "call_id": "c1", "output": "no rule"},
    )
    assert [step.kind for step in taken.steps] == ["call", "result"]
    assert (taken.steps[1].error, taken.steps[1].exit_code) == (True, 2)


def test_a_command_of_the_persons_own_is_a_notice() -> None:
    ended = event("exec_command_end", call_id="c1", command=["bash", "-lc", "git status"], exit_code=0, source="user_shell", stdout="clean")
    assert shown(codex(ended)) == [("notice", "command", "! git status"), ("notice", "machine", "clean")]


def test_a_compaction_is_told_by_its_summary() -> None:
    taken = codex(said("user", "a"), {"envelope": "compacted", "message": "They asked for a."})
    assert shown(taken)[-1] == ("notice", "compaction", "They asked for a.")


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"subtype": "model_refusal_fallback", "originalModel": "a", "fallbackModel": "b"}, ["model-refusal", "model"]),
        ({"subtype": "local_command", "content": "<local-command-stdout>done</local-command-stdout>"}, ["machine"]),
        ({"subtype": "stop_hook_summary", "hookErrors": ["lint failed"]}, ["machine"]),
        ({"subtype": "stop_hook_summary", "hookErrors": []}, []),
        ({"subtype": "microcompact_boundary", "content": "Context microcompacted"}, []),
        ({"subtype": "turn_duration", "durationMs": 1500}, []),
        ({"subtype": "informational", "content": "Switched to the printer's profile"}, ["machine"]),
    ],
)
def test_system_records_of_claude_code(record: dict[str, Any], expected: list[str]) -> None:
    taken = take(lines(Claude().record("system", **record)), "claude-code")
    assert marks(taken.steps) == expected


def test_a_hook_that_blocked_is_told_and_a_nested_memory_is_not() -> None:
    claude = Claude()
    blocked = {"type": "hook_blocking_error", "blockingError": {"blockingError": "tabs only", "command": "lint"}}
    taken = take(
        lines(claude.record("attachment", attachment=blocked), claude.record("attachment", attachment={"type": "nested_memory"})),
        "claude-code",
    )
    assert shown(taken) == [("notice", "machine", "tabs only")]
    assert taken.capture.skipped == {"attachment": 1}


def copilot(*events: tuple[str, dict[str, Any]]) -> Taken:
    start = {"type": "session.start", "data": {"sessionId": SESSION, "context": {}}, "id": "e0", "timestamp": "2026-11-02T09:00:00Z"}
    told = [
        {"type": kind, "data": data, "id": f"e{number}", "timestamp": f"2026-11-02T09:00:{number:02d}Z"}
        for number, (kind, data) in enumerate(events, 1)
    ]
    return take(lines(start, *told), "copilot")


def test_events_of_copilot() -> None:
    usage = {"gpt-5": {"usage": {"inputTokens": 100, "outputTokens": 9, "cacheReadTokens": 40, "cacheWriteTokens": 0}}}
    taken = copilot(
        ("user.message", {"content": "Fix it."}),
        ("assistant.reasoning", {"content": "Look first."}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "edit", "arguments": {"path": "label.py"}}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": False, "error": {"code": "rejected", "message": "not like that"}}),
        ("session.model_change", {"previousModel": "gpt-5-mini", "newModel": "gpt-5"}),
        ("session.compaction_complete", {"summaryContent": "They asked to fix it."}),
        ("abort", {"reason": "user initiated"}),
        ("assistant.turn_end", {"turnId": "1"}),
        ("session.shutdown", {"shutdownType": "routine", "modelMetrics": usage, "totalApiDurationMs": 1200}),
    )
    assert [step.kind for step in taken.steps if not step.mark] == ["prompt", "thought", "call"]
    assert [mark for mark in marks(taken.steps) if mark not in {"model", "escalation"}] == ["refusal", "compaction", "interrupt", "end"]
    total = taken.session.usage
    assert (total.input_tokens, total.cache_read_tokens, total.output_tokens, total.latency_ms) == (60, 40, 9, 1200)


def kimi(*records: dict[str, Any]) -> Taken:
    return take(lines({"type": "metadata", "protocol_version": "1.4"}, *records), "kimi")


def loop(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": kind, **fields}, "time": 1793610000000}


def test_events_of_kimi() -> None:
    prompt = {"type": "turn.prompt", "input": [{"type": "text", "text": "Fix it."}], "origin": {"kind": "user"}}
    usage = {"inputOther": 10, "output": 4, "inputCacheRead": 6, "inputCacheCreation": 0}
    taken = kimi(
        prompt,
        {"type": "context.append_message", "message": {"role": "user", "content": prompt["input"], "origin": {"kind": "user"}}},
        {"type": "context.append_message", "message": {"role": "user", "content": "note", "origin": {"kind": "system_trigger"}}},
        loop("content.part", part={"type": "think", "think": "Look first."}),
        loop("tool.call", toolCallId="c1", name="Bash", args={"command": "rm label.py"}),
        {"type": "permission.record_approval_result", "toolCallId": "c1", "result": {"decision": "rejected"}},
        loop("tool.result", toolCallId="c1", result={"output": "not that one", "isError": True}),
        loop("step.end", uuid="s1", usage=usage),
        {"type": "turn.ended", "reason": "max_steps_reached"},
        {"type": "turn.ended", "reason": "completed"},
    )
    assert taken.texts("prompt") == ["Fix it."]
    assert marks(taken.steps) == ["machine", "refusal", "limit", "end"]
    total = taken.session.usage
    assert (total.input_tokens, total.output_tokens, total.cache_read_tokens) == (10, 4, 6)


def openhands(*events: dict[str, Any]) -> Taken:
    asked = {"source": "user", "action": "message", "args": {"content": "Fix it."}, "message": ""}
    told = [{"id": number, "timestamp": "2026-11-02T09:00:00", **each} for number, each in enumerate((asked, *events))]
    return take(json.dumps(told).encode(), "openhands")


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        ({"action": "think", "args": {"thought": "Look first."}}, [("thought", "", "Look first.")]),
        ({"action": "reject", "args": {"thought": "I cannot."}}, [("reply", "", "I cannot."), ("notice", "give-up", "reject")]),
        ({"action": "delegate", "args": {"agent": "Browser", "inputs": {}}}, [("notice", "handover", "-> Browser: {}")]),
        ({"action": "condensation", "args": {"summary": "They asked."}}, [("notice", "compaction", "They asked.")]),
        ({"observation": "user_rejected", "content": "not that"}, [("result", "refusal", "not that")]),
        ({"observation": "error", "content": "Agent reached maximum iteration"}, [("notice", "limit", "Agent reached maximum iteration")]),
        ({"observation": "agent_state_changed", "content": "", "extras": {"agent_state": "finished"}}, [("notice", "end", "")]),
        ({"observation": "recall", "content": "workspace", "extras": {}}, []),
        ({"action": "message", "args": {"content": "Which one?"}}, [("reply", "", "Which one?")]),
    ],
)
def test_events_of_openhands(happened: dict[str, Any], expected: Shown) -> None:
    assert shown(openhands({"source": "agent", "message": "", **happened}))[1:] == expected


def test_a_command_of_openhands_that_still_runs_has_no_exit_code() -> None:
    run = {"source": "agent", "action": "run", "args": {"command": "make"}, "message": ""}
    gave = {"source": "agent", "observation": "run", "content": "…", "cause": 1, "extras": {"metadata": {"exit_code": -1}}, "message": ""}
    assert [(step.error, step.exit_code) for step in openhands(run, gave).steps if step.kind == "result"] == [(None, None)]


def test_pairs_of_older_openhands_files_meet_without_ids() -> None:
    history = [
        [{"source": "user", "action": "message", "args": {"content": "Fix it."}}, {"observation": "null", "content": "", "extras": {}}],
        [
            {"source": "agent", "action": "run", "args": {"command": "make", "thought": "Build."}},
            {"observation": "run", "content": "no rule", "extras": {"exit_code": 2}},
        ],
    ]
    row = {"instance_id": "x", "instruction": "Fix it.", "history": history, "git_patch": "", "metrics": None, "error": None}
    taken = take(lines(row), "openhands")
    assert (taken.capture.calls, taken.capture.calls_paired) == (1, 1)
    assert [(step.text, step.exit_code) for step in taken.steps if step.kind == "result"] == [("no rule", 2)]


@pytest.mark.parametrize(
    ("status", "mark"),
    [
        ("submitted", "submit"),
        ("submitted (exit_cost)", "limit"),
        ("exit_context", "limit"),
        ("early_exit", "give-up"),
        ("exit_api", "api-error"),
        ("exit_error", "error-end"),
    ],
)
def test_an_exit_status_says_how_a_run_ended_and_not_how_well(status: str, mark: str) -> None:
    run = json.loads((TRANSCRIPTS / "swe-agent.traj").read_bytes())
    run["info"]["exit_status"] = status
    assert mark in marks(take(json.dumps(run).encode()).steps)


def test_what_the_harness_wrote_as_it_ended_a_run_is_neither_called_nor_said_by_the_agent() -> None:
    run = json.loads((TRANSCRIPTS / "swe-agent.traj").read_bytes())
    before = take(json.dumps(run).encode())
    said = "Exit due to cost limit"
    run["trajectory"].append({"action": "exit_cost", "thought": said, "response": said, "observation": "Exited (autosubmitted)"})
    after = take(json.dumps(run).encode())
    assert [step.tool for step in after.steps if step.kind == "call"] == [step.tool for step in before.steps if step.kind == "call"]
    assert said not in after.texts("reply")


def test_a_trajectory_that_is_gone_is_told_from_its_history() -> None:
    run = json.loads((TRANSCRIPTS / "swe-agent.traj").read_bytes())
    run["trajectory"] = []
    run["history"][4] |= {"action": "python -m pytest -q\n", "thought": "Let me run the tests."}
    taken = take(json.dumps(run).encode(), "swe-agent")
    assert [step.kind for step in taken.steps if not step.mark] == ["prompt", "reply", "call", "result"]
    assert taken.capture.skipped["demo"] == 2


ASKED = {"role": "user", "content": "Fix it."}
CALLED = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "sh", "arguments": '{"a":1}'}}]}
GAVE = {"role": "tool", "tool_call_id": "c1", "content": "no rule"}


def span(attributes: dict[str, Any], **fields: Any) -> bytes:
    listed = [{"key": name, "value": {"stringValue": value} if isinstance(value, str) else value} for name, value in attributes.items()]
    one = {
        "traceId": "ab" * 16,
        "spanId": "01" * 8,
        "name": "chat",
        "startTimeUnixNano": "1793610000000000000",
        "attributes": listed,
        **fields,
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]}).encode()


def test_messages_of_a_span_wherever_its_convention_keeps_them() -> None:
    texts = {"gen_ai.input.messages": json.dumps([ASKED, CALLED, GAVE]), "gen_ai.operation.name": "chat"}
    inference = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Fix it.",
        "llm.input_messages.1.message.role": "assistant",
        "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "sh",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"a":1}',
        "llm.input_messages.2.message.role": "tool",
        "llm.input_messages.2.message.tool_call_id": "c1",
        "llm.input_messages.2.message.content": "no rule",
    }
    events = [
        {
            "name": f"gen_ai.{message['role']}.message",
            "attributes": [{"key": "gen_ai.event.content", "value": {"stringValue": json.dumps(message)}}],
        }
        for message in (ASKED, CALLED, GAVE)
    ]
    packed = {"arrayValue": {"values": [_packed(message) for message in (ASKED, CALLED, GAVE)]}}
    taken = [
        take(span(texts)),
        take(span(inference)),
        take(span({"gen_ai.operation.name": "chat"}, events=events)),
        take(span({"gen_ai.operation.name": "chat", "gen_ai.input.messages": packed})),
    ]
    for each in taken:
        assert [(step.kind, step.text, step.tool, step.arguments) for step in each.steps] == [
            ("prompt", "Fix it.", "", None),
            ("call", "", "sh", {"a": 1}),
            ("result", "no rule", "", None),
        ]
        assert (each.capture.calls, each.capture.calls_paired) == (1, 1)


def _packed(value: object) -> dict[str, Any]:
    """A value as OTLP writes it."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": name, "value": _packed(item)} for name, item in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_packed(item) for item in value]}}
    return {"stringValue": value}


def test_a_failed_span_of_the_model_is_a_failure_of_the_service() -> None:
    failed = {"status": {"code": 2, "message": "429 rate limited"}}
    assert marks(take(span({"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}, **failed)).steps) == ["api-error"]


def test_events_of_qwen() -> None:
    def record(number: int, kind: str, **fields: Any) -> dict[str, Any]:
        stamp = f"2026-11-02T09:00:{number:02d}Z"
        return {
            "uuid": f"019f1000-0000-7000-8000-{number:012d}",
            "sessionId": SESSION,
            "timestamp": stamp,
            "type": kind,
            "version": "0.2",
            **fields,
        }

    taken = take(
        lines(
            record(1, "user", message={"role": "user", "parts": [{"text": "Fix it."}]}),
            record(2, "system", subtype="slash_command", systemPayload={"rawCommand": "/compress", "phase": "invocation"}),
            record(3, "system", subtype="chat_compression", systemPayload={"summary": "They asked."}),
            record(4, "system", subtype="rewind", systemPayload={}),
            record(5, "system", subtype="ui_telemetry", systemPayload={}),
        ),
        "qwen",
    )
    assert taken.texts("prompt") == ["Fix it."]
    assert marks(taken.steps) == ["command", "compaction", "machine"]
    assert taken.capture.skipped == {"state": 1}
