"""Groups that turn out to be two habits with some words in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log

from diarist.stages.patterns.grouping import Measures, Run, gain, make_group

Holders = dict[int, frozenset[int]]
"""Feature → runs of the group that have it."""

_SMALLEST_SPLIT = 6
_FEWEST_APART = 3
_EVERYONE = 1 << 40
"""Stands among the features for what all runs have."""
_CHANCE = 4.0
"""Log likelihood that telling two sides apart gains by the best of many features by chance."""
_CONTRAST = 2.0


def split(group: list[int], runs: Sequence[Run], measures: Measures) -> list[list[int]]:
    """The group in parts where it turns out to be two habits with some words in common.

    Within one habit it does not depend on the words chosen which tools are used. Where runs that use a tool are asked for in
    other words than those that do not, or runs with a word go about it differently, there are two.
    """
    if len(group) < _SMALLEST_SPLIT:
        return [group]
    words, tools = _held(group, runs)
    best = max(_divisions(group, words, tools), key=lambda each: each[0], default=None)
    if best is None or best[0] < _CONTRAST:
        return [group]
    one, two = _settle([n for n in group if n in best[1]], [n for n in group if n not in best[1]], runs, measures)
    if min(len(one), len(two)) < _FEWEST_APART:
        return [group]
    inside = frozenset(one)
    told = _contrast(inside, words), _contrast(inside, tools)
    if min(told) <= 0 or sum(told) < 3 * _CONTRAST:  # settling may have undone what one of both told
        return [group]
    return [part for half in (one, two) for part in split(half, runs, measures)]


def _held(group: list[int], runs: Sequence[Run]) -> tuple[Holders, Holders]:
    """Which runs have each word and each tool feature (special ones have negative numbers)."""
    words: dict[int, list[int]] = defaultdict(list)
    tools: dict[int, list[int]] = defaultdict(list)
    for n in group:
        for word in runs[n].words:
            words[word].append(n)
        for tool in (*runs[n].common, *(-1 - tool for tool in runs[n].special)):
            tools[tool].append(n)
    everyone = {_EVERYONE: frozenset(group)}
    return (
        {key: frozenset(held) for key, held in sorted(words.items())} | everyone,
        {key: frozenset(held) for key, held in sorted(tools.items())} | everyone,
    )


def _divisions(group: list[int], words: Holders, tools: Holders) -> Iterator[tuple[float, frozenset[int]]]:
    for own, other in ((words, tools), (tools, words)):
        for held in own.values():
            if min(len(held), len(group) - len(held)) >= max(_FEWEST_APART, len(group) / 6):
                yield _contrast(held, other), held


def _contrast(inside: frozenset[int], features: Holders) -> float:
    """How much the runs inside differ from the others in what they have: log likelihood gained by telling both apart, feature by
    feature, less what chance gains.
    """
    everyone = len(features[_EVERYONE])
    found = 0.0
    for held in features.values():
        within = len(held & inside)
        gained = _bernoulli(within, len(inside)) + _bernoulli(len(held) - within, everyone - len(inside)) - _bernoulli(len(held), everyone)
        found += max(0.0, gained - _CHANCE)
    return found


def _bernoulli(hits: int, runs: int) -> float:
    return sum(count * log(count / runs) for count in (hits, runs - hits) if count)


def _settle(one: list[int], two: list[int], runs: Sequence[Run], measures: Measures) -> tuple[list[int], list[int]]:
    """Moves each run to the side that attracts it more."""
    for _ in range(3):
        sides: tuple[list[int], list[int]] = ([], [])
        for run in sorted(one + two):
            alone = make_group([run], runs, measures)
            pulls = [
                gain(alone, make_group(rest, runs, measures), measures) if (rest := [n for n in side if n != run]) else -measures.cost
                for side in (one, two)
            ]
            sides[pulls[1] > pulls[0]].append(run)
        if sides == (one, two):
            break
        one, two = sides
    return one, two
