"""Which runs are worth comparing: those that share something rare. Keeps the number of comparisons linear."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from diarist.stages.patterns.evidence import Features

_BLOCK = 64
"""A feature of more runs than this does not make them neighbours by itself; two such features together may."""
_COMPARISONS = 600_000
_FEWEST, _MOST = 8, 400
_PAIRED = 6
"""Rarest features of a run that are tried in pairs."""


def find_pairs(runs: Sequence[tuple[Features, ...]]) -> list[tuple[int, int]]:
    """Pairs (lower number first, sorted) of runs with a rare feature, or a rare pair of features, in common.

    `runs`: by number, their features in each channel that counts. A run gets neighbours by its rarest features first, up to a
    number that falls with the number of runs; the work is linear in that.
    """
    budget = max(_FEWEST, min(_MOST, _COMPARISONS // max(len(runs), 1)))
    ranked, holders, common_from = _rank(runs)
    found: list[set[int]] = [set() for _ in runs]
    for number, keys in enumerate(ranked):
        for key in keys:
            if key >= common_from:
                break
            _meet(found[number], number, holders[key], budget)
    for number, blocks in _paired_blocks(ranked, common_from, len(holders)):
        for block in blocks:
            _meet(found[number], number, block, budget)
    width = len(runs)
    codes = sorted({a * width + b if a < b else b * width + a for a, others in enumerate(found) for b in others})
    return [(code // width, code % width) for code in codes]


def _rank(runs: Sequence[tuple[Features, ...]]) -> tuple[list[list[int]], list[list[int]], int]:
    """Features renumbered from the rarest on: (each run's, sorted; by feature its runs; the first that is too common)."""
    counts = Counter((channel, feature) for channels in runs for channel, features in enumerate(channels) for feature in features)
    by_rarity = sorted((count, key) for key, count in counts.items() if count > 1)
    rank = {key: at for at, (_, key) in enumerate(by_rarity)}
    holders: list[list[int]] = [[] for _ in by_rarity]
    ranked = []
    for number, channels in enumerate(runs):
        own = sorted(
            [at for channel, features in enumerate(channels) for feature in features if (at := rank.get((channel, feature), -1)) >= 0]
        )
        for at in own:
            holders[at].append(number)
        ranked.append(own)
    return ranked, holders, bisect_right(by_rarity, _BLOCK, key=lambda each: each[0])


def _meet(own: set[int], number: int, block: Sequence[int], budget: int) -> None:
    """Makes neighbours of a run and those that follow it in the block (after its end, from its beginning)."""
    room = budget - len(own)
    if room <= 0:
        return
    if len(block) <= room:
        own.update(block)
        own.discard(number)
        return
    at = bisect_right(block, number)
    own.update(block[at : at + room])
    if len(block) - at < room:
        own.update(block[: min(at - 1, room - (len(block) - at))])


def _paired_blocks(ranked: Sequence[list[int]], common_from: int, width: int) -> list[tuple[int, list[list[int]]]]:
    """For each run with common features, the runs that share each pair of its rarest common ones."""
    blocks: dict[int, list[int]] = defaultdict(list)
    pairs: list[tuple[int, list[int]]] = []
    for number, keys in enumerate(ranked):
        common = keys[bisect_right(keys, common_from - 1) :][:_PAIRED]
        if len(common) > 1:
            pairs.append((number, [a * width + b for a, b in combinations(common, 2)]))
    shared = {pair for pair, count in Counter(pair for _, each in pairs for pair in each).items() if count > 1}
    for number, each in pairs:
        for pair in each:
            if pair in shared:
                blocks[pair].append(number)
    return [(number, [blocks[pair] for pair in each if pair in shared]) for number, each in pairs]
