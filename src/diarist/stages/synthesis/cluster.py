"""Entries → groups that hold together: who shares rare features with whom.

Similarity is the Jaccard overlap of two weighted feature sets, scaled to equal weight: with c the cosine of the vectors,
J = c / (2 - c). For two sets of equal weight that is exactly shared weight over united weight. It extends to a group: the
overlap of an entry with the mean of the group's other members. A group is kept only where every member reaches the
threshold against the rest, so that a chain of entries, each like the next only, is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import NamedTuple

from diarist.stages.synthesis.agglomerate import agglomerate, dot_products, rare_dot_products

SAMPLE = 512
"""Entries that are compared all with all; larger sets are read through samples of this size."""
LONGEST = 64
"""Among what no sample explained: features that more entries carry bring no pair together."""
YIELD = 0.05
"""A sample that brings together less than this share of its entries was the last one."""
SETTLE=1
RAREST = 200
"""Being rarer than one in so many adds no weight: a slip of the pen is not the subject."""
AT_HOME = 1.2
"""A member that reaches so many times the least cosine is not asked whether another group would fit better."""
LIGHT = 0.4
"""Features of less than this share of an entry's mean squared weight are left out: they tell next to nothing and cost most."""
ENRICH = 4096
"""Entries that a fresh group gathers from before all others are asked whether they belong to it."""
PROFILE = 0.9
"""Share of a group's squared weight that is indexed when entries look for their group."""

Features = tuple[int, ...]


class Group(NamedTuple):
    """Sum of the unit vectors of some entries."""

    total: dict[int, float]
    square: float
    size: int


class Space:
    """Entries as unit vectors; features weighted by how rare they are among `counts` (carriers) of `population` entries."""

    def __init__(self, entries: Sequence[Features], counts: Sequence[int], population: int) -> None:
        self.weights = [log(1.0 + min(RAREST, (population + 5) / (count + 1))) for count in counts]
        squares = [weight * weight for weight in self.weights]
        self.entries: list[Features] = []
        self.scales: list[float] = []
        for features in entries:
            least = LIGHT * sum([squares[feature] for feature in features]) / (len(features) or 1)
            kept = tuple([feature for feature in features if squares[feature] >= least])
            self.entries.append(kept)
            self.scales.append(1.0 / sqrt(sum([squares[feature] for feature in kept])) if kept else 0.0)

    def vector(self, number: int) -> dict[int, float]:
        scale, weights = self.scales[number], self.weights
        return {feature: scale * weights[feature] for feature in self.entries[number]}

    def group(self, numbers: Sequence[int]) -> Group:
        total: dict[int, float] = {}
        weights = self.weights
        for number in numbers:
            scale = self.scales[number]
            for feature in self.entries[number]:
                total[feature] = total.get(feature, 0.0) + scale * weights[feature]
        return Group(total, sum([value * value for value in total.values()]), len(numbers))

    def overlap(self, number: int, group: Group) -> float:
        """Dot product of an entry with a group's sum."""
        total, weights = group.total, self.weights
        return self.scales[number] * sum([weights[feature] * total.get(feature, 0.0) for feature in self.entries[number]])


def cosine_of(jaccard: float) -> float:
    """The cosine at which two sets of equal weight have this overlap."""
    return 2.0 * jaccard / (1.0 + jaccard)


def cluster(space: Space, threshold: float) -> list[list[int]]:
    """Groups of two entries or more, each sorted by number, the groups by their first member.

    Numbers are positions in the space. Their order decides ties and samples, so it must not follow from how the entries
    came in, and should not follow from what they say.
    """
    least = cosine_of(threshold)
    groups, rest = _by_samples(space, least)
    groups += _among_the_rest(space, rest, least)
    groups = _merge(space, groups, least)
    for _ in range(SETTLE):
        groups = _settle(space, groups, least)
    return sorted(_hold_together(space, groups, least))


def _by_samples(space: Space, least: float) -> tuple[list[list[int]], list[int]]:
    """Groups found in samples, with all entries that belong to them; and the numbers that belong to none."""
    groups: list[list[int]] = []
    rest = list(range(len(space.entries)))
    while True:
        found = [[rest[place] for place in group] for group in _compare_all(space, rest[:SAMPLE], least) if len(group) > 1]
        if len(rest) <= SAMPLE or sum(map(len, found)) < YIELD * SAMPLE:
            taken = {number for group in found for number in group}
            return groups + found, [number for number in rest if number not in taken]
        found, _ = _gather(space, found, rest[:ENRICH], least)
        found, left = _gather(space, found, rest, least)
        groups += found
        rest = left


def _gather(space: Space, groups: Sequence[list[int]], numbers: Sequence[int], least: float) -> tuple[list[list[int]], list[int]]:
    """Numbers by the group they overlap with most, and those that fit none."""
    finder = _Finder(space, [space.group(group) for group in groups])
    gathered: list[list[int]] = [[] for _ in groups]
    left = []
    for number in numbers:
        at, cosine = finder.best(number)
        (gathered[at] if cosine >= least else left).append(number)
    return [group for group in gathered if group], left


def _compare_all(space: Space, numbers: Sequence[int], least: float) -> list[list[int]]:
    return agglomerate([1.0] * len(numbers), dot_products([space.vector(number) for number in numbers]), least)


def _among_the_rest(space: Space, rest: Sequence[int], least: float) -> list[list[int]]:
    """Small groups among what no sample explained."""
    if len(rest) <= SAMPLE:
        return []
    dots = rare_dot_products([space.vector(number) for number in rest], LONGEST)
    return [[rest[place] for place in group] for group in agglomerate([1.0] * len(rest), dots, least) if len(group) > 1]


def _merge(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    """Groups that are alike as a whole become one."""
    sums = [space.group(group) for group in groups]
    merged = agglomerate([each.square for each in sums], dot_products([each.total for each in sums]), least)
    return [[number for place in places for number in groups[place]] for places in merged]


def _settle(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    """Entries in no group, and those that are not at home in theirs, go where they overlap most, if that is enough."""
    sums = [space.group(group) for group in groups]
    home = [-1] * len(space.entries)
    stays = [0.0] * len(space.entries)
    for place, group in enumerate(groups):
        for number in group:
            home[number], stays[number] = place, _rest_cosine(space, number, sums[place])
    finder = _Finder(space, sums)
    settled: list[list[int]] = [[] for _ in groups]
    for number, place in enumerate(home):
        if stays[number] < AT_HOME * least:
            at, cosine = finder.best(number)  # a little less than it is: the index holds the heavy features only
            if at not in (place, -1) and cosine > stays[number] * PROFILE:
                cosine = space.overlap(number, sums[at]) / sqrt(sums[at].square)
                if cosine > stays[number]:
                    home[number], stays[number] = at, cosine
        if stays[number] >= least:
            settled[home[number]].append(number)
    return [group for group in settled if len(group) > 1]


def _hold_together(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    """Takes members out that do not reach `least` against the rest of their group, until all do."""
    done = []
    for group in groups:
        members = sorted(group)
        while len(members) > 1:
            total = space.group(members)
            kept = [number for number in members if _rest_cosine(space, number, total) >= least]
            if len(kept) == len(members):
                done.append(members)
                break
            members = kept
    return done


def _rest_cosine(space: Space, number: int, group: Group) -> float:
    """Cosine of a member with the sum of the others."""
    dot = space.overlap(number, group)
    square = group.square - 2.0 * dot + 1.0
    return (dot - 1.0) / sqrt(square) if square > 1e-9 else 0.0


class _Finder:
    """Inverted index over groups: which one does an entry overlap with most?"""

    def __init__(self, space: Space, groups: Sequence[Group]) -> None:
        self._space = space
        self._postings: dict[int, list[tuple[int, float]]] = {}
        for place, group in enumerate(groups):
            self._add(place, group)

    def _add(self, place: int, group: Group) -> None:
        norm, left = sqrt(group.square), PROFILE * group.square
        for value, feature in sorted([(-value, feature) for feature, value in group.total.items()]):
            if left <= 0:
                break
            left -= value * value
            self._postings.setdefault(feature, []).append((place, -value / norm * self._space.weights[feature]))

    def best(self, number: int) -> tuple[int, float]:
        """(place, cosine) of the group with the highest cosine, the first of equals; (-1, 0) where there is none."""
        sums: dict[int, float] = {}
        postings = self._postings
        for feature in self._space.entries[number]:
            for place, value in postings.get(feature, ()):
                sums[place] = sums.get(place, 0.0) + value
        if not sums:
            return -1, 0.0
        best = min([(-value, place) for place, value in sums.items()])
        return best[1], -best[0] * self._space.scales[number]
