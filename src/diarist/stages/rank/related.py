"""From the best hits to records that speak of the same things in other words than the question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from diarist.model.hit import RESEMBLES, Frequencies, HitRow, Query
from diarist.stages.rank.standing import Found, text_of
from diarist.stages.rank.words import telling
from diarist.text.analyse import analyse

_READ = 2_000
_KEPT = 512
_TERMS = 10
_BELOW = 0.98
"""It never comes to stand above that hit."""
_PART = 0.4
"""Share of the best hit's score that a record would get which says exactly the same."""


def telling_terms(rows: Sequence[HitRow], commonness: Callable[[Iterable[str]], Frequencies]) -> list[str]:
    """Of each row the rarest terms of its beginning that some other record holds too."""
    terms = {row.id: _telling(text_of(row)[:_READ]) for row in rows}
    common = commonness(term for own in terms.values() for term in own)
    chosen: dict[str, None] = {}
    for own in terms.values():
        shared = [term for term in own if common.counts.get(term, 0) > 1]
        chosen.update(dict.fromkeys(sorted(shared, key=lambda term: (common.counts[term], term))[:_TERMS]))
    return list(chosen)


@lru_cache(maxsize=_KEPT)
def _telling(text: str) -> tuple[str, ...]:
    return tuple(telling(analyse(text, ""), ""))


def share_scores(found: Sequence[Found], related: Sequence[Found]) -> list[Found]:
    """All records, each once: a related one gains a part of the best hit's score, as much as it resembles that hit.

    `related`: what the index found for the best hit's own terms, that hit among them.
    """
    own = {one.row.id: one for one in found}
    top = found[0]
    itself = max((one.score for one in related), default=0.0) or 1.0
    for one in related:
        if one.row.id != top.row.id:
            known = own.get(one.row.id, one._replace(score=0.0))
            gained = min(top.score * _PART * one.score / itself, max(0.0, top.score - known.score) * _BELOW)
            own[one.row.id] = known._replace(score=known.score + gained, reasons=(*known.reasons, f"{RESEMBLES} (+{gained:.3f})"))
    return list(own.values())


def only_matching(found: Sequence[Found], matching: AbstractSet[str], query: Query, wanted: int) -> list[Found]:
    """The records in order without those that only resemble the best one: a hit holds a word of the query, and every quoted phrase.

    `matching`: ids of records of which that is known. What replaced one of them stays, unless a phrase is quoted. `wanted`: how many
    records have to be told of; what comes after so many is left out where it is not known.
    """
    replacing = frozenset(
        one.superseded_by.id for one in found if one.superseded_by is not None and one.row.id in matching and not query.phrases
    )
    kept: list[Found] = []
    for one in found:
        if one.row.id in matching or one.row.id in replacing or (len(kept) < wanted and holds(one.row, query)):
            kept.append(one)
    return kept


def holds(row: HitRow, query: Query) -> bool:
    """Whether a record holds one of the words of a query, where it has any, and each of its phrases."""
    texts = (row.title, " ".join(row.tags), row.errors, row.fixes, row.text, row.project.rstrip("/").rsplit("/", 1)[-1])
    fields = [analyse(text) for text in texts if text]
    if query.phrases:
        told = [f" {' '.join(terms)} " for terms in fields]
        return all(any(f" {' '.join(phrase)} " in text for text in told) for phrase in query.phrases)
    return any(not frozenset(terms).isdisjoint(query.terms) for terms in fields)
