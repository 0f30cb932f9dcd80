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
_WORDS = {"strength": 12.0, "repeat": 0.5, "least": 600.0}
_TOOLS = {"strength": 10.0, "repeat": 0.5, "least": 150.0}
TOOL_SHARE = 0.5
"""Features of one procedure depend on each other: their evidence counts this much."""
MOST_BY_COMMON_TOOLS = 5.0
"""Many habits go read, edit, run: however often two groups do, it is no more evidence than this."""
_CONSTANT = 0.25
"""A word is part of a wording if at least this share of a run's fellows have it too; else it is filled in each time."""
_FEWEST_RUNS = 200
SAMPLE = 96
"""Runs of a group that its refinement looks at."""
_CHANCE = 1.0
_HOPELESS = 4.0
"""Neighbours that lack more than this are not looked at again."""
_SMALL = 24
_GROWN = 1.25
"""A big group's joins are weighed anew when it has grown by this factor; new neighbours' at once."""
_STILL = 0.9
"""A join that was weighed before its groups grew is made if it is still worth so much of what it was."""


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
    copies = _copies(runs)
    numbers = list(copies)
    pairs = [(numbers[a], numbers[b]) for a, b in find_pairs([(runs[n].words, runs[n].special) for n in numbers])]
    measures = _first_measures(runs)
    groups: list[list[int]] = []
    for round_ in range(ROUNDS):
        if round_:
            measures = _measure(runs, groups, measures.cost)
        scored = _score(runs, pairs, measures)
        pairs = [(a, b) for a, b, _ in scored]
        groups = _agglomerate(runs, copies, scored, measures)
    return groups, measures


def _copies(runs: Sequence[Run]) -> dict[int, list[int]]:
    """Runs that are the same but for their session, by the first of them: they need not be compared."""
    found: dict[tuple[Features, Features, Features, bool], list[int]] = {}
    for number, run in enumerate(runs):
        found.setdefault((run.words, run.common, run.special, run.failed), []).append(number)
    return {same[0]: same for same in found.values()}


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
    """The group of these runs; of very many, what a sample of them says."""
    told = numbers if len(numbers) <= SAMPLE else [numbers[at * len(numbers) // SAMPLE] for at in range(SAMPLE)]
    return Group(
        list(numbers),
        measures.words.profile([measures.wordings[n] for n in told]),
        measures.common.profile([runs[n].common for n in told]),
        measures.special.profile([runs[n].special for n in told]),
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


def _agglomerate(
    runs: Sequence[Run], copies: dict[int, list[int]], scored: Sequence[tuple[int, int, float]], measures: Measures
) -> list[list[int]]:
    """Joins neighbours, the surest first, while joining gains."""
    forest = Forest(runs, copies, scored, measures)
    forest.grow()
    alone = [same for number, same in copies.items() if number not in forest.near]
    return sorted(alone + [sorted(group.runs) for group in forest.groups.values()])


class Forest:
    """Groups while they are being joined. A group keeps the number of its bigger part."""

    def __init__(
        self, runs: Sequence[Run], copies: dict[int, list[int]], scored: Sequence[tuple[int, int, float]], measures: Measures
    ) -> None:
        self.measures = measures
        self.near: dict[int, set[int]] = defaultdict(set)
        for a, b, _ in scored:
            self.near[a].add(b)
            self.near[b].add(a)
        self.groups = {number: make_group(copies[number], runs, measures) for number in sorted(self.near)}
        self._offered = {number: len(group.runs) for number, group in self.groups.items()}
        """By group: its size when its joins were last weighed."""
        self._heap = [(-gained, a, b, len(copies[a]) + len(copies[b])) for a, b, gained in scored if gained > 0]
        """(minus the score, group, group, size of both together when it was weighed)."""
        heapq.heapify(self._heap)

    def grow(self) -> None:
        """Joins until nothing gains any more."""
        gone: set[int] = set()
        while self._heap:
            score, a, b, size = heapq.heappop(self._heap)
            if a in gone or b in gone:
                continue
            if size != len(self.groups[a].runs) + len(self.groups[b].runs):
                now = self._score(a, b)
                if now <= 0 or -now > score * _STILL:
                    self._offer(a, b, now)
                    continue
            if len(self.groups[a].runs) < len(self.groups[b].runs):
                a, b = b, a
            gone.add(b)
            self._join(a, b)

    def _score(self, a: int, b: int) -> float:
        """What the join gains. Big groups gain more by every join, so it counts by wording."""
        one, two = self.groups[a], self.groups[b]
        return gain(one, two, self.measures) / min(len(one.words.keys), len(two.words.keys))

    def _offer(self, a: int, b: int, score: float) -> None:
        if score > 0:
            heapq.heappush(self._heap, (-score, min(a, b), max(a, b), len(self.groups[a].runs) + len(self.groups[b].runs)))

    def _join(self, kept: int, gone: int) -> None:
        into, other = self.groups[kept], self.groups.pop(gone)
        into.runs += other.runs
        into.failed += other.failed
        self.measures.words.absorb(into.words, other.words)
        self.measures.common.absorb(into.common, other.common)
        self.measures.special.absorb(into.special, other.special)
        fresh = self.near[gone] - self.near[kept] - {kept}
        for neighbour in self.near[gone]:
            self.near[neighbour].discard(gone)
        for neighbour in fresh:
            self.near[neighbour].add(kept)
        self.near[gone].clear()
        self.near[kept] |= fresh
        size = len(into.runs)
        if size <= _SMALL or size >= _GROWN * self._offered[kept]:
            self._offered[kept] = size
            fresh = self.near[kept]
        for neighbour in sorted(fresh):
            self._offer(kept, neighbour, self._score(kept, neighbour))
