"""Chat messages, the neutral form, and the formats built of messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contract.importers.passes import TRANSCRIPTS, lines, take
from unit.importers.records import marks

ASSISTANT: dict[str, Any] = {"role": "assistant", "content": "Fixed."}


def read(value: object, importer: str = "") -> Any:
    return take(json.dumps(value).encode(), importer)


def test_calls_without_ids_meet_their_results_in_order() -> None:
    calls = [{"function": {"name": "read", "arguments": f'{{"path": "{name}"}}'}} for name in "ab"]
    results = [{"role": "tool", "name": "read", "content": name} for name in "ab"]
    taken = read([{"role": "user", "content": "Fix it."}, {"role": "assistant", "content": None, "tool_calls": calls}, *results])
    ids = [step.call_id for step in taken.steps if step.kind == "call"]
    assert len(set(ids)) == 2
    assert [step.call_id for step in taken.steps if step.kind == "result"] == ids
    assert (taken.capture.calls, taken.capture.calls_paired) == (2, 2)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "Fix it."},
        {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Fix it."}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}],
        },
        {"role": "user", "parts": [{"text": "Fix it."}]},
        {"from": "human", "value": "Fix it."},
        {"role": "Human", "content": "Fix it."},
    ],
)
def test_a_prompt_in_every_spelling(message: dict[str, Any]) -> None:
    assert read([message, ASSISTANT], "messages").texts("prompt") == ["Fix it."]


def test_instructions_of_the_system_are_no_prompt() -> None:
    taken = read(
        [{"role": "system", "content": "Be short."}, {"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Fix it."}]
    )
    assert taken.texts("prompt") == ["Fix it."]
    assert taken.capture.skipped == {"instructions": 2}


def test_a_line_for_each_request_that_repeats_the_conversation_is_told_once() -> None:
    first = [{"role": "user", "content": "Fix it."}, ASSISTANT]
    more = [*first, {"role": "user", "content": "Thanks."}]
    taken = take(lines({"messages": first}, {"messages": more}), "messages")
    assert taken.texts("prompt") == ["Fix it.", "Thanks."]
    assert len(taken.sessions) == 1


def test_two_conversations_with_one_id_are_kept_apart() -> None:
    taken = read([{"id": "1", "messages": [{"role": "user", "content": words}, ASSISTANT]} for words in ("Fix it.", "Ship it.")])
    assert len(taken.sessions) == 2
    assert taken.texts("prompt") == ["Fix it.", "Ship it."]


def test_usage_in_either_spelling_counts_no_input_twice() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    taken = read(
        [{"role": "user", "content": "a"}, {**ASSISTANT, "usage": usage}, {**ASSISTANT, "usage": {"input_tokens": 5, "output_tokens": 1}}]
    )
    total = taken.session.usage
    assert (total.input_tokens, total.cache_read_tokens, total.output_tokens) == (45, 60, 8)


def test_the_neutral_form_gives_back_every_kind_of_step() -> None:
    taken = take((TRANSCRIPTS / "neutral.jsonl").read_bytes())
    assert [step.kind for step in taken.steps] == ["prompt", "thought", "call", "result", "notice", "reply"]
    session = taken.session
    assert (session.session, session.agent, session.models, session.title) == ("run-7", "parcel-bot", ("small-1",), "Weight twice")
    assert (session.usage.input_tokens, session.usage.cost_usd) == (20, 0.001)
    assert marks(taken.steps) == ["limit"]


def test_steps_of_the_neutral_form_without_ids_pair_in_order() -> None:
    steps = [
        {"kind": "call", "tool": "bash"},
        {"kind": "call", "tool": "bash"},
        {"kind": "result", "text": "a"},
        {"kind": "result", "error": True},
    ]
    taken = take(lines({"diarist": "session/1", "session": "s"}, *steps))
    assert taken.capture.calls_paired == 2
    assert [step.error for step in taken.steps if step.kind == "result"] == [None, True]


def test_an_unknown_kind_or_mark_of_the_neutral_form_is_counted_or_left_out() -> None:
    odd = [{"kind": "dream", "text": "x"}, {"kind": "notice", "mark": "odd", "text": "x"}, {"kind": "reply", "text": "same", "id": "1"}]
    taken = take(lines({"diarist": "session/1", "session": "s"}, *odd, odd[2]))
    assert marks(taken.steps) == []
    assert taken.capture.skipped == {"unknown-type": 1, "duplicate": 1}


def test_a_result_of_cline_may_stand_in_a_block_of_its_own() -> None:
    taken = take((TRANSCRIPTS / "cline-api.json").read_bytes())
    results = [step for step in taken.steps if step.kind == "result"]
    assert [step.mark for step in results] == ["", "refusal"]
    assert results[0].text.startswith("Command executed")
    assert results[1].text == "keep the unit"
    assert taken.texts("prompt")[1] == "and now the stamp"


def test_a_command_the_person_ran_in_pi_is_a_notice_and_a_call() -> None:
    taken = take((TRANSCRIPTS / "pi.jsonl").read_bytes())
    at = next(number for number, step in enumerate(taken.steps) if step.mark == "command")
    assert [step.kind for step in taken.steps[at : at + 3]] == ["notice", "call", "result"]
    assert taken.steps[at + 1].arguments == {"command": "git status"}


def test_a_handover_between_the_agents_of_a_group_is_told() -> None:
    taken = take((TRANSCRIPTS / "who-and-when.json").read_bytes())
    assert len(taken.marked("handover")) == 1
    assert "Coder" in taken.marked("handover")[0]


def test_the_conversations_of_a_benchmark_file_are_sessions_of_their_own() -> None:
    run = json.loads((TRANSCRIPTS / "tau-bench.json").read_bytes())[0]
    taken = read([run, {**run, "trial": 1}, {**run, "task_id": 4}])
    assert len(taken.sessions) == 3
