"""Kinds of untrue or useless bullets that were found when entries were read beside their transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from diarist.stages.distil.blocks import blocks
from diarist.stages.distil.commands import understand
from diarist.stages.distil.complaints import complaints, reported
from diarist.stages.distil.sentences import clean, judge
from diarist.stages.distil.words import content_words

TRACE = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: no total for 'boxes'"


def test_a_power_in_a_sentence_is_no_bold_print() -> None:
    assert clean("The sum holds x2**2*x3 and **never** y**3.") == "The sum holds x2**2*x3 and never y**3."


def test_moving_about_in_a_file_is_no_effect(talk: Any) -> None:
    entry = (
        talk()
        .ask("Count the boxes")
        .call("goto", {"line_number": "90"}, "[File: cart.py]\n90: x")
        .say("There are nine boxes in cart.py.")
        .entry()
    )
    assert not any("goto" in bullet for bullet in entry.worked)


def test_a_script_is_one_file_by_its_name_and_by_its_path(talk: Any) -> None:
    entry = (
        talk(cwd="")
        .ask("Fix the total of empty carts")
        .call("create", {"path": "reproduce.py"}, "File created successfully.")
        .call("edit", {"path": "/srv/shop/reproduce.py", "old_string": "", "new_string": "print(total([]))"}, "The file has been updated.")
        .call("edit", {"path": "/srv/shop/cart.py", "old_string": "a", "new_string": "total = total or 0"}, "The file has been updated.")
        .shell("python reproduce.py", "0")
        .say("Done with `total`.")
        .entry()
    )
    assert [file.path for file in entry.files] == ["/srv/shop/cart.py"]


def test_advice_after_an_error_is_no_error(talk: Any) -> None:
    output = (
        "[ERROR] Failed to execute goal shop:check: 28 violations of the style\n[ERROR] For more information about the errors, please read:"
    )
    entry = (
        talk()
        .ask("Build")
        .shell("mvn -q verify", output + "\n[ERROR] After correcting the problems, you can resume the build", 1)
        .say("Hm.")
        .entry()
    )
    assert len(entry.errors) == 1


def test_a_title_comes_from_the_issue_in_a_template(talk: Any) -> None:
    issue = "<issue_description>\nTotals of empty carts are wrong\nMore.\n</issue_description>"
    prompt = f"I have uploaded a repository. Consider this:\n{issue}\nImplement it."
    entry = talk().ask(prompt).say("I changed nothing in cart.py yet.").entry()
    assert entry.title == "Asked to solve “Totals of empty carts are wrong”"
    assert entry.prompt.startswith("I have uploaded")


def test_a_slash_command_is_the_title_where_nobody_said_more(talk: Any) -> None:
    entry = talk().note("command", "/tidy-imports").say("Now let me look at the imports of `cart.py` first.").entry()
    assert entry.title.startswith("/tidy-imports")


def test_an_error_met_once_before_the_last_change_cannot_be_told(talk: Any) -> None:
    entry = talk().ask("Fix").shell("python total.py", TRACE, 1).edit("total.py", "a", "b").say("Changed `total.py`.").entry()
    assert [error.resolved for error in entry.errors] == [None]


def test_an_error_met_after_the_last_change_stays(talk: Any) -> None:
    entry = talk().ask("Fix").edit("total.py", "a", "b").shell("python total.py", TRACE, 1).say("Hm.").entry()
    assert [error.resolved for error in entry.errors] == [False]


def test_another_failure_is_not_told_as_passing(talk: Any) -> None:
    other = "Traceback (most recent call last):\n  File \"a.py\", line 9, in <module>\nKeyError: 'price'"
    entry = talk().ask("Fix").shell("python total.py", TRACE, 1).shell("python total.py --all", other, 1).say("Hm.").entry()
    assert all("went through" not in fix.text for fix in entry.fixes)
    assert all("went through" not in error.resolved_by for error in entry.errors)


def test_no_after_a_question_answers_it(talk: Any) -> None:
    entry = talk().ask("Cancel my order").say("Did you pay by card?").ask("No, I paid by voucher.").say("I see.").entry()
    assert not any(bullet.startswith("Corrected") for bullet in entry.tried)


def test_no_after_an_act_corrects_it(talk: Any) -> None:
    entry = talk().ask("Add a total").edit("cart.py", "a", "b").say("Shall I go on?").ask("No, put it in order.py.").say("Moved.").entry()
    assert any(bullet.startswith("Corrected") for bullet in entry.tried)


def test_what_is_learned_is_not_told_again_as_found(talk: Any) -> None:
    said = "The `total` of cart.py is wrong because `len(items)` counts hidden ones."
    entry = talk().ask("Fix the total").say(said).edit("cart.py", "len(items)", "len(shown)").say("Changed `total` in cart.py.").entry()
    assert said in entry.learned
    assert not any(bullet.startswith("Found") and "hidden ones" in bullet for bullet in entry.worked)


def test_a_list_of_plans_is_no_answer() -> None:
    text = "Let's go step by step:\n\n- Ask for the code of `total`\n- Verify the sum of `items`\n\nThe cause is `len(items)` in cart.py."
    told = " ".join(block.text for block in blocks(text, merge=True, plans=False))
    assert "Ask for the code" not in told
    assert "The cause is `len(items)`" in told


@pytest.mark.parametrize("line", ['"meta_tags": {', "src/cart.py", "</source>", "https://example.org/cart › boxes", "To test it, run:"])
def test_what_says_nothing_is_no_block(line: str) -> None:
    assert not [block for block in blocks(line) if block.text]


@pytest.mark.parametrize(
    ("text", "is_guess"),
    [("It seems that `total` is wrong.", True), ("Das liegt vermutlich an `total`.", True), ("The `total` is wrong.", False)],
)
def test_a_guess_is_known_as_one(text: str, *, is_guess: bool) -> None:
    assert judge(text).is_guess is is_guess


@pytest.mark.parametrize("text", ["Since `total` is there, I'll now add `sum`.", "However, I need to confirm `total` first."])
def test_a_plan_is_known_inside_a_sentence(text: str) -> None:
    assert judge(text).is_intent


def test_a_check_of_stashed_work_is_no_check_of_the_work() -> None:
    assert not understand("git stash && make lint 2>&1 | tail -20; git stash pop").is_check
    assert understand("make lint; git stash list").is_check


def test_a_move_is_one_bullet(talk: Any) -> None:
    entry = talk().ask("Rename it").shell("mv /work/shop/a.py /work/shop/b.py").say("Done.").entry()
    assert [bullet for bullet in entry.worked if bullet.startswith("Moved")] == ["Moved a.py to b.py"]


def test_files_with_one_reason_are_told_each(talk: Any) -> None:
    talk = talk().ask("Resolve the conflicts in the two files").say("Both files get the newer `total`, because the older one is wrong.")
    entry = talk.edit("cart.py", "", "").edit("order.py", "", "").say("ok").entry()
    assert {bullet.split(".")[0] for bullet in entry.worked if bullet.startswith("Changed")} == {"Changed cart", "Changed order"}


def test_a_plain_question_of_the_person_is_no_error(talk: Any) -> None:
    entry = talk().ask("Commit it").say("Committed.").ask("can't you just change the last commit?").say("Yes.").entry()
    assert not entry.errors


def test_a_ruler_is_no_error(talk: Any) -> None:
    output = "Error: ============ test session starts ============\ncollected 1 item\ntests/test_a.py::test_total FAILED\n1 failed in 0.1s"
    entry = talk().ask("Test").shell("pytest -v", output, 1).say("Hm.").entry()
    assert not any("session starts" in error.message for error in entry.errors)


def test_a_tool_that_was_not_there_could_not_run(talk: Any) -> None:
    entry = talk().ask("Test").shell("pytest -q", "(eval):1: command not found: pytest", None).say("Hm.").entry()
    assert any("could not run" in bullet for bullet in entry.failed)
    assert entry.verified is None


def test_looking_at_the_history_repairs_nothing(talk: Any) -> None:
    talk = talk().ask("List them").shell("git log | grep -oP x", "grep: invalid option -- P", None).shell("git remote get-url origin", "x")
    entry = talk.shell("git log v1 -1", "abc", 0).say("ok").entry()
    assert not entry.fixes


def test_what_a_client_puts_in_for_a_skill_is_no_request(talk: Any) -> None:
    talk = talk().ask("Review the change").call("Skill", {"skill": "review"}, None).ask("## Context\n\n- Status: open, many lines")
    entry = talk.say("The change of `total` in cart.py is right.").entry()
    assert not any(bullet.startswith("Asked next") for bullet in entry.tried)


def test_a_run_of_many_ideographs_is_no_word() -> None:
    assert list(content_words("请描述您的需求或者改进建议 合計")) == ["合計"]


def test_tags_do_not_depend_on_the_hash_seed(talk: Any) -> None:
    """The order in which words were asked for decides, not that of a set."""
    entry = talk().ask("Move it from redis and postgres to docker with django and flask").say("Done in app.py.").entry()
    named = [tag for tag in entry.tags if tag in ("redis", "postgres", "docker", "django", "flask")]
    assert named == ["redis", "postgres", "docker", "django", "flask"]


def test_a_subagents_work_is_told_with_what_it_came_back_with(talk: Any) -> None:
    """In its parent's entry, linked to the step it came back in."""
    answer = "I looked around.\n\nThe `total` of cart.py is wrong because `len(items)` counts hidden ones."
    entry = talk().ask("Fix the total").call("Task", {"description": "Find the fault", "prompt": "Where is it?"}, answer).say("ok").entry()
    (bullet,) = [number for number, text in enumerate(entry.tried) if text.startswith("Subagent: Find the fault")]
    assert "counts hidden ones" in entry.tried[bullet]
    linked = [each for each in entry.evidence["tried"] if each.bullet == bullet]
    assert [(2 in each.steps, "hidden ones" in each.quote) for each in linked] == [(True, False), (True, True)]


def test_what_a_failed_run_found_did_not_work(talk: Any) -> None:
    said = "The `total` of cart.py is wrong because `len(items)` counts hidden ones."
    talk = talk().ask("Fix the total").edit("cart.py", "a", "b").say(said).shell("pytest -q", "1 failed in 0.1s", 1)
    entry = talk.say("It still fails in `total`, I will look further.").entry()
    assert entry.outcome == "failed"
    assert not any(bullet.startswith("Found") for bullet in entry.worked)


def test_lines_that_a_client_folded_away_are_no_error(talk: Any) -> None:
    entry = talk().ask("Commit").shell("git commit -m x", "hook.....Failed\n… +30 lines (ctrl+r to see all)", 1).say("Hm.").entry()
    assert not any("+30 lines" in error.message for error in entry.errors)


def test_a_correction_said_twice_is_told_once(talk: Any) -> None:
    talk = talk().ask("Add a total").edit("cart.py", "a", "b").ask("No, put it in order.py.").edit("order.py", "a", "b")
    entry = talk.ask("No, put it in order.py.").say("ok").entry()
    assert sum(bullet.count("put it in order.py") for bullet in entry.tried) == 1


def test_a_question_that_begins_with_do_not_corrects_nothing(talk: Any) -> None:
    entry = talk().ask("Add a total").edit("cart.py", "a", "b").ask("Don't you think that is all we need?").say("Yes.").entry()
    assert not any(bullet.startswith("Corrected") for bullet in entry.tried)


def test_what_a_console_writes_behind_a_path_is_no_part_of_it(talk: Any) -> None:
    talk = talk().ask("Add a total").call("Update", {"file_path": "cart.py)… Cost: $0.04 (2s"}, "Updated cart.py with 1 addition")
    assert [file.path for file in talk.say("ok").entry().files] == ["cart.py"]


@pytest.mark.parametrize(
    "preamble",
    ["You are a careful engineer.", "Agent: worker-3", "Repository: parcel\nBranch: main", "System: be brief.\nSession\nCwd: /work/shop"],
)
def test_a_title_is_what_was_asked_and_not_what_stands_before_it(preamble: str, talk: Any) -> None:
    entry = talk().ask(f"{preamble}\n\nTotals of empty carts are wrong, mend them.").say("I changed nothing in cart.py yet.").entry()
    assert entry.title == "Totals of empty carts are wrong, mend them."


def test_a_title_is_the_preamble_where_there_is_nothing_else(talk: Any) -> None:
    assert talk().ask("Environment: production is down").say("I look.").entry().title == "Environment: production is down"


GO_PARTS = (
    "--- FAIL: TestTotal (0.00s)\n    --- FAIL: TestTotal/empty_cart (0.00s)\n        cart_test.go:59: expected 30 got 28\n"
    "FAIL\nFAIL\tshop/cart\t0.01s"
)


def test_a_go_test_whose_part_failed_is_one_fault_with_it(talk: Any) -> None:
    entry = talk().ask("Run the tests").shell("go test ./...", GO_PARTS, 1).say("One failed.").entry()
    assert [error.message for error in entry.errors] == ["TestTotal/empty_cart failed: cart_test.go:59: expected 30 got 28"]


def test_a_go_test_that_complains_itself_stays_beside_its_parts() -> None:
    output = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: cannot open the till\n    --- FAIL: TestTotal/empty (0.00s)\nFAIL"
    found = [error.message for error in complaints(output, "test", frozenset(), failed=True)]
    assert found == ["TestTotal failed: cart_test.go:12: cannot open the till", "TestTotal/empty failed"]


@pytest.mark.parametrize(
    ("request_", "messages"),
    [
        ("Cannot override get_TOTAL() in Shop 2.2+\nDescription\n\nThe total stays as it is.", []),
        (
            "Broken on start (NameError: name 'carts' is not defined)\n\nDetails:\nNameError: name 'carts' is not defined",
            ["NameError: name 'carts' is not defined"],
        ),
        ("KeyError: 'total' in empty carts (shop.cart)\n\nIt says\nKeyError: 'total'", ["KeyError: 'total'"]),
        ("cart.go:12:3: undefined: total\n\nPlease mend it.", ["undefined: total"]),
        ("sh: wrap: command not found\nWhat now?", ["wrap: command not found"]),
        ("Cannot open /srv/shop/total.db", ["Cannot open /srv/shop/total.db"]),
    ],
)
def test_a_title_in_the_persons_words_is_no_error(request_: str, messages: list[str]) -> None:
    assert [error.message for error in reported(request_)] == messages


def test_comparing_two_files_is_no_failure(talk: Any) -> None:
    output = "--- a/old.py\n+++ b/cart.py\n+# an error is raised for an empty cart"
    entry = (
        talk().ask("What differs?").shell("git diff --no-index old.py cart.py", output, 1).say("The comment in `cart.py` is new.").entry()
    )
    assert (entry.failed, entry.errors) == ((), ())


def test_a_call_that_the_person_stopped_is_no_error(talk: Any) -> None:
    entry = (
        talk()
        .ask("Look around")
        .call("Task", {"description": "Look around", "prompt": "Look"}, "[Request interrupted by user for tool use]", error=True)
        .entry()
    )
    assert entry.errors == ()


@pytest.mark.parametrize(
    ("words", "corrects"),
    [("wow", False), ("perfect, reverted now", False), ("great, but not the total", True), ("Great, now revert that", True)],
)
def test_praise_after_a_stop_is_no_correction(talk: Any, words: str, corrects: bool) -> None:
    entry = talk().ask("Sum up the cart").say("I will.").note("interrupt", "stopped").ask(words).say("Yes.").entry()
    assert any(bullet.startswith("Corrected by the person") for bullet in entry.tried) is corrects


def test_what_a_runner_prints_around_is_not_told_as_why_it_failed(talk: Any) -> None:
    platform = "platform linux -- Python 3.12.1, pytest-8.3.5, pluggy-1.6.0"
    output = f"============ test session starts ============\n{platform}\nrootdir: /work/shop\ntestpaths: specs"
    entry = talk().ask("Run the tests").shell("pytest -x", output, 1).say("Hm.").entry()
    assert any(bullet.startswith("`pytest -x` failed") for bullet in entry.failed)
    assert not any("platform" in bullet or "testpaths" in bullet for bullet in entry.failed)


def test_how_to_run_what_was_made_is_not_told_as_what_worked(talk: Any) -> None:
    entry = (
        talk()
        .ask("Write a till in `till.py`")
        .call("Write", {"file_path": "/work/shop/till.py", "content": "def total(prices):\n    return sum(prices)\n"}, "File created.")
        .say("It has these:\n\n- `total` sums the `prices`\n\nTo use it:\n\n- Install the required `till`\n- Run the script `till.py`")
        .entry()
    )
    assert not any(bullet.startswith(("Install the", "Run the script")) for bullet in entry.worked)
