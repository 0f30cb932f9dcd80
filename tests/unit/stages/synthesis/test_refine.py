"""What words tell once groups are known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.model.gist import Run
from diarist.stages.synthesis import synthesis
from diarist.stages.synthesis.refine import refine
from diary_runs import groups, make_run, synthesize_runs, words

ENTRIES = st.lists(st.lists(st.integers(0, 12), unique=True).map(tuple), min_size=1, max_size=12)


def test_a_word_that_marks_a_group_keeps_its_weight_and_one_that_everybody_says_now_and_then_loses_most() -> None:
    """Feature 0 is what the group is about, 1 is said here and there as often, 2 by one entry alone."""
    entries = [(0,), (0,), (0,), (0, 1), (0,), (1,), (1, 2), (1,), (1,), ()]
    weights = refine(entries, [1.0, 1.0, 1.0, 1.0], [[0, 1, 2, 3, 4]])
    assert weights[0] == weights[2] == weights[3] == 1.0
    assert weights[1] < 0.6


@given(ENTRIES, st.randoms(use_true_random=False))
def test_no_weight_grows_or_goes_and_the_order_of_groups_does_not_matter(entries: list[tuple[int, ...]], chance: random.Random) -> None:
    """Weights stay above 0, so that what is alike can still be found."""
    numbers = list(range(len(entries)))
    chance.shuffle(numbers)
    found = [numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]]
    weights = refine(entries, [2.0] * 13, found)
    assert all(0.0 < weight <= 2.0 for weight in weights)
    assert weights == refine(entries, [2.0] * 13, found[::-1])


def test_themes_take_in_runs_that_say_much_of_what_everybody_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of each run's lines are such that all runs have; a second look tells these from the matter."""
    sets = [_runs_about_topics(seed) for seed in range(6)]
    found = [groups(synthesize_runs(runs)) for runs, _ in sets]
    monkeypatch.setattr(synthesis, "LOOKED_AT_TWICE", 0)
    before = [groups(synthesize_runs(runs)) for runs, _ in sets]
    assert all(len({truth[each] for each in group}) == 1 for those, (_, truth) in zip(found, sets, strict=True) for group in those)
    assert sum(map(_pairs, found)) > sum(map(_pairs, before))


def _runs_about_topics(seed: int) -> tuple[list[Run], dict[str, int]]:
    """Runs about five topics, one of them large, and which is about what."""
    chance, pool = random.Random(seed), words(152, seed)
    lines = [" ".join(pool[at : at + 4]) for at in range(0, 152, 4)]
    runs, truth = [], {}
    for number in range(60):
        topic = 0 if number % 3 == 0 else 1 + number % 4
        said = chance.sample(lines[8 + 6 * topic :][:6], 3) + chance.sample(lines[:8], 3)
        runs.append(make_run(number, " ".join(said), title="run"))
        truth[runs[-1].id] = topic
    return runs, truth


def _pairs(found: list[set[str]]) -> int:
    """Pairs of entries that stand together."""
    return sum(len(group) * (len(group) - 1) // 2 for group in found)
