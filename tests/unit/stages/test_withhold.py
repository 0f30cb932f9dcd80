"""What a user keeps private is withheld, and what Diarist itself said is not learned from."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from diarist.model.ids import make_id
from diarist.model.privacy import WithholdRules
from diarist.model.session import RawStep
from diarist.stages.withhold import Withholding
from diarist.text.fence import WITHHELD


def step(kind: Any, text: str = "", **more: Any) -> RawStep:
    return RawStep(kind=kind, session=more.pop("session", "s"), rid="r", text=text, **more)


def kept(rules: WithholdRules, *steps: RawStep) -> list[str]:
    withhold = Withholding(rules)
    return [withhold(each).text for each in steps]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <PRIVATE>b\nb</PRIVATE>", "a [private]"),
        ("a <private>b", "a [private]"),
        ("a <private>x</private><private>y</private>", "a [private][private]"),
        ("nothing < here > is private", "nothing < here > is private"),
    ],
)
def test_private_parts_are_left_out(text: str, left: str) -> None:
    assert kept(WithholdRules(), step("prompt", text)) == [left]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("fix it\n<diarist-context>\nkh-a: old words\n</diarist-context>", "fix it"),
        ("<diarist-context note='x'>old</diarist-context>fix it", "fix it"),
        ("fix it <diarist-context>cut off", "fix it"),
        ('<past-sessions note="x">old <b> words</past-sessions>\nfix it', "fix it"),
    ],
)
def test_what_diarist_put_there_is_taken_out_again(text: str, left: str) -> None:
    assert kept(WithholdRules(), step("prompt", text)) == [left]


@pytest.mark.parametrize(
    "tool", ["mcp__diarist__kb_search", "mcp__plugin_diarist_diarist__find_fix", "diarist.recall", "diarist__kb_fetch"]
)
def test_results_of_its_own_tools_are_withheld_and_the_call_stays(tool: str) -> None:
    call = step("call", tool=tool, call_id="c", arguments={"query": "x"})
    withhold = Withholding(WithholdRules())
    assert withhold(call) == call
    assert withhold(step("result", "kh-a: old words", call_id="c")).text == WITHHELD
    assert withhold(step("result", "other", call_id="d")).text == "other"


def test_of_its_own_answers_the_ids_stay() -> None:
    """They tell the usefulness ledger what an agent was shown."""
    first, second = make_id("a"), make_id("b")
    withhold = Withholding(WithholdRules())
    withhold(step("call", tool="mcp__diarist__recall", call_id="c"))
    told = f"{second}: old words, see {first} and {second}"
    assert withhold(step("result", told, call_id="c")).text == f"{WITHHELD} {second} {first}"
    shell = f"$ diarist recall x\n<diarist-context>\n{first} old words\n</diarist-context>"
    assert withhold(step("result", shell, call_id="d")).text == f"$ diarist recall x\n{WITHHELD} {first}"
    assert withhold(step("prompt", shell)).text == "$ diarist recall x"


def test_what_a_user_keeps_out_is_withheld_whole_though_diarist_was_asked() -> None:
    withhold = Withholding(WithholdRules(paths=("*/secret/*",)))
    withhold(step("call", tool="mcp__diarist__recall", call_id="c", arguments={"query": "/x/secret/y"}))
    assert withhold(step("result", make_id("a"), call_id="c")).text == WITHHELD


def test_a_turn_whose_prompt_fits_a_pattern_is_withheld_up_to_the_next_prompt() -> None:
    rules = WithholdRules(prompts=(re.compile("salary", re.IGNORECASE),))
    steps = [
        step("prompt", "About my Salary"),
        step("reply", "It is high"),
        step("reply", "else", session="t"),
        step("prompt", "next"),
        step("reply", "ok"),
    ]
    assert kept(rules, *steps) == [WITHHELD, WITHHELD, "else", "next", "ok"]


def test_files_that_fit_a_pattern_are_withheld_with_what_was_read_from_them() -> None:
    rules = WithholdRules(paths=("*/.env", "/home/kim/private/*"))
    withhold = Withholding(rules)
    hidden = withhold(step("call", tool="Bash", call_id="1", arguments={"command": "cat app/.env"}))
    assert hidden.arguments == {}
    assert withhold(step("result", "A=1", call_id="1")).text == WITHHELD
    shown = step("call", tool="Read", call_id="2", arguments={"file_path": "app/env.py"})
    assert withhold(shown) == shown
    nested = step("call", tool="Edit", call_id="3", arguments={"edits": [{"path": "/home/kim/private/plan.md"}]})
    assert withhold(nested).arguments == {}


def test_what_happened_during_a_pause_is_withheld() -> None:
    pause = (datetime(2026, 11, 2, 9, tzinfo=UTC), datetime(2026, 11, 2, 10, tzinfo=UTC))
    rules = WithholdRules(pauses=(pause,))
    times = [datetime(2026, 11, 2, hour, 30, tzinfo=UTC) for hour in (8, 9, 10)]
    assert kept(rules, *(step("reply", "x", at=at) for at in times), step("reply", "x")) == ["x", WITHHELD, "x", "x"]
