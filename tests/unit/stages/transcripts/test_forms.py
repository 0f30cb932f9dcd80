"""What each form holds, looked at as its readers do."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from diarist.errors import UsageError
from diarist.model.redacted import Redacted, RedactedJson
from diarist.model.session import CaptureReport, Session, SessionInfo, Step, Usage
from diarist.stages.transcripts import render
from diarist.stages.transcripts.turns import WAITING, Turns

AT = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def step(kind: Any, number: int, text: str = "", **said: Any) -> Step:
    return Step(kind=kind, rid=Redacted(f"r{number}"), at=AT + timedelta(seconds=number), text=Redacted(text), **said)


def call(number: int, call_id: str, **said: Any) -> Step:
    return step("call", number, tool=Redacted("bash"), arguments=RedactedJson({"command": "ls"}), call_id=Redacted(call_id), **said)


def result(number: int, call_id: str, text: str = "out", **said: Any) -> Step:
    return step("result", number, text, call_id=Redacted(call_id), **said)


def session(*steps: Step, **facts: Any) -> Session:
    info = SessionInfo(session="s-1", agent="claude-code", format="claude-code/jsonl", started_at=AT, ended_at=AT, **facts)
    return Session(info=info, project=Redacted(""), capture=CaptureReport(), steps=steps, redaction_hash="")


def written(told: Session, form: str) -> bytes:
    return b"".join(render(told, form))


def test_words_calls_and_results_of_one_reply_are_one_step_of_a_trajectory() -> None:
    steps = (
        step("prompt", 1, "Fix it."),
        step("thought", 2, "Hm."),
        step("reply", 3, "I look."),
        call(4, "a"),
        call(5, "b"),
        result(6, "b", "second"),
        result(7, "a", "first", error=True, exit_code=1),
        step("reply", 8, "Done."),
    )
    document = json.loads(written(session(*steps, usage=Usage(input_tokens=5, cache_read_tokens=3)), "atif"))
    asked, worked, ended = document["steps"]
    assert (asked["source"], asked["message"]) == ("user", "Fix it.")
    assert (worked["message"], worked["reasoning_content"]) == ("I look.", "Hm.")
    assert [each["tool_call_id"] for each in worked["tool_calls"]] == ["a", "b"]
    assert [each["content"] for each in worked["observation"]["results"]] == ["second", "first"]
    assert ended["message"] == "Done."
    assert document["final_metrics"]["total_prompt_tokens"] == 8


def test_a_subagent_is_a_trajectory_within_the_trajectory() -> None:
    steps = (step("prompt", 1, "Fix it."), step("reply", 2, "Found.", actor=Redacted("w1")), step("reply", 3, "Done."))
    document = json.loads(written(session(*steps), "atif"))
    assert [each["message"] for each in document["steps"]] == ["Fix it.", "Done."]
    (worker,) = document["subagent_trajectories"]
    assert (worker["trajectory_id"], [each["message"] for each in worker["steps"]]) == ("w1", ["Found."])


def test_a_call_without_an_answer_does_not_hold_back_the_rest_for_ever() -> None:
    turns = Turns()
    assert list(turns.take(0, call(0, "a"))) == []
    given = [turn for number in range(1, 2 * WAITING) for turn in turns.take(number, step("prompt", number, "?"))]
    assert len(given) > WAITING - 2
    late = list(turns.take(9999, result(9999, "a")))
    assert sum(turn.alone is not None and turn.alone[1].kind == "result" for turn in [*late, *turns.rest()]) == 1


def test_a_trace_has_a_span_for_each_reply_and_each_call() -> None:
    steps = (
        step("prompt", 1, "Fix it."),
        step("reply", 2, "I look."),
        call(3, "a"),
        result(4, "a", "no such file", error=True, exit_code=2),
        step("notice", 5, "stopped", mark="interrupt"),
    )
    (resource,) = json.loads(written(session(*steps, cwd="/work"), "otel"))["resourceSpans"]
    spans = resource["scopeSpans"][0]["spans"]
    told = [{each["key"]: next(iter(each["value"].values())) for each in span["attributes"]} for span in spans]
    assert [each["gen_ai.operation.name"] for each in told] == ["chat", "execute_tool", "invoke_agent"]
    assert json.loads(told[0]["gen_ai.input.messages"]) == [{"role": "user", "parts": [{"type": "text", "content": "Fix it."}]}]
    assert (told[1]["gen_ai.tool.call.result"], told[1]["process.exit.code"], spans[1]["status"]["code"]) == ("no such file", "2", 2)
    assert len({span["spanId"] for span in spans}) == 3
    assert {span.get("parentSpanId", spans[2]["spanId"]) for span in spans} == {spans[2]["spanId"]}
    starts = [int(span["startTimeUnixNano"]) for span in spans]
    assert starts[2] <= starts[0] < starts[1]
    assert spans[2]["events"][0]["name"] == "diarist.notice"


def test_a_page_shows_who_said_what_and_what_came_of_it() -> None:
    steps = (
        step("prompt", 1, "# Fix it\nplease"),
        call(2, "a"),
        result(3, "a", "boom", error=True, exit_code=1),
        step("thought", 4, "Hm."),
    )
    page = written(session(*steps, title="Weight *twice*"), "markdown").decode()
    assert page.startswith("# Weight \\*twice\\*\n")
    assert "### Fix it\nplease" in page
    assert "### `bash`" in page
    assert "*failed, exit code 1:*\n\n```\nboom\n```" in page
    assert "> Hm." in page


def test_there_is_no_other_form() -> None:
    with pytest.raises(UsageError, match="there are atif, otel, jsonl, markdown"):
        render(session(step("prompt", 1, "x")), "csv")
