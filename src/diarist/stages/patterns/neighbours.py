"""Which runs are worth comparing: those that share something rare. Keeps the number of comparisons linear."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from diarist.stages.patterns.evidence import Features

_BLOCK = 64
"""A feature of more runs than this does not make them neighbours by itself; two such features together may."""
_COMPARISONS = 1_200_000
_FEWEST, _MOST = 8, 400
_PAIRED = 6
"""Rarest features of a run that are tried in pairs."""


def find_pairs(runs: Sequence[tuple[Features, ...]]) -> list[tuple[int, int]]:
    """Pairs (lower number first, sorted) of runs with a rare feature, or a rare pair of features, in common.

    `runs`: by number, their features in each channel that counts. A run gets neighbours by its rarest features first, up to a
    number that falls with the number of runs; the work is linear in that.
    """
    holders: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, channels in enumerate(runs):
        for channel, features in enumerate(channels):
            for feature in features:
                holders[channel, feature].append(number)
    budget = max(_FEWEST, min(_MOST, _COMPARISONS // max(len(runs), 1)))
    ranked = [_rarest_first(channels, holders) for channels in runs]
    found: list[set[int]] = [set() for _ in runs]
    for number, keys in enumerate(ranked):
        for key in keys:
            if len(holders[key]) <= _BLOCK:
                _meet(found, number, holders[key], budget)
    common = [[key for key in keys if len(holders[key]) > _BLOCK][:_PAIRED] for keys in ranked]
    for number, keys, blocks in _paired(common):
        for key in keys:
            _meet(found, number, blocks[key], budget)
    return sorted({(min(a, b), max(a, b)) for a, others in enumerate(found) for b in others})


def _rarest_first(channels: tuple[Features, ...], holders: dict[tuple[int, int], list[int]]) -> list[tuple[int, int]]:
    keys = [(channel, feature) for channel, features in enumerate(channels) for feature in features]
    return sorted((key for key in keys if len(holders[key]) > 1), key=lambda key: (len(holders[key]), key))


def _meet(found: list[set[int]], number: int, block: Sequence[int], budget: int) -> None:
    """Makes neighbours of a run and those that follow it in the block (from the end on with its beginning)."""
    own = found[number]
    room = budget - len(own)
    if room <= 0 or len(block) < 2:
        return
    at = bisect_right(block, number)
    for other in (*block[at : at + room], *block[: min(at - 1, max(0, room - (len(block) - at)))]):
        own.add(other)


def _paired(common: Sequence[list[tuple[int, int]]]) -> Iterator[tuple[int, list[int], dict[int, list[int]]]]:
    """For each run, its blocks by pairs of common features: (number, keys of its blocks, all blocks)."""
    numbers: dict[tuple[int, int], int] = {}
    for keys in common:
        for key in keys:
            numbers.setdefault(key, len(numbers))
    width = len(numbers)
    pairs = [[min(a, b) * width + max(a, b) for a, b in combinations([numbers[key] for key in keys], 2)] for keys in common]
    sizes = Counter(pair for each in pairs for pair in each)
    blocks: dict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(pairs):
        for pair in each:
            if sizes[pair] > 1:
                blocks[pair].append(number)
    for number, each in enumerate(pairs):
        yield number, sorted((pair for pair in each if sizes[pair] > 1), key=lambda pair: (sizes[pair], pair)), blocks
