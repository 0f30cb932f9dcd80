"""How much a word tells."""

from __future__ import annotations

import math
from collections.abc import Callable

from diarist.model.hit import Frequencies

Rarity = Callable[[str], float]
"""From 1 for a word that no record holds to about 0 for one that every record holds."""


def rarity_of(common: Frequencies) -> Rarity:
    """Inverse document frequency as BM25 uses it, scaled to the size of the store so that thresholds mean the same in all."""
    records = max(common.records, 1)
    top = math.log(1 + (records + 0.5) / 0.5)

    def rarity(term: str) -> float:
        count = min(common.counts.get(term, 0), records)
        return math.log(1 + (records - count + 0.5) / (count + 0.5)) / top

    return rarity
