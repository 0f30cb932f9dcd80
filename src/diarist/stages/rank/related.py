"""From the best hits to records that speak of the same things in other words than the question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.standing import Found, text_of
from diarist.stages.rank.words import telling
from diarist.text.analyse import analyse
from diarist.model.hit import HitRow

_READ = 2_000
_TERMS = 10
_PART = 0.5
"""Share of the best hit's score that a record gets which holds all of its telling terms."""


def telling_terms(rows: Sequence[HitRow], rarities: Callable[[Iterable[str]], Rarity]) -> list[str]:
    """Of each row the rarest terms of its beginning, but none that it shares with no other record."""
    terms = {row.id: telling(analyse(text_of(row)[:_READ]), "") for row in rows}
    rarity = rarities(term for own in terms.values() for term in own)
    chosen: dict[str, None] = {}
    for own in terms.values():
        chosen.update(dict.fromkeys(sorted(own, key=lambda term: (-rarity(term), term))[:_TERMS]))
    return list(chosen)


def share_scores(best: Sequence[Found], related: Sequence[Found], terms: Sequence[str]) -> list[Found]:
    """The related records with a part of the best hit's score: as much as they hold of the terms."""
    shared = []
    for one in related:
        held = len(frozenset(terms).intersection(analyse(text_of(one.row)[: 2 * _READ]))) / max(len(terms), 1)
        shared.append(one._replace(score=best[0].score * _PART * held, reasons=(*one.reasons, "speaks of what the best hit speaks of")))
    return shared
