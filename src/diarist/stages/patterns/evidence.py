"""How much two groups of runs speak for being one habit: a Dirichlet-multinomial over words, and over tools.

Each group is taken to draw its features from a distribution of its own, which itself is drawn around the stream's base
measure. Joining two groups gains what one distribution explains better than two: features that both have and few others do
gain much, features that everybody has gain next to nothing, and groups that each go on about something else lose. Base
measures count in how many *groups* a feature occurs, not in how many runs: a word that only one habit uses is rare however
often that habit recurs, and a name that is filled in everywhere is common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from math import lgamma

Features = tuple[int, ...]
"""Sorted numbers of the features of one run in one channel, each once."""

_LEAST = 1e-4


class Profile:
    """What a group holds in one channel. Runs that say the very same count, but each further one less."""

    __slots__ = ("counts", "keys", "total")

    def __init__(self, keys: dict[Features, int], counts: dict[int, float], total: float) -> None:
        self.keys = keys
        self.counts = counts
        self.total = total


class Channel:
    """A base measure and how strongly groups hold to it. `repeat`: n runs of one wording count as n ** repeat."""

    def __init__(self, base: Mapping[int, float], *, strength: float, repeat: float, unseen: float = 0.0) -> None:
        whole = sum(base.values()) + unseen or 1.0
        self.strength = strength
        self.repeat = repeat
        self._alpha = {feature: max(strength * count / whole, _LEAST) for feature, count in base.items()}
        self._log_gamma = {feature: lgamma(alpha) for feature, alpha in self._alpha.items()}
        self._log_strength = lgamma(strength)

    def single(self, key: Features, runs: int = 1) -> Profile:
        """The profile of `runs` runs that are the same in this channel."""
        weight = float(runs) ** self.repeat
        return Profile({key: runs}, dict.fromkeys(key, weight), weight * len(key))

    def join(self, a: Profile, b: Profile) -> Profile:
        """The profile of both together."""
        if len(a.keys) > len(b.keys):
            a, b = b, a
        keys, counts, total = dict(b.keys), dict(b.counts), b.total
        for key, runs in a.keys.items():
            before = keys.get(key, 0)
            keys[key] = before + runs
            weight = (before + runs) ** self.repeat - (before**self.repeat if before else 0.0)
            total += weight * len(key)
            for feature in key:
                counts[feature] = counts.get(feature, 0.0) + weight
        return Profile(keys, counts, total)

    def gain(self, a: Profile, b: Profile) -> float:
        """Log evidence (natural) for one distribution behind both, against one each."""
        if len(a.keys) > len(b.keys):
            a, b = b, a
        if any(key in b.keys for key in a.keys):
            return self.log_likelihood(self.join(a, b)) - self.log_likelihood(a) - self.log_likelihood(b)
        strength = self.strength
        gained = lgamma(strength + a.total) + lgamma(strength + b.total) - self._log_strength - lgamma(strength + a.total + b.total)
        few, many = (a.counts, b.counts) if len(a.counts) <= len(b.counts) else (b.counts, a.counts)
        for feature, count in few.items():
            other = many.get(feature)
            if other:
                alpha = self._alpha[feature]
                gained += lgamma(alpha + other + count) + self._log_gamma[feature] - lgamma(alpha + other) - lgamma(alpha + count)
        return gained

    def log_likelihood(self, profile: Profile) -> float:
        """Log probability of what the group holds, its order left aside."""
        known = sum(lgamma(self._alpha[feature] + count) - self._log_gamma[feature] for feature, count in profile.counts.items())
        return self._log_strength - lgamma(self.strength + profile.total) + known

    def profile(self, keys: Iterable[Features]) -> Profile:
        """The profile of runs that say this."""
        made = Profile({}, {}, 0.0)
        for key, runs in Counter(keys).items():
            made = self.join(made, self.single(key, runs))
        return made

    def counting_all(self) -> Channel:
        """The same channel where every run counts in full."""
        full = copy(self)
        full.repeat = 1.0
        return full

    def cohesion(self, keys: Iterable[Features]) -> float:
        """Log evidence for one distribution behind all these runs, against one for each."""
        listed = list(keys)
        apart = sum(self.log_likelihood(self.single(key)) for key in listed)
        return self.log_likelihood(self.profile(listed)) - apart


def base_measure(groups: Iterable[Iterable[Features]], *, share: float = 0.2) -> dict[int, float]:
    """In how many groups each feature occurs, where it occurs in at least `share` of the group's runs; at least one half."""
    measure: dict[int, float] = {}
    for group in groups:
        runs, counts = 0, dict[int, int]()
        for key in group:
            runs += 1
            for feature in key:
                counts[feature] = counts.get(feature, 0) + 1
        for feature, count in counts.items():
            measure[feature] = measure.get(feature, 0.0) + (1.0 if count >= share * runs else 0.0)
    return {feature: max(count, 0.5) for feature, count in measure.items()}


def constancy(groups: Iterable[Iterable[Features]]) -> dict[int, float]:
    """For each feature, how many of a run's fellows have it too (0 to 1, mean over the runs that have it): near 0 for what is
    filled in anew each time, near 1 for what the habit is about."""
    shares: dict[int, list[float]] = {}
    for group in groups:
        runs, counts = 0, dict[int, int]()
        for key in group:
            runs += 1
            for feature in key:
                counts[feature] = counts.get(feature, 0) + 1
        for feature, count in counts.items():
            entry = shares.setdefault(feature, [0.0, 0.0])
            entry[0] += count * ((count - 1) / (runs - 1) if runs > 1 else 0.0)
            entry[1] += count
    return {feature: total / runs for feature, (total, runs) in shares.items()}
