"""Formats that are plain text: Aider's history, copies of a console, SpecStory's pages, recordings, anything else."""

from __future__ import annotations

import json

import pytest

from contract.importers.passes import TRANSCRIPTS, take
from unit.importers.records import marks


def plain(text: str) -> list[tuple[str, str]]:
    return [(step.kind, step.text) for step in take(text.encode(), "plain").steps]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("User: fix it", "Assistant: done"),
        ("Human: fix it", "AI: done"),
        ("**User**: fix it", "**Claude**: done"),
        ("### User\nfix it", "### Assistant\ndone"),
        ("用户：fix it", "助手：done"),
        ("Utilisateur : fix it", "Assistant : done"),
        ("[user] fix it", "[assistant] done"),
        ("<user>\nfix it", "<assistant>\ndone"),
    ],
)
def test_turns_in_many_spellings(asked: str, answered: str) -> None:
    assert plain(f"{asked}\n\n{answered}\n") == [("prompt", "fix it"), ("reply", "done")]


def test_text_without_turns_has_no_prompt() -> None:
    assert plain("I looked at the label.\nThe weight comes twice.") == [("reply", "I looked at the label.\nThe weight comes twice.")]


def test_headings_stay_in_the_text() -> None:
    told = plain("# Label\n\nIt prints twice.\n\n## Tried\n\n- rounding\n")
    assert {kind for kind, _ in told} == {"reply"}
    assert any(text.startswith("## Tried") for _, text in told)


def test_commands_their_output_and_their_status() -> None:
    taken = take(b"Look:\n\n$ make test\n2 failed\n\n1 passed\n[exit code 2]\n$ git status\nclean\n\nThat is all there is.\n", "plain")
    calls = [step for step in taken.steps if step.kind == "call"]
    results = [step for step in taken.steps if step.kind == "result"]
    assert [step.arguments for step in calls] == [{"command": "make test"}, {"command": "git status"}]
    assert [(step.text, step.error, step.exit_code) for step in results] == [("2 failed\n\n1 passed", True, 2), ("clean", None, None)]
    assert taken.texts("reply")[-1] == "That is all there is."
    assert taken.capture.calls_paired == 2


def test_a_quotation_in_a_text_is_no_command() -> None:
    assert all(kind == "reply" for kind, _ in plain("He wrote:\n\n> we should test it\n> and ship it\n\nI agree with him.\n"))


def test_labels_that_ordinary_text_has_too_are_none_there() -> None:
    assert all(kind == "reply" for kind, _ in plain("Question: why twice?\nResult: 3 labels\nOutput: none\n"))


def test_a_text_that_has_grown_beyond_its_opening_keeps_its_name() -> None:
    text = b"User: fix it\n" + b"Assistant: I looked at the label again.\n" * 100
    assert list(take(text, "plain").sessions) == list(take(text + b"User: more\n", "plain").sessions)


def test_each_session_of_an_aider_history_is_one() -> None:
    taken = take((TRANSCRIPTS / "aider.chat.history.md").read_bytes())
    first, second = taken.sessions.values()
    assert first.models == ("gpt-5",)
    assert first.agent_version == "0.86.1"
    assert (first.usage.input_tokens, first.usage.output_tokens, first.usage.cost_usd) == (4400, 210, 0.02)
    assert first.started_at is not None
    assert second.session != first.session


def test_an_edit_of_aider_holds_what_was_replaced() -> None:
    taken = take((TRANSCRIPTS / "aider.chat.history.md").read_bytes())
    edit = next(step for step in taken.steps if step.tool == "edit")
    assert edit.arguments == {"path": "label.py", "old_string": '    return f"{w} kg {w}"', "new_string": '    return f"{w} kg"'}


def test_an_edit_that_aider_could_not_apply_has_failed() -> None:
    history = """# aider chat started at 2026-11-02 09:00:00

> Aider v0.86.1

#### fix it

label.py
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE

> The LLM did not conform to the edit format.
> # 1 SEARCH/REPLACE block failed to match!
> ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in label.py
> Only 3 reflections allowed, stopping.
"""
    taken = take(history.encode())
    assert [(step.tool, step.arguments and step.arguments["path"]) for step in taken.steps if step.kind == "call"] == [("edit", "label.py")]
    assert [step.error for step in taken.steps if step.kind == "result"] == [True]
    assert "limit" in marks(taken.steps)


def test_a_refusal_on_the_screen_is_one() -> None:
    taken = take((TRANSCRIPTS / "console-copy.md").read_bytes())
    assert taken.marked("refusal") == ["User rejected update to label.py"]
    assert [step.tool for step in taken.steps if step.kind == "call"] == ["Bash", "Update Todos", "Update", "Read"]


def test_pieces_of_one_result_are_joined_and_the_calls_of_a_subagent_are_calls() -> None:
    copy = """
> search it

⏺ Task(Search the template)
  ⎿  Bash(grep -r weight)…
  ⎿  Read(label.py)…
  ⎿  Done (2 tool uses · 3s)

⏺ Bash(git commit)
  ⎿  trailing whitespace: passed
  ⎿  ERROR: no such file

⏺ Interrupted me?
  ⎿  Interrupted by user
"""
    taken = take(copy.encode(), "console-copy")
    assert [step.tool for step in taken.steps if step.kind == "call"] == ["Task", "Bash", "Read", "Bash"]
    results = [step for step in taken.steps if step.kind == "result"]
    assert [step.text for step in results] == ["Done (2 tool uses · 3s)", "trailing whitespace: passed\nERROR: no such file"]
    assert marks(taken.steps) == ["interrupt"]


def test_a_framed_tool_of_the_gemini_family() -> None:
    copy = """
> run the tests

✦ I run them.

 ╭──────────────────────────────────────────╮
 │ x  Shell pytest -q (Runs (all) the tests) │
 │                                          │
 │    1 failed                              │
 │    Exit Code: 1                          │
 ╰──────────────────────────────────────────╯

✦ One failed.
ℹ Request cancelled.
"""
    taken = take(copy.encode(), "console-copy")
    (call,) = [step for step in taken.steps if step.kind == "call"]
    assert call.arguments == {"command": "pytest -q"}
    assert [(step.error, step.exit_code) for step in taken.steps if step.kind == "result"] == [(True, 1)]
    assert marks(taken.steps) == ["interrupt"]


def test_a_page_of_specstory_is_a_rendering_of_the_native_session() -> None:
    page, native = (take((TRANSCRIPTS / name).read_bytes()) for name in ("specstory.md", "claude-code.jsonl"))
    assert page.session.agent == native.session.agent == "claude-code"
    assert page.session.session == native.session.session
    assert (page.session.rendering, native.session.rendering) == (True, False)


SPECSTORY = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

<!-- Claude Code Session 5b1c7f52-0d3e-4b6a-9a55-77aa10c2d3e4 (2026-11-02 09:00:00Z) -->

_**User (2026-11-02 09:00:00Z)**_

Show the old talk

---

_**Agent (claude-sonnet-4-5 2026-11-02 09:00:05Z)**_

<tool-use data-tool-type="read" data-tool-name="Read"><details>
<summary>Tool use: **Read** `old.md`</summary>

```text
SHOWN
```
</details></tool-use>

---

_**Agent - sidechain (claude-haiku-4-5 2026-11-02 09:00:06Z)**_

The helper looked at the till.

---

_**Agent (claude-sonnet-4-5 2026-11-02 09:00:09Z)**_

It is an old talk.
"""


@pytest.mark.parametrize(
    "shown",
    [
        '   21→<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n   22→`rm till`\n   23→</details></tool-use>\n   24→end',
        '+<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n+</details></tool-use>',
        'const OPEN = "<tool-use data-tool-type=shell>" // and never </tool-use> here',
        '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n<summary>**Bash**</summary>\n</details></tool-use>\nend',
    ],
)
def test_tools_in_a_page_that_a_tool_showed_are_its_output(shown: str) -> None:
    taken = take(SPECSTORY.replace("SHOWN", shown).encode(), "specstory-md")
    assert [step.tool for step in taken.steps if step.kind == "call"] == ["Read"]
    assert taken.texts("result") == [shown]


def test_a_subagents_turns_in_a_page_of_specstory_are_told_apart() -> None:
    taken = take(SPECSTORY.encode(), "specstory-md")
    assert [(step.actor, step.text) for step in taken.steps if step.kind == "reply"] == [
        ("sidechain", "The helper looked at the till."),
        ("", "It is an old talk."),
    ]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_recordings_of_every_version_give_the_same(version: int) -> None:
    events = [[0.5, "o", "root@box:/app# "], [0.5, "o", "pytest -q\r\n"], [0.5, "o", "2 failed\r\nroot@box:/app# "]]
    if version == 1:
        data = json.dumps({"version": 1, "width": 80, "height": 24, "stdout": [[at, text] for at, _, text in events]})
    else:
        header = {"version": version, "width": 80, "height": 24} if version == 2 else {"version": 3, "term": {"cols": 80, "rows": 24}}
        data = "\n".join([json.dumps(header), *(json.dumps(event) for event in events)])
    taken = take(data.encode())
    assert [step.arguments for step in taken.steps if step.kind == "call"] == [{"command": "pytest -q"}]
    assert taken.texts("result") == ["2 failed"]


AIDER_SETTINGS = """# aider chat started at 2026-11-02 09:00:00

> Command Line Args:   --verbose

Environment Variables:
  SHELL_COLOR:       blue
Defaults:
  --encoding:        utf-8

Option settings:
  - apply: None
  - lint_cmd: []

> Aider v0.86.1

#### print the weight once

It is printed once now.
"""


def test_settings_that_aider_lists_are_not_said_by_the_model() -> None:
    taken = take(AIDER_SETTINGS.encode(), "aider")
    assert taken.texts("reply") == ["It is printed once now."]
    assert taken.texts("prompt") == ["print the weight once"]


AIDER_LEFT = """# aider chat started at 2026-11-02 09:00:00

> Aider v0.86.1

#### print the weight once

It is printed once now.

> Tokens: 2k sent, 10 received. Cost: $0.01 message, $0.01 session.
> Applied edit to label.py
>
> ^C again to exit
>
> ^C KeyboardInterrupt
"""


@pytest.mark.parametrize(
    ("after", "ended"),
    [
        ("", True),
        ("> Commit 1f2e3d4 fix: print the weight once\n\n#### /exit\n", True),
        ("#### /run make\n\n> no rule\n", False),
        ("#### and the sum\n", False),
        ("#### and the sum\n\nThe sum too.\n", False),
        ("> Attempt to fix lint errors? (Y)es/(N)o [Yes]: y\n", False),
    ],
)
def test_a_turn_ends_when_the_edits_of_its_reply_were_applied(after: str, ended: bool) -> None:
    """They are written down behind the reply, which is not cut off for that."""
    steps = take((AIDER_LEFT.partition(">\n> ^C")[0] + after).encode()).steps
    assert ([step.mark for step in steps][-1] == "end") is ended


def test_leaving_aider_at_its_prompt_interrupts_nothing() -> None:
    assert [step.mark for step in take(AIDER_LEFT.encode()).steps if step.text.startswith("^C")] == ["end"]


@pytest.mark.parametrize(
    "at_work",
    [
        AIDER_LEFT.replace("> Tokens: 2k sent, 10 received. Cost: $0.01 message, $0.01 session.\n", ""),
        AIDER_LEFT.replace("> ^C again", "#### print the sum too\n>\n> ^C again"),
        AIDER_LEFT.replace("> ^C again to exit\n", ""),
    ],
)
def test_stopping_aider_at_work_is_an_interruption(at_work: str) -> None:
    assert [step.mark for step in take(at_work.encode()).steps if step.text.startswith("^C K")] == ["interrupt"]


@pytest.mark.parametrize(
    "text",
    [
        "You are an agent that works in a shop.\n\nTask: print the weight once\n\n$ make test\n2 failed\n\nThe weight comes twice.\n",
        "# Run of Monday\n\nmodel: small\n\n## Task\n\nprint the weight once\n\n## Log\n\n$ make test\n2 failed\n",
        "Aufgabe: print the weight once\n\n$ make test\n2 failed\n",
    ],
)
def test_a_text_that_says_what_the_task_was_has_a_prompt(text: str) -> None:
    told = plain(text)
    assert [words for kind, words in told if kind == "prompt"] == ["print the weight once"]
    assert not any("agent that works" in words for kind, words in told if kind == "reply")


def test_the_first_mark_of_a_task_counts_and_later_ones_are_text() -> None:
    told = plain("Task: print the weight once\n\nIt is printed twice.\n\nTask: none of this\n")
    assert [kind for kind, _ in told] == ["prompt", "reply"]


def test_what_stands_above_the_first_turn_is_nobodys_turn() -> None:
    told = plain("Exported on Monday.\n\nYou said:\nprint the weight once\n\nChatGPT said:\nIt is.\n")
    assert [words for kind, words in told if kind in ("prompt", "reply")] == ["print the weight once", "It is."]
