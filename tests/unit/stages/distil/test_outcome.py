"""The outcome follows from signals; what an agent claims is none."""

from __future__ import annotations

from typing import Any

import pytest

from diarist.model.entry import Entry
from diarist.model.host import HostFacts


def names(entry: Entry) -> set[str]:
    return {signal.name for signal in entry.signals}


def test_a_check_that_passed_after_the_last_change_verifies(talk: Any) -> None:
    entry = talk().ask("Fix the cart").edit("cart.py", "a", "b").shell("pytest -q", "4 passed in 0.1s").say("Done.").entry()
    assert (entry.outcome, entry.verified) == ("completed", True)
    assert {"check-passed", "ended"} <= names(entry)
    assert all(signal.steps for signal in entry.signals)


def test_a_check_before_the_last_change_verifies_nothing(talk: Any) -> None:
    entry = talk().ask("Fix it").shell("pytest -q", "4 passed in 0.1s").edit("cart.py", "a", "b").say("All tests pass!").entry()
    assert (entry.outcome, entry.verified) == ("completed", None)


def test_a_claim_of_success_is_no_signal(talk: Any) -> None:
    entry = (
        talk()
        .ask("Fix it")
        .edit("a.py", "a", "b")
        .shell("pytest", "1 failed in 0.1s", 1)
        .say("Everything is fixed and all tests pass.")
        .entry()
    )
    assert (entry.outcome, entry.verified) == ("failed", False)


def test_documents_need_no_check(talk: Any) -> None:
    entry = talk().ask("Fix").edit("a.py", "a", "b").shell("make test", "", 0).edit("README.md", "x", "y").say("ok").entry()
    assert entry.verified is True


def test_a_failing_check_that_passes_later_is_a_recovery(talk: Any) -> None:
    entry = (
        talk()
        .ask("Fix")
        .edit("a.py", "a", "b")
        .shell("pytest", "1 failed in 0.1s", 1)
        .edit("a.py", "b", "c")
        .shell("pytest", "3 passed in 0.1s")
        .say("ok")
        .entry()
    )
    assert (entry.outcome, entry.verified) == ("recovered", True)
    assert entry.build_attempts == 2
    assert "repaired" in names(entry)


def test_a_failure_that_was_there_before_any_change_is_not_the_run_s(talk: Any) -> None:
    entry = talk().ask("Fix").shell("make", "x.c:1: error: no", 2).edit("a.py", "a", "b").say("ok").entry()
    assert entry.verified is None


def test_a_check_that_could_not_start_says_nothing(talk: Any) -> None:
    entry = talk().ask("Fix").edit("a.py", "a", "b").shell("pytest", "/bin/sh: pytest: command not found", 127).say("ok").entry()
    assert (entry.outcome, entry.verified) == ("completed", None)


def test_the_run_s_own_script_is_no_test_of_the_project(talk: Any) -> None:
    entry = talk().ask("Fix").edit("a.py", "a", "b").write("test_mine.py", "print(1)").shell("python test_mine.py", "ok").say("ok").entry()
    assert entry.verified is None


def test_a_fault_that_was_shown_and_is_gone_verifies(talk: Any) -> None:
    crash = 'Traceback (most recent call last):\n  File "x"\nValueError: bad'
    entry = (
        talk()
        .ask("Fix")
        .write("repro.py", "import a")
        .shell("python repro.py", crash, 1)
        .edit("a.py", "a", "b")
        .shell("python repro.py", "fine", 0)
        .say("ok")
        .entry()
    )
    assert (entry.outcome, entry.verified) == ("recovered", True)


@pytest.mark.parametrize(
    ("mark", "outcome"), [("interrupt", "interrupted"), ("limit", "failed"), ("give-up", "failed"), ("error-end", "failed")]
)
def test_what_ended_the_run_decides(talk: Any, mark: Any, outcome: str) -> None:
    assert talk().ask("Fix").edit("a.py", "a", "b").note(mark, "stopped").entry().outcome == outcome


def test_an_interrupt_that_was_followed_by_work_did_not_end_the_run(talk: Any) -> None:
    entry = talk().ask("Fix").edit("a.py", "a", "b").note("interrupt", "stop").ask("go on").say("Here it is.").entry()
    assert entry.outcome == "completed"


def test_a_refused_last_call_is_an_interruption(talk: Any) -> None:
    entry = (
        talk()
        .ask("Clean up")
        .call("Bash", {"command": "rm -rf build"}, "The user doesn't want to proceed.", error=True, mark="refusal")
        .entry()
    )
    assert entry.outcome == "interrupted"


@pytest.mark.parametrize("mark", ["api-error", "model-refusal", "escalation"])
def test_trouble_that_was_got_past_is_a_recovery(talk: Any, mark: Any) -> None:
    assert talk().ask("Fix").note(mark, "overloaded").say("Here it is.").entry().outcome == "recovered"


def test_agents_that_take_turns_hand_over_without_trouble(talk: Any) -> None:
    session = talk().ask("Find it")
    for number in range(6):
        session.note("handover", f"lead -> worker {number}").say("Looking.")
    assert session.entry().outcome == "completed"


def test_handing_over_to_a_person_is_an_escalation(talk: Any) -> None:
    entry = (
        talk()
        .ask("Change the name on my ticket")
        .call("transfer_to_human_agents", {"summary": "name change"}, "Transfer successful")
        .entry()
    )
    assert entry.escalations == 1
    assert entry.outcome == "recovered"


def test_work_handed_in_without_a_change_failed(talk: Any) -> None:
    entry = talk().ask("Fix the bug").shell("ls", "a.py").note("submit", "submitted").entry()
    assert entry.outcome == "failed"
    assert "nothing-changed" in names(entry)


def test_what_a_hook_sets_off_after_the_answer_is_not_the_end(talk: Any) -> None:
    entry = talk().ask("Why?").say("Because the cache is stale.").note("machine", "hook").call("Skill", {"skill": "learn"}, "done").entry()
    assert entry.outcome == "completed"


def test_nothing_known_of_the_end_is_unknown(talk: Any) -> None:
    assert talk().ask("Fix").shell("ls", "a.py").entry().outcome == "unknown"


def test_a_host_states_facts_and_a_failed_verification_is_never_success(talk: Any) -> None:
    session = talk().ask("Fix").edit("a.py", "a", "b").shell("pytest", "1 passed in 0.1s").say("ok")
    stated = session.entry(HostFacts(outcome="completed", verified=False, escalations=2, build_attempts=3))
    assert (stated.outcome, stated.verified, stated.escalations, stated.build_attempts) == ("failed", False, 2, 3)
    assert session.entry(HostFacts(outcome="interrupted")).outcome == "interrupted"
    assert session.entry(HostFacts(verified=True)).verified is True


def test_every_outcome_but_unknown_names_its_signals(talk: Any) -> None:
    for entry in (
        talk().ask("a").say("b").entry(),
        talk().ask("a").note("limit", "max").entry(),
        talk().ask("a").say("b").entry(HostFacts(outcome="failed")),
    ):
        assert entry.outcome == "unknown" or entry.signals


def test_reading_a_label_in_a_file_changes_nothing(talk: Any) -> None:
    entry = (
        talk()
        .ask("Is it solved?")
        .call("Read", {"file_path": "/work/shop/result.json"}, '{"resolved": true, "reward": 1}')
        .say("See file.")
        .entry()
    )
    assert (entry.outcome, entry.verified) == ("completed", None)


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("I've updated `cart.py` so that it rounds.", "The file is still the same, nothing was changed."),
        ("Done! The cart has been fixed.", "git diff is empty, you didn't change anything"),
        ("Ich habe die Rundung in cart.py angepasst.", "Da ist nichts geändert."),
        ("已修改 cart.py。", "文件没有任何变化"),
    ],
)
def test_work_that_was_claimed_and_then_done_is_a_recovery(talk: Any, claim: str, denial: str) -> None:
    entry = talk().ask("Round it").say(claim).ask(denial).edit("cart.py", "a", "b").say("Now it rounds.").entry()
    signal = next(signal for signal in entry.signals if signal.name == "no-op-repaired")
    assert entry.outcome == "recovered"
    assert signal.steps == (1, 2, 3)


def test_a_denial_counts_only_where_nothing_was_changed_and_something_is_later(talk: Any) -> None:
    changed = talk().ask("Round it").edit("cart.py", "a", "b").say("I've updated cart.py.").ask("You didn't change anything")
    assert "no-op-repaired" not in names(changed.edit("cart.py", "b", "c").say("ok").entry())
    never = talk().ask("Round it").say("I've updated cart.py.").ask("You didn't change anything").say("Sorry.")
    assert "no-op-repaired" not in names(never.entry())
    asked = talk().ask("Where is it?").say("It is in cart.py.").ask("We didn't change it, did we?").edit("cart.py", "a", "b").say("ok")
    assert "no-op-repaired" not in names(asked.entry())
