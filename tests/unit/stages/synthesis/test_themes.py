"""What a theme says of its entries."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from diarist.model.bullet import ASKED, CORRECTED, FOUND, UNASKED, WENT_ON
from diarist.model.gist import Run, RunError, RunFix
from diarist.model.redacted import Redacted
from diarist.model.theme import Theme
from diarist.stages.synthesis import Ancestor
from diarist.stages.synthesis.adjustment import name_ids
from diarist.stages.synthesis.lineage import trace
from diarist.stages.synthesis.themes import theme_id
from diary_runs import NOW, WEEK, make_run, synthesize_runs, topic_runs, words

ABOUT = "deadlock between two checkouts of the orders table"
ERROR = RunError(fingerprint="f1", message=Redacted("deadlock detected: process waits"), resolved=True)


def only_theme(runs: list[Run], earlier: list[Run] | None = None) -> Theme:
    """The single theme of these runs."""
    [theme] = synthesize_runs(runs, earlier or []).themes
    return theme


def checkout_runs(count: int = 4, **differing: list[list[str]]) -> list[Run]:
    """Runs about one thing; lists of bullets by run."""
    runs = [make_run(number, f"{ABOUT}: orders deadlock again") for number in range(count)]
    for name, bullets in differing.items():
        runs = [msgspec.structs.replace(run, **{name: tuple(map(Redacted, own))}) for run, own in zip(runs, bullets, strict=True)]
    return runs


def test_lines_are_counted_with_their_entries_most_frequent_first() -> None:
    """Bernstein sorts by alphabet, counts nothing and names no entry."""
    worked = [["lock rows in id order"], ["lock rows in id order", "zzz advisory lock"], ["lock rows in id order."], ["zzz advisory lock"]]
    theme = only_theme(checkout_runs(worked=worked))
    assert [(line.text, line.count) for line in theme.worked] == [("lock rows in id order.", 3), ("zzz advisory lock", 2)]
    assert theme.worked[0].entries == ("kh-0000000000000000", "kh-0000000000000001", "kh-0000000000000002")
    assert "+ lock rows in id order. (3 of 4: kh-0000000000000000, " in theme.proposed_diff


def test_rewordings_and_slips_count_as_one_line() -> None:
    """The wording most entries have stands for all."""
    worked = [["shorten the checkout transaction so the window closes"]] * 2 + [
        ["shorten the checkout transactoin so the window closes"]
    ] * 2
    theme = only_theme(checkout_runs(worked=worked))
    assert [line.count for line in theme.worked] == [4]


def test_what_one_entry_says_alone_is_not_recurring() -> None:
    """Bernstein calls it so."""
    theme = only_theme(checkout_runs(worked=[["a"], ["b"], ["c"], ["only here, once"]]))
    assert theme.worked == ()
    assert "No approach recurs" in theme.proposed_diff


def test_more_lines_than_are_shown_are_counted() -> None:
    """As "and 4 more"."""
    pool = words(36, 5)
    bullets = [" ".join(pool[3 * at : 3 * at + 3]) for at in range(12)]
    theme = only_theme(checkout_runs(failed=[bullets] * 4))
    assert len(theme.failed) == 8
    assert theme.cut == {"failed": 4}
    assert "- and 4 more" in theme.proposed_diff
    assert name_ids([f"kh-{number}" for number in range(7)], 4) == "kh-0, kh-1, kh-2, kh-3 and 3 more"


def test_what_worked_for_some_and_failed_for_others_is_shown_as_a_contradiction() -> None:
    """Under neither of both lists."""
    theme = only_theme(
        checkout_runs(worked=[["retry the checkout"], [], ["retry the checkout"], []], failed=[[], ["retry the checkout"], [], []])
    )
    [one] = theme.contradictions
    assert (len(one.worked), len(one.failed), one.count) == (2, 1, 3)
    assert theme.worked == theme.failed == ()
    assert "Contradictory (look before you decide)" in theme.proposed_diff


def test_attempts_with_no_end_told_are_kept_apart() -> None:
    """Bernstein never uses `tried`."""
    theme = only_theme(checkout_runs(tried=[["raise the isolation level"]] * 3 + [[]]))
    assert [(line.text, line.count) for line in theme.tried] == [("raise the isolation level", 3)]
    assert "isolation" not in theme.proposed_diff


def test_what_everybody_says_everywhere_is_no_line_of_a_theme() -> None:
    """It may be true, but it says nothing."""
    runs, _ = topic_runs(topics=4, each=5)
    runs = [msgspec.structs.replace(run, worked=(*run.worked, Redacted("all tests pass"))) for run in runs]
    for theme in synthesize_runs(runs).themes:
        assert len(theme.worked) == 1
        assert "all tests pass" not in theme.proposed_diff


def test_errors_come_with_the_fix_that_worked_and_the_one_that_did_not() -> None:
    """By fingerprint, counted by entry."""
    fixed = [
        msgspec.structs.replace(run, errors=(ERROR,), fixes=(RunFix(error="f1", text=Redacted("take the rows in id order")),))
        for run in checkout_runs(2)
    ]
    stuck = [
        msgspec.structs.replace(
            make_run(10 + number, ABOUT, failed=["retrying hid it"]), errors=(msgspec.structs.replace(ERROR, resolved=False),)
        )
        for number in range(2)
    ]
    [error] = only_theme(fixed + stuck).errors
    assert (error.count, error.resolved, error.unresolved) == (4, 2, 2)
    assert [(fix.text, fix.count) for fix in error.fixes] == [("take the rows in id order", 2)]
    assert [(fix.text, fix.count) for fix in error.failed_fixes] == [("retrying hid it", 2)]


def test_what_was_only_said_is_no_approach() -> None:
    """An agent's claim is not what worked; a person's correction is worth acting on."""
    said = [
        [f"{FOUND}the cache of orders is stale"],
        [f"{FOUND}the cache of orders is stale"],
        [],
        [],
    ]
    asked = [[f"{ASKED}add a test for it", f"{CORRECTED}use the helper, not a raw lock"]] * 3 + [[]]
    theme = only_theme(checkout_runs(worked=said, tried=asked))
    assert (theme.worked, theme.tried, theme.contradictions) == ((), (), ())
    assert [(line.text, line.count) for line in theme.found] == [("the cache of orders is stale", 2)]
    assert [(line.text, line.count) for line in theme.asked] == [("add a test for it", 3)]
    assert [(line.text, line.count) for line in theme.corrected] == [("use the helper, not a raw lock", 3)]
    assert "+ use the helper, not a raw lock (3 of 4" in theme.proposed_diff
    assert "stale" not in theme.proposed_diff
    assert theme.is_telling


def test_a_theme_in_which_nothing_recurs_is_told_as_one() -> None:
    """Its entries are only about the same thing."""
    theme = only_theme(checkout_runs(worked=[[f"{FOUND}hello there"]] * 4))
    assert not theme.is_telling
    assert theme.target.startswith("nothing")


def test_going_on_is_no_fix() -> None:
    """An overloaded service went away by itself."""
    waited = msgspec.structs.replace(ERROR, resolved_by=Redacted(WENT_ON))
    again = msgspec.structs.replace(ERROR, resolved_by=Redacted("the query was split"))
    [error] = only_theme([msgspec.structs.replace(run, errors=(waited,)) for run in checkout_runs(3)]).errors
    assert (error.resolved, error.fixes) == (3, ())
    [error] = only_theme([msgspec.structs.replace(run, errors=(again,)) for run in checkout_runs(3)]).errors
    assert [(fix.text, fix.count) for fix in error.fixes] == [("the query was split", 3)]


def test_a_failure_that_says_little_more_than_its_error_is_told_once() -> None:
    """The error's line has the count and the fixes."""
    said = [f"`pytest` failed: {ERROR.message}"]
    runs = [msgspec.structs.replace(run, errors=(ERROR,)) for run in checkout_runs(failed=[said] * 4)]
    assert only_theme(runs).proposed_diff.count(ERROR.message) == 1


def test_size_people_places_times_and_outcomes_are_told() -> None:
    """And the recovery rate of those that got into trouble."""
    runs = checkout_runs(4)
    outcomes = ["completed", "recovered", "failed", "recovered"]
    runs = [
        msgspec.structs.replace(
            run, outcome=outcome, agent=Redacted("codex" if number else "claude-code"), project=Redacted(f"p{number % 2}")
        )
        for number, (run, outcome) in enumerate(zip(runs, outcomes, strict=True))
    ]
    theme = only_theme(runs)
    assert (theme.size, theme.sessions) == (4, 4)
    assert list(theme.agents.items()) == [("codex", 3), ("claude-code", 1)]
    assert theme.projects == {"p0": 2, "p1": 2}
    assert (theme.first_at, theme.last_at) == (NOW - timedelta(minutes=4), NOW - timedelta(minutes=1))
    assert list(theme.outcomes.items()) == [("recovered", 2), ("completed", 1), ("failed", 1)]
    assert theme.recovery_rate == pytest.approx(0.667)
    assert theme.task_ids == ("task-0", "task-1", "task-2", "task-3")


def test_no_trouble_gives_no_recovery_rate() -> None:
    """Neither 0 nor 1 would be true."""
    assert only_theme(checkout_runs()).recovery_rate is None


@pytest.mark.parametrize(("before", "trend"), [(0, "new"), (2, "rising"), (4, "steady"), (6, "fading")])
def test_the_trend_is_told_against_the_window_before(before: int, trend: str) -> None:
    """By entries that would belong to the theme."""
    earlier = [make_run(50 + number, ABOUT, at=NOW - WEEK - timedelta(hours=number + 1)) for number in range(before)]
    theme = only_theme(checkout_runs(), earlier)
    assert (theme.trend, theme.earlier) == (trend, before)


def test_the_label_is_a_title_that_tells_most_of_the_theme() -> None:
    """Not the first three tags of the alphabet."""
    runs = checkout_runs()
    runs[2] = msgspec.structs.replace(runs[2], title=Redacted("Fix the deadlock of two checkouts in the orders table"))
    runs[3] = msgspec.structs.replace(runs[3], title=Redacted("Hello"))
    assert "deadlock" in only_theme(runs).label
    assert only_theme(runs).tags[0] in {"deadlock", "checkouts", "orders", "table", "again", "between"}


def test_words_that_say_nothing_by_themselves_mark_no_theme() -> None:
    """Among few entries they are as rare as any other word."""
    theme = only_theme([make_run(number, "renew the certificate of the proxy and reload it with certbot") for number in range(3)])
    assert {"certificate", "proxy", "certbot"} <= set(theme.tags)
    assert not {"the", "of", "and", "it", "with"} & set(theme.tags)


def test_a_title_of_our_own_making_brings_nothing_together() -> None:
    """Sessions in which nobody asked for anything are not about that."""
    runs = [
        msgspec.structs.replace(make_run(number, f"{chr(97 + number) * 7} {chr(107 + number) * 5}"), title=Redacted(UNASKED))
        for number in range(6)
    ]
    assert not synthesize_runs(runs, []).themes


def test_a_label_that_two_themes_share_is_told_apart_by_their_tags() -> None:
    """Titles such as "Session" say nothing."""
    runs, _ = topic_runs(topics=3, each=4)
    runs = [msgspec.structs.replace(run, title=Redacted("Session"), worked=(), failed=()) for run in runs]
    labels = [theme.label for theme in synthesize_runs(runs).themes]
    assert len(set(labels)) == 3


def test_themes_are_sorted_by_size_then_by_id() -> None:
    """Not by the clock."""
    runs, _ = topic_runs(topics=6, each=4)
    runs += [make_run(800 + number, ABOUT) for number in range(7)]
    themes = synthesize_runs(runs).themes
    assert [(-theme.size, theme.id) for theme in themes] == sorted((-theme.size, theme.id) for theme in themes)
    assert themes[0].size == 7


def test_an_id_follows_from_the_members_and_stays_when_others_come_or_go() -> None:
    """Bernstein's ids hold the rank."""
    runs, _ = topic_runs(topics=6, each=5)
    ids = {theme.id: theme.entries for theme in synthesize_runs(runs).themes}
    more = {theme.id: theme.entries for theme in synthesize_runs(runs + checkout_runs()).themes if "task-0" not in theme.task_ids}
    fewer = {theme.id for theme in synthesize_runs(runs[1:]).themes}
    assert sum(more.get(known) == entries for known, entries in ids.items()) >= 5
    assert len(fewer & set(ids)) == 5
    assert theme_id(["kh-b", "kh-a"]) == theme_id(["kh-a", "kh-b"]) != theme_id(["kh-a"])


def test_a_lineage_names_the_same_theme_from_run_to_run() -> None:
    """By the members they share, one heir at most."""
    [theme] = synthesize_runs(checkout_runs(6)).themes
    near, far = frozenset([*theme.entries[:4], "kh-gone"]), frozenset([theme.entries[0], "kh-x", "kh-y"])
    [traced] = trace([theme], [Ancestor("theme-far", far), Ancestor("theme-near", near)])
    assert traced.lineage == "theme-near"
    assert trace([theme], [Ancestor("theme-far", far)])[0].lineage == theme.id
    twins = trace([theme, msgspec.structs.replace(theme, id="theme-zz", lineage="theme-zz")], [Ancestor("theme-near", near)])
    assert sorted(each.lineage for each in twins) == ["theme-near", "theme-zz"]


def test_a_small_part_of_a_large_theme_is_no_heir_of_it() -> None:
    """A two-hour window does not take a fortnight's theme over."""
    [theme] = synthesize_runs(checkout_runs(2)).themes
    large = frozenset([*theme.entries, *(f"kh-{number}" for number in range(20))])
    assert trace([theme], [Ancestor("theme-large", large)])[0].lineage == theme.id
