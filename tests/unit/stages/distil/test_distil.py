"""A session in, an entry out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from diarist.model.codec import entry_digest, to_json
from diarist.model.entry import Entry
from diarist.model.host import HostFacts
from diarist.model.redacted import Redacted, derived
from diarist.model.session import Usage
from diarist.stages.distil import DISTIL_VERSION


def quoted(entry: Entry, name: str) -> list[str]:
    return [str(item.quote) for item in entry.evidence.get(name, ())]


def story(talk: Any) -> Any:
    return (
        talk()
        .ask("The cart total is wrong for empty carts, please fix it")
        .say("I will look at how the total is computed.")
        .call("Grep", {"pattern": "def total"}, "cart.py:3:def total")
        .call("Read", {"file_path": "/work/shop/cart.py"}, "def total(items):\n    return sum(items) / len(items)")
        .say("The issue is that `total` divides by `len(items)`, which is zero for an empty cart.")
        .edit(
            "cart.py",
            "    return sum(items) / len(items)",
            "    if not items:\n        return EMPTY_TOTAL\n    return sum(items) / len(items)",
        )
        .shell("pytest -q tests/test_cart.py", "4 passed in 0.12s")
        .say("Changed `total` in cart.py to return `EMPTY_TOTAL` for an empty cart.")
    )


def test_a_plain_run_is_told(talk: Any) -> None:
    entry = story(talk).entry()
    assert entry.title == "The cart total is wrong for empty carts, please fix it (cart.py)"
    assert entry.prompt.startswith("The cart total is wrong")
    assert (entry.outcome, entry.verified) == ("completed", True)
    assert any("cart.py" in bullet and "EMPTY_TOTAL" in bullet for bullet in entry.worked)
    assert any("`pytest -q tests/test_cart.py` passed" in bullet for bullet in entry.worked)
    assert any("def total" in bullet for bullet in entry.tried)
    assert "zero for an empty cart" in entry.learned
    assert not entry.failed
    assert [(command.kind, command.passed) for command in entry.commands] == [("test", True)]
    assert [(file.path, file.operations) for file in entry.files] == [("cart.py", ("read", "edit"))]
    assert entry.tools == ("Grep", "Read", "Edit", "Bash")
    assert {"outcome:completed", "task:s-1", "python", "pytest", "cart"} <= set(entry.tags)
    assert entry.distil_version == DISTIL_VERSION
    assert entry.entry_hash == entry_digest(entry)
    assert entry.created_at == datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_every_bullet_has_exact_evidence(talk: Any) -> None:
    session = story(talk)
    entry = session.entry()
    texts = [step.text for step in session.steps] + [str(value) for step in session.steps for value in (step.arguments or {}).values()]
    for name in ("tried", "worked", "failed"):
        assert {item.bullet for item in entry.evidence.get(name, ())} == set(range(len(getattr(entry, name))))
    for items in entry.evidence.values():
        for item in items:
            assert item.steps
            assert any(item.quote in text for text in texts)


def test_same_session_same_bytes(talk: Any) -> None:
    assert to_json(story(talk).entry()) == to_json(story(talk).entry())


def test_a_session_without_prompt_call_or_reply_gives_nothing(talk: Any) -> None:
    assert talk().note("machine", "hook output").think("hm").distilled() is None
    assert talk().distilled() is None


def test_steps_are_read_once(talk: Any) -> None:
    session = story(talk)
    steps = session.steps
    session.steps = iter(steps)
    assert session.entry().worked


def test_explicit_sections_come_first_and_end_where_they_end(talk: Any) -> None:
    text = "All done.\n\n## Tried\n- a regex\n\n## Worked\n- a parser\n\n**Failed:**\n1. the regex on nested input\n\n"
    text += "Rationale: nesting needs a stack\n\nThanks for reading!"
    entry = talk().ask("Parse it").say(text).entry()
    assert entry.tried[0] == "a regex"
    assert entry.worked[0] == "a parser"
    assert entry.failed[0] == "the regex on nested input"
    assert "nesting needs a stack" in entry.rationale
    assert not any("Thanks" in bullet for bullet in (*entry.tried, *entry.worked, *entry.failed))


def test_section_words_and_placeholders_are_no_tags(talk: Any) -> None:
    entry = (
        talk()
        .ask("Rotate [REDACTED:github-pat] in the vault")
        .say("Tried: asking\nWorked: rotating\nFailed: nothing\nRationale: none")
        .entry()
    )
    assert not {"tried", "worked", "failed", "rationale", "redacted", "github-pat"} & set(entry.tags)
    assert "vault" in entry.tags


def test_tags_are_lower_case_and_distinct(talk: Any) -> None:
    tags = story(talk).entry().tags
    assert list(tags) == [tag.lower() for tag in tags]
    assert len(tags) == len(set(tags))


@pytest.mark.parametrize(
    ("prompt", "reply", "word"),
    [
        (
            "Der Warenkorb ist leer falsch, bitte reparieren",
            "Das Problem ist, dass `total` durch null teilt, weil die Liste leer ist.",
            "durch null",
        ),
        ("カートの合計を直してください", "`total` は空のリストで割るため、エラーになります。", "空のリスト"),
        ("修复购物车总价", "问题是 `total` 在空列表时除以零，因为没有检查。", "除以零"),
        ("Corrige le total du panier", "Le problème est que `total` divise par zéro parce que la liste est vide.", "divise par"),
    ],
)
def test_sessions_in_other_languages_are_told(talk: Any, prompt: str, reply: str, word: str) -> None:
    entry = talk().ask(prompt).say(reply).edit("cart.py", "a", "def total(): ...").say("OK").entry()
    assert word in entry.learned
    assert prompt[:6] in entry.title


def test_subagents_are_told_in_their_parent_s_entry(talk: Any) -> None:
    entry = (
        talk()
        .ask("Fix both")
        .call("Task", {"description": "Fix the parser", "prompt": "Look at parser.py and fix it."}, None)
        .call("Edit", {"file_path": "/work/shop/parser.py", "old_string": "a", "new_string": "def parse(): ..."}, "updated", actor="sub-1")
        .say("I finished the parser.", actor="sub-1")
        .say("Both are fixed.")
        .entry()
    )
    assert any("Subagent: Fix the parser" in bullet for bullet in entry.tried)
    assert any("parser.py" in bullet for bullet in entry.worked)


def test_throwaway_files_are_not_told_as_results(talk: Any) -> None:
    entry = (
        talk()
        .ask("Fix")
        .edit("cart.py", "a", "b = 12345")
        .write("test_try.py", "print('looking at it')")
        .shell("python test_try.py", "looking at it")
        .say("ok")
        .entry()
    )
    assert [str(file.path) for file in entry.files] == ["cart.py"]
    assert any("test_try.py" in bullet for bullet in entry.tried)


def test_a_file_that_was_made_and_removed_leaves_only_a_bullet(talk: Any) -> None:
    entry = (
        talk()
        .ask("Color")
        .write("docs/blue.md", "# Blue is a color\n")
        .shell("rm docs/blue.md")
        .write("docs/red.md", "# Red is a color\n")
        .say("ok")
        .entry()
    )
    assert [str(file.path) for file in entry.files] == ["docs/red.md"]
    assert any("docs/blue.md was made and removed again" in bullet for bullet in entry.tried)


def test_what_the_run_ended_at_is_told(talk: Any) -> None:
    entry = (
        talk()
        .ask("Copy it")
        .say("I will copy the file.")
        .call("Read", {"file_path": "/work/shop/a.txt"}, "x")
        .note("limit", "Reached maximum number of turns (1)")
        .entry()
    )
    assert "maximum number of turns" in entry.failed[0]
    assert entry.outcome == "failed"


def test_host_facts_win(talk: Any) -> None:
    facts = HostFacts(
        title=derived("Ticket 7"),
        route=derived("paid_model"),
        workflow=derived("wf-1"),
        latency_ms=8421,
        usage=Usage(input_tokens=5132),
        learned=derived("Short."),
        tags=(derived("Urgent"),),
        created_at=datetime(2026, 5, 1, 8, 0, tzinfo=UTC),
        file_operations=3,
    )
    entry = story(talk).entry(facts)
    assert (entry.title, entry.route, entry.workflow, entry.learned, entry.file_operations) == (
        "Ticket 7",
        "paid_model",
        "wf-1",
        "Short.",
        3,
    )
    assert (entry.usage.input_tokens, entry.usage.latency_ms) == (5132, 8421)
    assert {"urgent", "workflow:wf-1"} <= set(entry.tags)
    assert entry.created_at == datetime(2026, 5, 1, 8, 0, tzinfo=UTC)


def test_a_session_without_times_has_the_epoch(talk: Any) -> None:
    assert talk(ended_at=None).ask("a").say("b").entry().created_at == datetime(1970, 1, 1, tzinfo=UTC)


def test_search_text_holds_prompts_and_replies_and_no_tool_output(talk: Any) -> None:
    made = talk().ask("Find the zebra").shell("cat notes", "secretive output of a tool").say("The zebra is in the barn.").distilled()
    assert made is not None
    assert "zebra" in made.search.body
    assert "barn" in made.search.body
    assert "secretive" not in made.search.body


def test_search_text_is_bounded_and_keeps_both_ends(talk: Any) -> None:
    session = talk().ask("the very first request")
    for number in range(400):
        session.ask(f"request number {number} " + "word " * 300).say("answer " * 300)
    made = session.say("the very last answer").distilled()
    assert made is not None
    assert len(made.search.body) < 110_000
    assert "the very first request" in made.search.body
    assert "the very last answer" in made.search.body


def test_everything_in_an_entry_is_bounded(talk: Any) -> None:
    session = talk().ask("x" * 50_000)
    for number in range(1_500):
        session.write(f"folder/file{number}.py", "value = 1\n" * 40).shell(
            f"pytest tests/test_{number}.py", f"E   ValueError: number {number} is bad " + "y" * 2_000 + "\n1 failed in 0.1s", 1
        )
    entry = session.say("z" * 50_000).entry()
    assert len(to_json(entry)) < 400_000
    assert max(len(entry.tried), len(entry.worked), len(entry.failed)) <= 12
    assert all(len(bullet) <= 520 for bullet in (*entry.tried, *entry.worked, *entry.failed))
    assert len(entry.tags) <= 40


def test_a_prompt_template_is_taken_off(talk: Any) -> None:
    entry = talk().ask("You are an agent.\n<issue>\nTotals are wrong for empty carts\n</issue>\nFollow the rules.").say("ok").entry()
    assert entry.prompt == "Totals are wrong for empty carts"


def test_a_slash_command_with_words_is_a_request(talk: Any) -> None:
    entry = talk().note("command", "/review the new parser in detail").say("ok").entry()
    assert entry.prompt == "the new parser in detail"
    assert talk().note("command", "/clear").say("ok").entry().prompt == Redacted("")


def test_code_that_was_run_as_it_stands_is_told_and_odd_options_are_survived(talk: Any) -> None:
    session = (
        talk()
        .ask("Count")
        .say("I count the rows because the total is off.")
        .shell("python -c 'rows_total = 3'", "", 0)
        .shell("python -c", "usage: python", 2)
    )
    assert any(bullet.startswith("Ran code with `rows_total`") for bullet in session.say("ok").entry().tried)


def test_a_command_that_was_varied_until_it_worked_is_one_attempt(talk: Any) -> None:
    session = talk().ask("Make an app")
    for options in ("", " --typescript", " --typescript --yes"):
        session.shell(f"npx create-thing@latest shop{options}", "", 0)
    (bullet,) = session.say("ok").entry().tried
    assert bullet.startswith("3 attempts: ")
    assert "--yes" in bullet


def test_a_format_without_results_is_told_by_its_calls(talk: Any) -> None:
    session = talk().ask("Write it")
    for number in range(2_500):
        session.call("Write", {"file_path": f"/work/shop/f{number % 30}.py", "content": f"value_{number} = 1\n"}, None)
    entry = session.say("ok").entry()
    assert len(entry.files) == 30
    assert entry.file_operations == 2_500
