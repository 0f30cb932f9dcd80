"""What came of a record in a session that was shown it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from diarist.model.use import Effect, Tally, Use
from diarist.stages.rank.usefulness import MOST, factor, reason
from diarist.stages.usefulness import Deed, Ending, Remedy, Showing, judge, same_file

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SESSION = "claude-code:s1"
HATCH = Remedy(frozenset({"npm install --legacy-peer-deps"}), ("/home/kim/shop/package.json",), frozenset({"aaaaaaaa00000001"}))
DONE = Ending("kh-later", "recovered", True, {"aaaaaaaa00000001": True, "aaaaaaaa": True})


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def deed(step: int, *, runs: str = "", changes: str = "", cites: str = "") -> Deed:
    return Deed(step, at(step), tuple(filter(None, [runs])), tuple(filter(None, [changes])), tuple(filter(None, [cites])))


def one(deeds: list[Deed], ending: Ending = DONE, shown: Showing | None = None, said: list[Use] | None = None) -> Effect:
    (effect,) = judge(SESSION, [shown or Showing("kh-fix", at(2), 2)], said or [], deeds, ending, {"kh-fix": HATCH})
    return effect


def say(verdict: str, minutes: float = 9) -> Use:
    return Use("kh-fix", SESSION, at(minutes), verdict)


def test_the_fixs_command_run_after_it_was_shown_is_followed() -> None:
    effect = one([deed(0, runs="npm run build"), deed(3, runs="npm install --legacy-peer-deps")])
    assert (effect.followed, effect.error_gone, effect.points) == ("command", True, 2)


def test_what_the_session_had_done_before_it_was_shown_is_not_followed() -> None:
    effect = one([deed(0, runs="npm install --legacy-peer-deps"), deed(3, runs="npm install --legacy-peer-deps")])
    assert (effect.followed, effect.points) == ("", 0)


def test_following_a_fix_that_leaves_the_error_speaks_against_it() -> None:
    left = DONE._replace(outcome="failed", verified=False, errors={"aaaaaaaa00000001": False})
    assert one([deed(3, runs="npm install --legacy-peer-deps")], left).points == -1


def test_an_error_of_the_same_family_counts_where_the_very_same_one_was_not_met() -> None:
    kin = DONE._replace(errors={"aaaaaaaa00000002": False, "aaaaaaaa": False})
    assert one([deed(3)], kin).error_gone is False


@pytest.mark.parametrize(("errors", "points"), [({"aaaaaaaa00000001": True}, 2), ({}, 1)])
def test_the_same_file_changed_weighs_more_where_the_same_error_was_met(errors: dict[str, bool | None], points: int) -> None:
    effect = one([deed(3, changes="package.json")], DONE._replace(errors=errors))
    assert (effect.followed, effect.points) == ("file", points)


def test_an_id_named_by_the_agent_is_cited() -> None:
    assert one([deed(1, cites="kh-fix")]).cited is False, "before it was shown it cannot have been"
    effect = one([deed(4, cites="kh-fix")])
    assert (effect.cited, effect.points) == (True, 1)


def test_citing_it_in_a_run_that_failed_says_nothing() -> None:
    assert one([deed(4, cites="kh-fix")], Ending("kh-later", "failed")).points == 0


def test_what_was_said_counts_before_what_was_seen_and_the_last_word_counts() -> None:
    followed = [deed(3, runs="npm install --legacy-peer-deps")]
    assert one(followed, said=[say("harmful")]).points == -2
    assert one(followed, said=[say("harmful"), say("helped", 10)]).points == 2
    assert one(followed, said=[say("ignored")]).points == 0


def test_feedback_without_a_showing_is_an_effect_too() -> None:
    assert judge("person:kim", [], [say("refuted")], [], Ending(), {}) == [
        Effect("kh-fix", "person:kim", at(9), verdict="refuted", points=-2)
    ]


def test_a_showing_told_by_the_clock_counts_from_the_next_deed() -> None:
    before, after = deed(1, runs="npm install --legacy-peer-deps"), deed(5, runs="npm install --legacy-peer-deps")
    assert one([before, after], shown=Showing("kh-fix", at(3))).followed == ""
    assert one([deed(1), after], shown=Showing("kh-fix", at(3))).followed == "command"


def test_a_showing_outside_the_sessions_times_counts_from_its_beginning() -> None:
    """A transcript that was copied from a machine with another clock."""
    assert one([deed(1, runs="npm install --legacy-peer-deps"), deed(2)], shown=Showing("kh-fix", at(-50_000))).followed == "command"
    assert one([deed(1, runs="npm install --legacy-peer-deps"), deed(2)], shown=Showing("kh-fix", at(50_000))).followed == "command"


def test_a_showing_right_after_what_is_known_of_a_session_waits_for_the_rest() -> None:
    assert one([deed(1, runs="npm install --legacy-peer-deps")], shown=Showing("kh-fix", at(30))).followed == ""


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("/home/kim/shop/src/a.py", "/work/ana/shop/src/a.py", True),
        ("/home/kim/shop/src/a.py", "src/a.py", True),
        ("./src/a.py", "src\\a.py", True),
        ("a.py", "/home/kim/shop/a.py", True),
        ("/a.py", "/b/a.py", False),
        ("src/a.py", "lib/a.py", False),
        ("src/a.py", "src/b.py", False),
        ("", "", False),
    ],
)
def test_a_file_is_known_again_from_another_checkout(first: str, second: str, same: bool) -> None:
    assert same_file(first, second) is same_file(second, first) is same


def test_the_factor_is_told_in_words() -> None:
    assert reason(Tally("kh-fix")) == ""
    told = reason(Tally("kh-fix", 4, helped=3, harmed=1, points_for=6, points_against=2))
    assert told == "useful so far: 3 sessions for it, 1 against (score × 1.02)"
    assert factor(None) == 1.0
    assert 1 + 0.9 * MOST < factor(Tally("kh-fix", 100, helped=100, points_for=200)) < 1 + MOST
