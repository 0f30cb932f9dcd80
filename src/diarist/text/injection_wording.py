"""How likely the wording of a text speaks to an agent: weights of its words, learned from texts of both kinds written for this.

The patterns of `text.injection` know ways to say it; an attacker finds others. Words and pairs of them, each with a weight, know
none of the ways and something of all of them. `scripts/injection/train.py` makes the weights of the cases beside it.
"""

# pathlib would cost a hook more than reading the weights does.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import os
import zlib
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise
from math import sqrt

from diarist.text.lazy import lazy
from diarist.text.remembered import Remembered

BUCKETS = 1 << 14
SCALE = 16
"""A stored weight, -127 to 127, is the weight times this."""
WEIGHTS = os.path.join(os.path.dirname(__file__), "injection_weights.bin")
_WORD = lazy(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[^\W\d_]+|[^\w\s]")
_UNSPACED = lazy(r"[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_SENTENCE = lazy(r"(?<=[.!?。！？])\s*(?=\S)|\n\s*\n")
_TOGETHER = 3
"""Neighboring sentences that are read as one statement."""
_FEWEST = 40
"""Features below which a text counts as if it had so many: a few words say little."""
_STEM = 5
_MOST = 1 << 14
"""Words, and pairs of them, whose buckets are remembered: the same ones come again and again."""


def features(text: str) -> list[int]:
    """Sorted buckets of a lower-case text's words, pairs of neighbors and beginnings of long words."""
    return sorted(_buckets(text))


def _buckets(text: str) -> set[int]:
    words: list[str] = []
    for word in _WORD.findall(text):
        if not word.isascii() and _UNSPACED.match(word):
            words += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            words.append("0" if word.isdecimal() else word)
    found = set().union(*map(_by_word.__getitem__, words))
    found.update(map(_by_pair.__getitem__, pairwise(["^", *words, "$"])))
    return found


def _bucket(feature: str) -> int:
    return zlib.crc32(feature.encode()) % BUCKETS


def _of_word(word: str) -> tuple[int, ...]:
    """Buckets of a word, and of its beginning."""
    return (_bucket(word), _bucket(word[:_STEM] + "*")) if len(word) > _STEM else (_bucket(word),)


_by_word = Remembered(_of_word, _MOST)
_by_pair: Remembered[tuple[str, str], int] = Remembered(lambda pair: _bucket(" ".join(pair)), _MOST)


def size(buckets: Collection[int]) -> float:
    """What the sum of their weights is divided by, so that long texts do not count for more."""
    return sqrt(max(len(buckets), _FEWEST))


def statements(text: str) -> list[str]:
    """Every few neighboring sentences of a text; the whole of a short one."""
    sentences = [each for each in _SENTENCE.split(text) if each.strip()]
    return [" ".join(sentences[at : at + _TOGETHER]) for at in range(max(1, len(sentences) - _TOGETHER + 1))] if sentences else []


def log_odds(text: str) -> float:
    """Natural log of the odds that the strongest statement of a lower-case text speaks to an agent; 0: as likely as not."""
    bias, weights = _learned()
    return max((_odds(_buckets(each), bias, weights) for each in statements(text)), default=bias)


def _odds(buckets: set[int], bias: float, weights: memoryview) -> float:
    return bias + sum(map(weights.__getitem__, buckets)) / SCALE / size(buckets)


@lru_cache(maxsize=1)
def _learned() -> tuple[float, memoryview]:
    with open(WEIGHTS, "rb") as file:
        held = memoryview(file.read()).cast("b")
    return held[0] / SCALE, held[1:]
