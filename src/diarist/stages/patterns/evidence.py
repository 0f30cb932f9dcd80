"""How much two groups of runs speak for being one habit: a Dirichlet-multinomial over words, and over tools.

Each group is taken to draw its features from a distribution of its own, which itself is drawn around the stream's base
measure. Joining two groups gains what one distribution explains better than two: features that both have and few others do
gain much, features that everybody has gain next to nothing, and groups that each go on about something else lose. Base
measures count in how many *groups* a feature occurs, not in how many runs: a word that only one habit uses is rare however
often that habit recurs, and a name that is filled in everywhere is common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from math import lgamma, log

Features = tuple[int, ...]
"""Sorted numbers of the features of one run in one channel, each once."""

_LEAST = 1e-4
_FAILING = 0.2
"""Share of runs that end badly where nothing is known."""
_ENDS_STRENGTH = 2.0


class Profile:
    """What a group holds in one channel. Runs that say the very same count, but each further one less."""

    __slots__ = ("counts", "keys", "total")

    def __init__(self, keys: dict[Features, int], counts: dict[int, float], total: float) -> None:
        self.keys = keys
        self.counts = counts
        self.total = total


class Channel:
    """A base measure and how strongly groups hold to it.

    `repeat`: n runs of one wording count as n ** repeat. `least`: what the base measure comes to at least; a few runs do not
    show what is common elsewhere.
    """

    def __init__(self, base: Mapping[int, float], *, strength: float, repeat: float, least: float = 1.0) -> None:
        whole = max(sum(base.values()), least)
        self.strength = strength
        self.repeat = repeat
        self._alpha = {feature: max(strength * count / whole, _LEAST) for feature, count in base.items()}
        self._log_gamma = {feature: lgamma(alpha) for feature, alpha in self._alpha.items()}
        self._shared_once = {feature: log((alpha + 1) / alpha) for feature, alpha in self._alpha.items()}
        self._log_strength = lgamma(strength)
        self._apart: dict[tuple[float, float], float] = {}
        self._twice: dict[Features, float] = {}

    def single(self, key: Features, runs: int = 1) -> Profile:
        """The profile of `runs` runs that are the same in this channel."""
        weight = float(runs) ** self.repeat
        return Profile({key: runs}, dict.fromkeys(key, weight), weight * len(key))

    def join(self, a: Profile, b: Profile) -> Profile:
        """The profile of both together."""
        if len(a.keys) < len(b.keys):
            a, b = b, a
        made = Profile(dict(a.keys), dict(a.counts), a.total)
        self.absorb(made, b)
        return made

    def absorb(self, into: Profile, other: Profile) -> None:
        """Adds the other profile to the first, in place."""
        keys, counts = into.keys, into.counts
        for key, runs in other.keys.items():
            before = keys.get(key, 0)
            keys[key] = before + runs
            weight = (before + runs) ** self.repeat - (before**self.repeat if before else 0.0)
            into.total += weight * len(key)
            for feature in key:
                counts[feature] = counts.get(feature, 0.0) + weight

    def profile(self, keys: Iterable[Features]) -> Profile:
        """The profile of runs that say this."""
        made = Profile({}, {}, 0.0)
        for key, runs in Counter(keys).items():
            self.absorb(made, self.single(key, runs))
        return made

    def pair_gain(self, a: Features, b: Features) -> float:
        """`gain` of two runs, faster."""
        if not a or not b:
            return 0.0
        if a == b:
            known = self._twice.get(a)
            if known is None:
                known = self._twice[a] = self.gain(self.single(a), self.single(b))
            return known
        return sum([self._shared_once[feature] for feature in a if feature in b]) - self._loss(float(len(a)), float(len(b)))

    def gain(self, a: Profile, b: Profile) -> float:
        """Log evidence (natural) for one distribution behind both, against one each."""
        if not a.total or not b.total:
            return 0.0
        if len(a.keys) > len(b.keys):
            a, b = b, a
        if not a.keys.keys().isdisjoint(b.keys):
            return self.log_likelihood(self.join(a, b)) - self.log_likelihood(a) - self.log_likelihood(b)
        few, many = (a.counts, b.counts) if len(a.counts) <= len(b.counts) else (b.counts, a.counts)
        gained = -self._loss(a.total, b.total)
        for feature in few.keys() & many.keys():
            count, other, alpha = few[feature], many[feature], self._alpha[feature]
            gained += lgamma(alpha + other + count) + self._log_gamma[feature] - lgamma(alpha + other) - lgamma(alpha + count)
        return gained

    def _loss(self, a: float, b: float) -> float:
        """What two groups of these sizes lose by being one before anything shared is counted."""
        known = self._apart.get((a, b))
        if known is None:
            s = self.strength
            known = self._apart[a, b] = self._log_strength + lgamma(s + a + b) - lgamma(s + a) - lgamma(s + b)
        return known

    def log_likelihood(self, profile: Profile) -> float:
        """Log probability of what the group holds, its order left aside."""
        alpha, log_gamma = self._alpha, self._log_gamma
        known = sum([lgamma(alpha[feature] + count) - log_gamma[feature] for feature, count in profile.counts.items()])
        return self._log_strength - lgamma(self.strength + profile.total) + known

    def cohesion(self, keys: Sequence[Features]) -> float:
        """Log evidence for one distribution behind all these runs, against one for each."""
        apart = sum(self.log_likelihood(self.single(key)) for key in keys)
        return self.log_likelihood(self.profile(keys)) - apart

    def counting_all(self) -> Channel:
        """The same channel where every run counts in full."""
        full = copy(self)
        full.repeat = 1.0
        full._twice = {}
        return full


def ends_gain(failed: int, runs: int, other_failed: int, other_runs: int) -> float:
    """Log evidence that two groups end badly equally often: what mostly fails is not what mostly succeeds."""
    together = _ends_likelihood(failed + other_failed, runs + other_runs)
    return together - _ends_likelihood(failed, runs) - _ends_likelihood(other_failed, other_runs)


@lru_cache(maxsize=65536)
def _ends_likelihood(failed: int, runs: int) -> float:
    bad, good = _ENDS_STRENGTH * _FAILING, _ENDS_STRENGTH * (1 - _FAILING)
    known = lgamma(bad + failed) - lgamma(bad) + lgamma(good + runs - failed) - lgamma(good)
    return known + lgamma(_ENDS_STRENGTH) - lgamma(_ENDS_STRENGTH + runs)


def base_measure(groups: Iterable[Sequence[Features]], *, share: float = 0.2) -> dict[int, float]:
    """In how many groups each feature occurs, where it occurs in at least `share` of the group's runs; at least one half."""
    alone, several = _apart(groups)
    measure = Counter(chain.from_iterable(alone))
    seen: set[int] = set()
    for group in several:
        counts = Counter(feature for key in group for feature in key)
        measure.update([feature for feature, count in counts.items() if count >= share * len(group)])
        seen.update(counts)
    return {feature: float(measure[feature]) or 0.5 for feature in sorted(seen | measure.keys())}


def constancy(groups: Iterable[Sequence[Features]]) -> dict[int, float]:
    """For each feature, how many of a run's fellows have it too (0 to 1, mean over the runs that have it): near 0 for what is
    filled in anew each time, near 1 for what the habit is about.
    """
    alone, several = _apart(groups)
    shares: dict[int, float] = {}
    runs = Counter(chain.from_iterable(alone))
    for group in several:
        for feature, count in Counter(feature for key in group for feature in key).items():
            shares[feature] = shares.get(feature, 0.0) + count * (count - 1) / (len(group) - 1)
            runs[feature] += count
    return {feature: shares.get(feature, 0.0) / count for feature, count in runs.items()}


def _apart(groups: Iterable[Sequence[Features]]) -> tuple[list[Features], list[Sequence[Features]]]:
    """Runs that are a group of their own, and groups of several."""
    alone: list[Features] = []
    several: list[Sequence[Features]] = []
    for group in groups:
        if len(group) == 1:
            alone.append(group[0])
        else:
            several.append(group)
    return alone, several
