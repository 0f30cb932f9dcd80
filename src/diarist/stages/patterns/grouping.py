"""Runs to groups: those that seem to be one habit."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from diarist.stages.patterns.evidence import Channel, Features, Profile, base_measure, constancy
from diarist.stages.patterns.neighbours import find_pairs

ROUNDS = 4
_WORDS = {"strength": 12.0, "repeat": 0.5, "unseen": 0.0}
_TOOLS = {"strength": 10.0, "repeat": 0.5, "unseen": 0.0}
TOOL_SHARE = 0.5
"""Features of one procedure depend on each other: their evidence counts this much."""
MOST_BY_COMMON_TOOLS = 5.0
"""Many habits go read, edit, run: however often two groups do, it is no more evidence than this."""
_CONSTANT = 0.25
"""A word is part of a wording if at least this share of a run's fellows have it too; else it is filled in each time."""
_FEWEST_RUNS = 200
_CHANCE = 1.0
ENDS = Channel({0: 0.8, 1: 0.2}, strength=2.0, repeat=1.0)
"""How runs end: well (0) or not (1)."""


class Run(NamedTuple):
    """One observation as the miner sees it."""

    words: Features
    common: Features
    """What common tools it used, and in what order."""
    special: Features
    """The same for tools that few runs use."""
    failed: bool


class Measures(NamedTuple):
    """What is known of the stream while it is grouped."""

    words: Channel
    common: Channel
    special: Channel
    wordings: list[Features]
    """By run: its words without what is filled in each time."""
    cost: float
    """Log evidence that the best of so many comparisons shows by chance."""


class Group:
    """Runs that seem to be one habit."""

    __slots__ = ("common", "ends", "runs", "special", "words")

    def __init__(self, runs: list[int], words: Profile, common: Profile, special: Profile, ends: Profile) -> None:
        self.runs = runs
        self.words = words
        self.common = common
        self.special = special
        self.ends = ends


def group_runs(runs: Sequence[Run]) -> tuple[list[list[int]], Measures]:
    """Groups of runs by number, and the measures that the last round went by. A group may hold one run only.

    Rounds alternate between grouping and measuring how rare each feature is *between* groups, which needs groups.
    """
    pairs = find_pairs([(run.words, run.special) for run in runs])
    measures = _first_measures(runs)
    groups: list[list[int]] = []
    for round_ in range(ROUNDS):
        groups, pairs = _agglomerate(runs, pairs, measures)
        if round_ + 1 < ROUNDS:
            measures = _measure(runs, groups, measures.cost)
    return groups, measures


def _first_measures(runs: Sequence[Run]) -> Measures:
    words = {feature: count**0.7 for feature, count in Counter(f for run in runs for f in run.words).items()}
    common = Counter(f for run in runs for f in run.common)
    special = Counter(f for run in runs for f in run.special)
    cost = _CHANCE * log(max(len(runs), _FEWEST_RUNS))
    return Measures(
        Channel(words, **_WORDS), Channel(dict(common), **_TOOLS), Channel(dict(special), **_TOOLS), [run.words for run in runs], cost
    )


def _measure(runs: Sequence[Run], groups: Sequence[Sequence[int]], cost: float) -> Measures:
    def channel(name: str, settings: dict[str, float]) -> Channel:
        return Channel(base_measure([getattr(runs[n], name) for n in group] for group in groups), **settings)

    constant = constancy([runs[n].words for n in group] for group in groups)
    wordings = [tuple(feature for feature in run.words if constant[feature] >= _CONSTANT) for run in runs]
    return Measures(channel("words", _WORDS), channel("common", _TOOLS), channel("special", _TOOLS), wordings, cost)


def gain(a: Group, b: Group, measures: Measures) -> float:
    """Log evidence that two groups are one habit, less what chance would show."""
    words = measures.words.gain(a.words, b.words)
    common = min(TOOL_SHARE * measures.common.gain(a.common, b.common), MOST_BY_COMMON_TOOLS)
    ends = ENDS.gain(a.ends, b.ends)
    return words + common + measures.special.gain(a.special, b.special) + ends - measures.cost


def outcome_gain(a: Sequence[int], b: Sequence[int], runs: Sequence[Run]) -> float:
    """Log evidence that the runs of both end alike: what mostly fails is not what mostly succeeds."""

    def ends(group: Sequence[int]) -> Profile:
        profile = ENDS.single(_end(runs[group[0]]))
        for number in group[1:]:
            profile = ENDS.join(profile, ENDS.single(_end(runs[number])))
        return profile

    return ENDS.gain(ends(a), ends(b))


def make_group(numbers: Sequence[int], runs: Sequence[Run], measures: Measures) -> Group:
    """The group of these runs."""
    groups = [
        Group(
            [number],
            measures.words.single(measures.wordings[number]),
            measures.common.single(runs[number].common),
            measures.special.single(runs[number].special),
            ENDS.single(_end(runs[number])),
        )
        for number in numbers
    ]
    made = groups[0]
    for group in groups[1:]:
        made = join(made, group, measures)
    return made


def join(a: Group, b: Group, measures: Measures) -> Group:
    """Both groups as one."""
    return Group(
        a.runs + b.runs,
        measures.words.join(a.words, b.words),
        measures.common.join(a.common, b.common),
        measures.special.join(a.special, b.special),
        ENDS.join(a.ends, b.ends),
    )


def _end(run: Run) -> Features:
    return (1,) if run.failed else (0,)


def _agglomerate(runs: Sequence[Run], pairs: Sequence[tuple[int, int]], measures: Measures) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Joins neighbours, the surest first, while joining gains. Gives the groups, and the pairs worth a look next time."""
    groups = {number: make_group([number], runs, measures) for number in range(len(runs))}
    near: dict[int, set[int]] = defaultdict(set)
    heap: list[tuple[float, int, int]] = []
    hopeful: list[tuple[int, int]] = []
    for a, b in pairs:
        gained = gain(groups[a], groups[b], measures)
        if gained > -measures.cost:
            hopeful.append((a, b))
            near[a].add(b)
            near[b].add(a)
            if gained > 0:
                heap.append((-gained, a, b))
    heapq.heapify(heap)
    newest = len(runs)
    while heap:
        _, a, b = heapq.heappop(heap)
        if a in groups and b in groups:
            _join(groups, near, a, b, newest, measures)
            _offer(groups, near, newest, heap, measures)
            newest += 1
    return sorted(sorted(group.runs) for group in groups.values()), hopeful


def _join(groups: dict[int, Group], near: dict[int, set[int]], a: int, b: int, newest: int, measures: Measures) -> None:
    groups[newest] = join(groups.pop(a), groups.pop(b), measures)
    around = (near.pop(a) | near.pop(b)) - {a, b}
    near[newest] = around
    for other in around:
        near[other].discard(a)
        near[other].discard(b)
        near[other].add(newest)


def _offer(groups: dict[int, Group], near: dict[int, set[int]], newest: int, heap: list[tuple[float, int, int]], measures: Measures) -> None:
    """Puts the new group's joins onto the heap. Big groups gain more by every join: the gain counts by wording."""
    made = groups[newest]
    for other in sorted(near[newest]):
        gained = gain(groups[other], made, measures)
        if gained > 0:
            heapq.heappush(heap, (-gained / min(len(groups[other].words.keys), len(made.words.keys)), other, newest))
