"""Who speaks in a user turn, and finding elements and fences in texts."""

from __future__ import annotations

import pytest

from diarist.importers.markup import elements, fences, without
from diarist.importers.speech import Said, understand, without_fences, without_reminders


def prompts(text: str) -> list[str]:
    return [said.text for said in understand(text) if said.kind == "prompt"]


@pytest.mark.parametrize(
    "text",
    [
        "Fix the label.",
        "修正标签，然后运行测试。",
        "Почини печать этикетки",
        "Why does <b>weight</b> come twice? See <task id=3> in the template.",
        "/home/kim/work/parcel/label.py is broken, look at it",
        "a < b and c > d",
        "Explain what a <system> tag does",
    ],
)
def test_words_of_a_person_are_a_prompt_as_they_stand(text: str) -> None:
    assert understand(text) == [Said("prompt", "", text)]


@pytest.mark.parametrize("text", ["", "   \n", "<diarist-context>remembered</diarist-context>"])
def test_a_turn_without_words_is_nothing(text: str) -> None:
    assert understand(text) == []


def test_the_query_inside_a_clients_frame_is_the_prompt() -> None:
    text = "<open_and_recently_viewed_files>label.py</open_and_recently_viewed_files>\n<user_query>\nFix the label.\n</user_query>"
    assert prompts(text) == ["Fix the label."]
    assert [said.mark for said in understand(text)] == ["machine", ""]


def test_a_frame_around_the_whole_turn_is_taken_off() -> None:
    assert prompts("<task>\nFix the label.\n</task>\n<environment_details>\nlabel.py\n</environment_details>") == ["Fix the label."]
    assert prompts("Please read <task>this</task> first.") == ["Please read <task>this</task> first."]


def test_several_notices_stand_beside_a_prompt() -> None:
    text = "<bash-input>ls</bash-input><bash-stdout>label.py</bash-stdout>\nSee? <system-reminder>no</system-reminder>"
    assert [(said.kind, said.mark) for said in understand(text)] == [
        ("notice", "command"),
        ("notice", "machine"),
        ("notice", "machine"),
        ("prompt", ""),
    ]
    assert prompts(text) == ["See?"]


@pytest.mark.parametrize(("text", "mark"), [("/compact", "command"), ("/clear", "clear"), ("/new", "clear"), ("/model opus", "command")])
def test_a_slash_command_is_no_prompt(text: str, mark: str) -> None:
    assert [said.mark for said in understand(text)] == [mark]


def test_a_reminder_that_was_cut_off_is_no_prompt() -> None:
    assert prompts("<system-reminder>\nKeep the list") == []


def test_fences_are_dropped_even_if_they_were_cut_off() -> None:
    assert without_fences("a <diarist-context x='1'>b</diarist-context> c") == "a  c"
    assert without_fences("a\n<diarist-context>b") == "a"
    assert without_fences("a <diarist-context>b</diarist-context> c <diarist-context>d") == "a  c"


def test_reminders_are_taken_out_of_output() -> None:
    assert without_reminders("12 passed\n<system-reminder>\nBe careful.\n</system-reminder>") == "12 passed"


def test_elements_are_found_from_left_to_right_and_not_inside_each_other() -> None:
    text = "<a>1<b>2</b></a> <b x='y'>3</b> <a>never closed"
    assert [(each.name, each.content) for each in elements(text, ("a", "b"))] == [("a", "1<b>2</b>"), ("b", "3")]
    assert without(text, list(elements(text, ("b",)))) == "<a>1</a>  <a>never closed"


def test_thousands_of_unclosed_elements_are_passed_over() -> None:
    text = "<system-reminder>" * 20_000 + "Fix it."
    assert list(elements(text, ("system-reminder",))) == []


def test_a_fence_is_closed_by_one_as_long() -> None:
    text = "x\n````markdown\n```\ninner\n```\n````\n```\nsecond\n```\n```open\n"
    assert [(fence.language, fence.content) for fence in fences(text)] == [("markdown", "```\ninner\n```\n"), ("", "second\n")]
