"""Entries → groups that hold together: who shares rare features with whom.

Similarity is the Jaccard overlap of two weighted feature sets, scaled to equal weight: with c the cosine of their vectors,
J = c / (2 - c). For sets of equal weight that is exactly shared weight over united weight, and it extends to a group: the
overlap of an entry with the sum of the group's other members. Every member of a group reaches the threshold against the
rest of it as a whole, so a chain of entries, each like the next only, is no group.

Up to `SAMPLE` entries are compared all with all. Larger sets are read through samples: what a sample brings together gathers
its like from all entries, and the next sample is drawn from what is left. When samples bring nothing more, larger ones are read
over an inverted index of rare features, up to all that is left. So the cost grows with the number of entries, not its square.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from math import sqrt
from typing import NamedTuple

from diarist.stages.synthesis.agglomerate import agglomerate, dot_products, rare_dot_products
from diarist.stages.synthesis.features import Features

SAMPLE = 256
"""Entries that are compared all with all."""
ENRICH = 1024
"""Entries that a fresh group gathers from, to know itself better, before all others are asked."""
YIELD = 0.1
"""A sample that brings together less than this share of its entries was the last one."""
LONGEST = 32
"""In larger samples: features that more of their entries carry bring no pair together."""
WIDEN = 8
"""Each larger sample is so many times the one before: a group of which one shows too few is still rare enough in the next."""
LIGHT = 0.8
LIGHT_OF_FEW = 0.5
"""Features of less than this share of an entry's mean squared weight are left out: they tell next to nothing and cost most.

The second of a handful of entries: among so few, what two of them share already weighs little.
"""
FEW = 32
"""Entries that are a handful, and no more."""
PROFILE = 0.9
"""Share of a group's squared weight that is indexed for entries to look up."""
TAIL = 1e-5
"""Features of less than this share of a group's squared weight are left out when groups are compared."""
AT_HOME = 1.2
"""A member that reaches so many times the least cosine is not asked whether another group would fit better."""
MANY = 256
"""From so many groups on, only those that an entry shares a feature with are looked at."""
SLACK = 1e-9
"""What rounding may take from a cosine."""

_NONE: list[tuple[int, float]] = []
"""What a feature that no group is indexed by leads to; never added to."""


class Group(NamedTuple):
    """Some entries as one: how many of them carry each feature, and the squared norm of their sum."""

    counts: Counter[int]
    square: float


class Space:
    """Entries as vectors: the weights of the features they carry."""

    def __init__(self, entries: Collection[Features], weights: Sequence[float]) -> None:
        self.weights = weights
        self._light = LIGHT if len(entries) > FEW else LIGHT_OF_FEW
        self.squares = [weight * weight for weight in weights]
        self.entries: list[Features] = []
        self.norms: list[float] = []
        self._kept: dict[tuple[int, ...], Group] = {}
        for features in entries:
            self.append(features)

    def append(self, features: Features) -> int:
        """Adds an entry; its number."""
        squares = self.squares
        least = self._light * sum(map(squares.__getitem__, features)) / (len(features) or 1)
        kept = tuple([feature for feature in features if squares[feature] >= least])
        self.entries.append(kept)
        self.norms.append(sqrt(sum(map(squares.__getitem__, kept))))
        return len(self.entries) - 1

    def vector(self, number: int) -> dict[int, float]:
        """An entry as a unit vector; empty where it has no features."""
        norm, weights = self.norms[number], self.weights
        return {feature: weights[feature] / norm for feature in self.entries[number]}

    def group(self, numbers: Sequence[int]) -> Group:
        """These entries as one."""
        counts = Counter(chain.from_iterable(map(self.entries.__getitem__, numbers)))
        squares = self.squares
        return Group(counts, sum([squares[feature] * count * count for feature, count in counts.items()]))

    def groups(self, many: Iterable[Sequence[int]]) -> list[Group]:
        """Each of them as one. What was asked for the last time, with the same members in the same order, is not counted again."""
        keys = [tuple(numbers) for numbers in many]
        groups = [self._kept.get(key) or self.group(key) for key in keys]
        self._kept = dict(zip(keys, groups, strict=True))
        return groups

    def without(self, group: Group, numbers: Sequence[int]) -> Group:
        """The group after these members have left it."""
        counts, squares, square = group.counts, self.squares, group.square
        for number in numbers:
            for feature in self.entries[number]:
                count = counts[feature]
                square -= squares[feature] * (2 * count - 1)
                counts[feature] = count - 1
        return Group(counts, square)

    def cosine(self, number: int, group: Group) -> float:
        """Of an entry that is not in the group."""
        counts, squares = group.counts, self.squares
        dot = sum([squares[feature] * counts[feature] for feature in self.entries[number] if feature in counts])
        return dot / (self.norms[number] * sqrt(group.square)) if dot else 0.0

    def rest_cosines(self, numbers: Sequence[int], group: Group) -> list[float]:
        """Of members, each with the sum of the others."""
        squares, total, cosines = self.squares, group.square, []
        pull = {feature: squares[feature] * count for feature, count in group.counts.items()}.__getitem__
        for number in numbers:
            norm, dot = self.norms[number], sum(map(pull, self.entries[number]))
            own = norm * norm
            rest = total - 2.0 * dot + own
            cosines.append((dot - own) / (norm * sqrt(rest)) if rest > SLACK else 0.0)
        return cosines


class Finder:
    """Inverted index over groups: which one does an entry overlap with most?"""

    def __init__(self, space: Space, groups: Sequence[Group]) -> None:
        self._space = space
        self._groups = groups
        self._postings: list[list[tuple[int, float]]] = [_NONE] * len(space.weights)
        for place, group in enumerate(groups):
            self._index(place, group)

    def _index(self, place: int, group: Group) -> None:
        norm, left = sqrt(group.square), PROFILE * group.square
        weights, postings = self._space.weights, self._postings
        for value, feature in sorted([(-weights[feature] * count, feature) for feature, count in group.counts.items()]):
            if left <= 0:
                break
            left -= value * value
            postings[feature] = postings[feature] or []  # not the shared empty one
            postings[feature].append((place, -value * weights[feature] / norm))

    def best(self, numbers: Iterable[int]) -> Iterator[tuple[int, int, float]]:
        """(number, place, cosine) of the group with the highest cosine, the first of equals; place -1 and 0 where there is none.

        The cosine is a little less than it is: the heavy features only are counted.
        """
        entries, norms, postings, groups = self._space.entries, self._space.norms, self._postings, len(self._groups)
        if groups > MANY:
            yield from map(self._best_of_many, numbers)
            return
        for number in numbers:
            sums = [0.0] * groups
            for feature in entries[number]:
                for place, value in postings[feature]:
                    sums[place] += value
            best = max(sums, default=0.0)
            yield (number, sums.index(best), best / norms[number]) if best else (number, -1, 0.0)

    def _best_of_many(self, number: int) -> tuple[int, int, float]:
        sums: dict[int, float] = {}
        for feature in self._space.entries[number]:
            for place, value in self._postings[feature]:
                sums[place] = sums.get(place, 0.0) + value
        best = min([(-value, place) for place, value in sums.items()], default=(0.0, -1))
        return number, best[1], -best[0] / self._space.norms[number] if best[1] >= 0 else 0.0

    def place(self, numbers: Iterable[int], least: float) -> Iterator[tuple[int, int]]:
        """(number, the group with the highest cosine, if that is at least `least`; -1 where there is none)."""
        for number, at, cosine in self.best(numbers):
            fits = cosine >= least or (cosine >= PROFILE * least and self._space.cosine(number, self._groups[at]) >= least)
            yield number, at if fits else -1


def cosine_of(jaccard: float) -> float:
    """The cosine at which two sets of equal weight overlap so much; always above 0: what shares nothing never belongs together."""
    return max(2.0 * jaccard / (1.0 + jaccard) - SLACK, SLACK)


def jaccard_of(cosine: float) -> float:
    """The overlap of two sets of equal weight with this cosine."""
    return cosine / (2.0 - cosine)


def cluster(space: Space, threshold: float) -> list[list[int]]:
    """Groups of two entries or more, each sorted by number, the groups by their first member.

    Numbers are positions in the space. Their order decides ties and samples, so it must not follow from how the entries
    came in, and should not follow from what they say.
    """
    least = cosine_of(threshold)
    groups, rest = _by_samples(space, least)
    if len(rest) > SAMPLE:
        groups = _complete(space, _merge(space, groups, least), rest, least)
    return _finish(space, groups, least)


def regroup(space: Space, groups: Sequence[list[int]], threshold: float) -> list[list[int]]:
    """Groups as `cluster` gives them, from those that were found among the same entries with other weights."""
    least = cosine_of(threshold)
    groups = _merge(space, groups, least)
    taken = set(chain.from_iterable(groups))
    rest = [number for number, norm in enumerate(space.norms) if norm and number not in taken]
    return _finish(space, _complete(space, groups, rest, least), least)


def _complete(space: Space, groups: list[list[int]], rest: Sequence[int], least: float) -> list[list[int]]:
    """The groups with those of the rest that belong to them, and the small groups among the others."""
    rest = _gather(space, groups, rest, least)
    return groups + _by_rare_features(space, rest, least)


def _finish(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    return sorted(group for group in _settle(space, _merge(space, groups, least), least) if len(group) > 1)


def _by_samples(space: Space, least: float) -> tuple[list[list[int]], list[int]]:
    """Groups found in samples, with all entries that belong to them; and the numbers that belong to none."""
    groups: list[list[int]] = []
    rest = [number for number, norm in enumerate(space.norms) if norm]
    while True:
        found = [[rest[place] for place in group] for group in _compare_all(space, rest[:SAMPLE], least)]
        taken = {number for group in found for number in group}
        rest = [number for number in rest if number not in taken]
        groups += found
        if len(rest) + len(taken) <= SAMPLE or len(taken) < YIELD * SAMPLE:
            return groups, rest
        left = _gather(space, found, rest[:ENRICH], least)
        rest = _gather(space, found, left + rest[ENRICH:], least)


def _gather(space: Space, groups: Sequence[list[int]], numbers: Sequence[int], least: float) -> list[int]:
    """Adds each number to the group it overlaps with most, if that is enough; those that fit none."""
    finder = Finder(space, space.groups(groups))
    left = []
    for number, at in finder.place(numbers, least):
        if at < 0:
            left.append(number)
        else:
            groups[at].append(number)
    return left


def _compare_all(space: Space, numbers: Sequence[int], least: float) -> list[list[int]]:
    dots = dot_products([space.vector(number) for number in numbers])
    return [group for group in agglomerate([1.0] * len(numbers), dots, least) if len(group) > 1]


def _by_rare_features(space: Space, rest: Sequence[int], least: float) -> list[list[int]]:
    """Small groups among what no sample brought together.

    Larger and larger samples, each compared over the features that are rare in it: what is too small for one is frequent
    enough in the next, and what is too large for the last has been found by then.
    """
    groups: list[list[int]] = []
    size = SAMPLE
    while rest:
        size = size * WIDEN if 2 * size * WIDEN < len(rest) else len(rest)
        numbers = rest[:size]
        dots = rare_dot_products([space.vector(number) for number in numbers], LONGEST, least)
        found = [[numbers[place] for place in group] for group in agglomerate([1.0] * len(numbers), dots, least) if len(group) > 1]
        groups += found
        if size == len(rest):
            break
        taken = {number for group in found for number in group}
        rest = _gather(space, found, [number for number in rest if number not in taken], least)
    return groups


def _merge(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    """Groups that are alike as a whole become one."""
    groups = [sorted(group) for group in groups]
    sums = space.groups(groups)
    dots = dot_products([_without_tail(space, each) for each in sums])
    merged = agglomerate([each.square for each in sums], dots, least)
    united = [chain.from_iterable([groups[place] for place in places]) for places in merged]
    return [sorted(members) for members in united]


def _without_tail(space: Space, group: Group) -> dict[int, float]:
    """A group's sum without what few of its members carry: thousands of features that add nothing to a product."""
    least, weights = sqrt(TAIL * group.square), space.weights
    return {feature: weights[feature] * count for feature, count in group.counts.items() if weights[feature] * count >= least}


def _settle(space: Space, groups: Sequence[list[int]], least: float) -> list[list[int]]:
    """Entries in no group, and those that are not at home in theirs, go where they overlap most, if that is enough.

    Then members that do not reach `least` against the rest of their group are taken out, until all do.
    """
    sums = space.groups(groups)
    home = [-1] * len(space.entries)
    stays = [0.0] * len(space.entries)
    for place, group in enumerate(groups):
        for number, cosine in zip(group, space.rest_cosines(group, sums[place]), strict=True):
            home[number], stays[number] = place, cosine
    finder = Finder(space, sums)
    sure = AT_HOME * least
    for number, at, nearly in finder.best([number for number, stay in enumerate(stays) if stay < sure]):
        if at not in (home[number], -1) and nearly > PROFILE * max(least, stays[number]):
            cosine = space.cosine(number, sums[at])
            if cosine > stays[number]:
                home[number], stays[number] = at, cosine
    settled: list[list[int]] = [[] for _ in groups]
    for number, (place, stay) in enumerate(zip(home, stays, strict=True)):
        if stay >= least:
            settled[place].append(number)
    return [members if members == group else _hold_together(space, members, least) for members, group in zip(settled, groups, strict=True)]


def _hold_together(space: Space, members: list[int], least: float) -> list[int]:
    """The members without those that do not reach `least` against the rest, time and again."""
    total = space.group(members)
    while len(members) > 1:
        kept: list[int] = []
        gone: list[int] = []
        for number, cosine in zip(members, space.rest_cosines(members, total), strict=True):
            (kept if cosine >= least else gone).append(number)
        if not gone:
            return members
        members = kept
        total = space.without(total, gone) if len(gone) < len(kept) else space.group(kept)
    return []
