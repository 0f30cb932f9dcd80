"""Errors that runs about different things met."""

from __future__ import annotations

import random

import msgspec

from diarist.model.gist import Run, RunError, RunFix
from diarist.model.redacted import Redacted
from diarist.model.theme import Report
from diarist.stages.synthesis import render_report
from diary_runs import NOW, WEEK, make_run, synthesize_runs, topic_runs, words

MISSING = RunError(fingerprint="f-missing", message=Redacted("can't open file 'manage.py'"), resolved=True)
LINT = RunError(fingerprint="f-lint", message=Redacted("E501 line too long"), resolved=False)
FIX = RunFix(error="f-missing", text=Redacted("`python tests/runtests.py` went through"))


def lone_runs(count: int, *errors: RunError, first: int = 0, fixes: tuple[RunFix, ...] = (), **how: str) -> list[Run]:
    """Runs that have nothing in common but these errors."""
    pool = words(12 * (first + count), 5)
    made = [make_run(number, " ".join(pool[12 * number : 12 * number + 12]), **how) for number in range(first, first + count)]  # type: ignore[arg-type]
    return [msgspec.structs.replace(run, errors=errors, fixes=fixes) for run in made]


def told(report: Report) -> list[tuple[int, list[str]]]:
    """Size and fingerprints of each."""
    return [(theme.size, [error.fingerprint for error in theme.errors]) for theme in report.errors]


def test_an_error_that_unlike_runs_met_is_told_with_its_fix() -> None:
    """No theme holds them, and yet it is what a team should know."""
    report = synthesize_runs([*lone_runs(3, MISSING, fixes=(FIX,)), *lone_runs(4, first=3)])
    assert report.themes == ()
    [theme] = report.errors
    assert (theme.size, theme.label, theme.trend, theme.is_telling) == (3, MISSING.message, "new", True)
    assert (theme.errors[0].resolved, theme.errors[0].fixes[0].text) == (3, FIX.text)
    assert FIX.text in theme.proposed_diff
    text = render_report(report)
    assert "# Errors that runs about different things met" in text
    assert "_No themes detected._" in text


def test_an_error_that_one_theme_tells_whole_is_not_told_again() -> None:
    """One that others met too is."""
    runs, _ = topic_runs(topics=2, each=5, one_offs=0)
    inside = [msgspec.structs.replace(run, errors=(LINT,)) for run in runs[::2]]
    assert synthesize_runs([*inside, *runs[1::2]]).errors == ()
    everywhere = [*inside, *runs[1::2], *lone_runs(1, LINT, first=200)]
    assert told(synthesize_runs(everywhere)) == [(6, ["f-lint"])]


def test_errors_that_much_the_same_runs_met_stand_together() -> None:
    """An import error and the missing module behind it are one matter; each has its own count."""
    other = msgspec.structs.replace(LINT, fingerprint="f-other")
    report = synthesize_runs([*lone_runs(4, MISSING, LINT), *lone_runs(1, LINT, first=4), *lone_runs(6, other, first=5)])
    assert told(report) == [(6, ["f-other"]), (5, ["f-lint", "f-missing"])]
    assert [error.count for error in report.errors[1].errors] == [5, 4]
    assert report.errors[1].label == LINT.message


def test_an_error_in_many_wordings_says_so() -> None:
    """One of them alone would be untrue of the others; numbers are no wording."""
    named = [msgspec.structs.replace(LINT, message=Redacted(f"name '{name}' is not defined in line {at}")) for at, name in enumerate("aab")]
    runs = [run for number, error in enumerate(named) for run in lone_runs(1, error, first=number)]
    [theme] = synthesize_runs(runs).errors
    assert theme.errors[0].wordings == 2
    assert theme.label == "name 'a' is not defined in line 0 and 1 like it"
    assert f"{theme.label} (3 of 3" in theme.proposed_diff


def test_sessions_are_counted_and_what_was_met_twice_needs_a_fix() -> None:
    """Two runs with the same open error are no habit yet."""
    assert synthesize_runs(lone_runs(4, LINT, session="one")).errors == ()
    assert synthesize_runs(lone_runs(2, LINT)).errors == ()
    assert told(synthesize_runs(lone_runs(2, MISSING, fixes=(FIX,)))) == [(2, ["f-missing"])]
    assert synthesize_runs(lone_runs(3, LINT), size=4).errors == ()


def test_the_id_of_an_error_stays_when_more_runs_meet_it() -> None:
    """And its trend is told against the window before."""
    few, many = (synthesize_runs(lone_runs(count, LINT)).errors[0] for count in (3, 6))
    assert few.id == few.lineage == many.id == many.lineage
    assert few.id.startswith("error-")
    before = [msgspec.structs.replace(run, created_at=NOW - WEEK - WEEK / 2) for run in lone_runs(9, LINT, first=50)]
    theme = synthesize_runs(lone_runs(3, LINT), before).errors[0]
    assert (theme.trend, theme.earlier) == ("fading", 9)


def test_errors_are_the_same_in_any_order_and_the_rest_is_counted() -> None:
    """Twelve are told."""
    marks = [msgspec.structs.replace(LINT, fingerprint=f"f-{number:02}") for number in range(15)]
    runs = [run for number, mark in enumerate(marks) for run in lone_runs(3, mark, first=3 * number)]
    first = synthesize_runs(runs)
    assert (len(first.errors), first.more_errors) == (12, 3)
    random.Random(1).shuffle(runs)
    assert synthesize_runs(runs) == first
