"""What beside the words of a query moves the order: a bounded factor for each record, and a second ranked list. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from diarist.model.hit import Match
from diarist.stages.rank.standing import Found

LEAST, MOST = 0.8, 1.25
"""Bounds of a factor: whatever is said of a record, it neither buries a good match nor lifts a bad one to the top."""
_SMOOTHING = 60
"""The usual constant of reciprocal-rank fusion: the first places of a list count much, but not everything."""
_OTHERS = 0.3
"""Weight of the second list beside the words. Measured (`bench/vectors.py`): with equal weights fewer of the wanted records are
found than by words alone, with this one a little more of them where records are whole sessions."""


class Adjustment(NamedTuple):
    """What a record's score is multiplied by, and why, in words for people ("" where there is nothing to say)."""

    factor: float
    reason: str = ""


def adjusted(found: Sequence[Found], adjustments: Mapping[str, Adjustment]) -> list[Found]:
    """The records with their scores moved, best first. `adjustments`: by record id; factors beyond the bounds count as the bound."""
    moved = [_moved(one, adjustments[one.row.id]) if one.row.id in adjustments else one for one in found]
    return sorted(moved, key=lambda one: -one.score)


def _moved(one: Found, adjustment: Adjustment) -> Found:
    reasons = (*one.reasons, adjustment.reason) if adjustment.reason else one.reasons
    return one._replace(score=one.score * min(MOST, max(LEAST, adjustment.factor)), reasons=reasons)


def fused(words: Sequence[Match], others: Sequence[Match]) -> tuple[list[Match], dict[int, str]]:
    """Two ranked lists as one by weighted reciprocal-rank fusion, and for each `seq` where it stood, in words. Scores are from 0 to 1."""
    places: dict[int, list[int]] = {}
    for at, matches in enumerate((words, others)):
        for place, match in enumerate(matches, 1):
            places.setdefault(match.seq, [0, 0])[at] = place
    scale = (_SMOOTHING + 1) / (1 + _OTHERS)
    weights = (1.0, _OTHERS)
    merged = [
        Match(seq, scale * sum(weight / (_SMOOTHING + place) for weight, place in zip(weights, both, strict=True) if place))
        for seq, both in places.items()
    ]
    told = {seq: _told(*both) for seq, both in places.items()}
    return sorted(merged, key=lambda match: (-match.score, -match.seq)), told


def _told(by_words: int, by_others: int) -> str:
    return f"{f'place {by_words}' if by_words else 'not found'} by words, {f'place {by_others}' if by_others else 'not found'} by meaning"
