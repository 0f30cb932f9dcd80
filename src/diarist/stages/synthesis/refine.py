"""A second look at what words tell, once groups are known: of two words that are equally rare, the one that marks groups tells more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

from diarist.stages.synthesis.features import Features

MARKS = 0.25
"""Share of a group's members from which on a feature they carry is what the group is about."""
STRESS = 1 / 3
"""A feature that marks no group keeps so much of its weight, as a power of one in its carriers; one that only marks, all of it."""


def refine(entries: Collection[Features], weights: Sequence[float], groups: Sequence[Sequence[int]]) -> list[float]:
    """The weights, each lowered by the share of its carriers that do not stand in a group it marks.

    What everybody says now and then ("updated the changelog") is about as rare as what a large group is about, and only the
    groups tell them apart. `groups`: positions in `entries`.
    """
    known = list(entries)
    carriers = Counter(chain.from_iterable(known))
    at_home: Counter[int] = Counter()
    for group in groups:
        least = MARKS * len(group)
        counts = Counter(chain.from_iterable([known[number] for number in group]))
        at_home.update({feature: count for feature, count in counts.items() if count > least})
    return [
        weight * (max(1, at_home[feature]) / carriers[feature]) ** STRESS if carriers[feature] else weight
        for feature, weight in enumerate(weights)
    ]
