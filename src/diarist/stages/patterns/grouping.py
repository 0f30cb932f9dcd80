"""Runs to groups: those that seem to be one habit."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from diarist.stages.patterns.evidence import Channel, Features, Profile, base_measure, constancy, ends_gain
from diarist.stages.patterns.neighbours import find_pairs

ROUNDS = 3
_WORDS = {"strength": 12.0, "repeat": 0.5}
_TOOLS = {"strength": 10.0, "repeat": 0.5}
TOOL_SHARE = 0.5
"""Features of one procedure depend on each other: their evidence counts this much."""
MOST_BY_COMMON_TOOLS = 5.0
"""Many habits go read, edit, run: however often two groups do, it is no more evidence than this."""
_CONSTANT = 0.25
"""A word is part of a wording if at least this share of a run's fellows have it too; else it is filled in each time."""
_FEWEST_RUNS = 200
_CHANCE = 1.0
_HOPELESS = 4.0
"""Neighbours that lack more than this are not looked at again."""


class Run(NamedTuple):
    """One observation as the miner sees it."""

    words: Features
    common: Features
    """What common tools it used, and in what order."""
    special: Features
    """The same for tools that few runs use."""
    failed: bool
    session: int


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

    __slots__ = ("common", "failed", "runs", "special", "words")

    def __init__(self, runs: list[int], words: Profile, common: Profile, special: Profile, failed: int) -> None:
        self.runs = runs
        self.words = words
        self.common = common
        self.special = special
        self.failed = failed


def group_runs(runs: Sequence[Run]) -> tuple[list[list[int]], Measures]:
    """Groups of runs by number, and the measures that the last round went by. A group may hold one run only.

    Rounds alternate between grouping and measuring how rare each feature is *between* groups, which needs groups.
    """
    pairs = find_pairs([(run.words, run.special) for run in runs])
    measures = _first_measures(runs)
    groups: list[list[int]] = []
    for round_ in range(ROUNDS):
        if round_:
            measures = _measure(runs, groups, measures.cost)
        scored = _score(runs, pairs, measures)
        pairs = [(a, b) for a, b, _ in scored]
        groups = _agglomerate(runs, scored, measures)
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
    wordings = [tuple([feature for feature in run.words if constant[feature] >= _CONSTANT]) for run in runs]
    return Measures(channel("words", _WORDS), channel("common", _TOOLS), channel("special", _TOOLS), wordings, cost)


def gain(a: Group, b: Group, measures: Measures) -> float:
    """Log evidence that two groups are one habit, less what chance would show."""
    gained = measures.words.gain(a.words, b.words) + measures.special.gain(a.special, b.special) - measures.cost
    if gained <= -MOST_BY_COMMON_TOOLS:
        return gained
    common = min(TOOL_SHARE * measures.common.gain(a.common, b.common), MOST_BY_COMMON_TOOLS)
    return gained + common + ends_gain(a.failed, len(a.runs), b.failed, len(b.runs))


def make_group(numbers: Sequence[int], runs: Sequence[Run], measures: Measures) -> Group:
    """The group of these runs."""
    return Group(
        list(numbers),
        measures.words.profile([measures.wordings[n] for n in numbers]),
        measures.common.profile([runs[n].common for n in numbers]),
        measures.special.profile([runs[n].special for n in numbers]),
        sum(runs[n].failed for n in numbers),
    )


def _score(runs: Sequence[Run], pairs: Sequence[tuple[int, int]], measures: Measures) -> list[tuple[int, int, float]]:
    """Each pair with what joining the two runs gains; pairs without hope are left out."""
    least = measures.cost - _HOPELESS - MOST_BY_COMMON_TOOLS
    words, common, special, wordings = measures.words.pair_gain, measures.common.pair_gain, measures.special.pair_gain, measures.wordings
    scored = []
    for a, b in pairs:
        first, second = runs[a], runs[b]
        gained = words(wordings[a], wordings[b])
        if first.special and second.special:
            gained += special(first.special, second.special)
        if gained > least:
            tools = min(TOOL_SHARE * common(first.common, second.common), MOST_BY_COMMON_TOOLS)
            gained += tools + ends_gain(first.failed, 1, second.failed, 1) - measures.cost
            if gained > -_HOPELESS:
                scored.append((a, b, gained))
    return scored


def _agglomerate(runs: Sequence[Run], scored: Sequence[tuple[int, int, float]], measures: Measures) -> list[list[int]]:
    """Joins neighbours, the surest first, while joining gains."""
    near: dict[int, set[int]] = defaultdict(set)
    for a, b, _ in scored:
        near[a].add(b)
        near[b].add(a)
    groups = {number: make_group([number], runs, measures) for number in sorted(near)}
    heap = [(-gained, a, b) for a, b, gained in scored if gained > 0]
    heapq.heapify(heap)
    newest = len(runs)
    while heap:
        _, a, b = heapq.heappop(heap)
        if a in groups and b in groups:
            _join(groups, near, a, b, newest, measures)
            _offer(groups, near, newest, heap, measures)
            newest += 1
    alone = [[number] for number in range(len(runs)) if number not in near]
    return sorted(alone + [sorted(group.runs) for group in groups.values()])


def _join(groups: dict[int, Group], near: dict[int, set[int]], a: int, b: int, newest: int, measures: Measures) -> None:
    one, two = groups.pop(a), groups.pop(b)
    groups[newest] = Group(
        one.runs + two.runs,
        measures.words.join(one.words, two.words),
        measures.common.join(one.common, two.common),
        measures.special.join(one.special, two.special),
        one.failed + two.failed,
    )
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
