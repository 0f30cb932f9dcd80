"""Amendments: when a later record changes what an earlier one decided. Judged from the texts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from diarist.model.hit import Frequencies
from diarist.stages.rank.cues import TAKEN
from diarist.stages.rank.portrait import Portrait, Said, Sketch, files_of
from diarist.stages.rank.rarity import Rarity, rarity_of

_ENOUGH = 1.6
"""Rarity that shared words add up to where they speak of one thing: a word that stands in one record only counts about 1."""
_CHANCE = 3.5
"""Times as much as by chance that unrelated records of one project share at most."""
_FEW = 10
"""Numbers of a text up to which other numbers in another one are telling."""
_STRENGTHS = (0.0, 0.2, 0.45, 1.0)
_SURE = 0.4
"""What the parts have to come to: found with the pairs of half of a labelled set, checked on the other half."""


class Judgement(NamedTuple):
    """`score`: from 1 on, the later one supersedes the earlier one. `parts`: what it is made of, by name."""

    score: float
    parts: Mapping[str, float]


def may_replace(earlier: Sketch, later: Sketch) -> bool:
    """Whether it is worth judging: `later` speaks of a change, or gives other numbers."""
    return any(cue.strength >= TAKEN for cue in later.cues) or _conflict(earlier, later) > 0


class Scale(NamedTuple):
    """What terms weigh: `worth` (rarity) and `share` (of all records that hold it) by term; `typical`: terms of a usual record."""

    worth: Mapping[str, float]
    share: Mapping[str, float]
    typical: float

    def weigh(self, terms: Iterable[str]) -> float:
        """What some terms are worth together."""
        worth = self.worth
        return sum([worth[term] for term in terms])


def make_scale(terms: Iterable[str], common: Frequencies) -> Scale:
    """The scale for all terms of the records to be judged."""
    rarity, records = rarity_of(common), max(common.records, 1)
    known = list(terms)
    return Scale(
        {term: _worth(term, rarity) for term in known}, {term: common.counts.get(term, 0) / records for term in known}, common.typical
    )


def judge(earlier: Portrait, later: Portrait, scale: Scale) -> Judgement:
    """Whether `later` replaces `earlier`; both of one project, in this order in time. `scale` knows all their terms."""
    shared, near = _common_ground(earlier, later, scale)
    files, others = files_of(earlier), files_of(later)
    parts = {
        "subject": near.subject,
        "likeness": near.likeness,
        "beyond chance": near.beyond_chance,
        "cue": _told([(said.strength, scale.weigh(said.terms & shared)) for said in later.cues]),
        "dated": max((_dated(said, earlier) for said in later.cues), default=0.0, key=abs),
        "conflict": _conflict(earlier.sketch, later.sketch),
        "same file": float(bool(files & others)),
        "other file": _parallel(files, others),
        "unchanged": max((min(1.0, scale.weigh(terms & shared) / _ENOUGH) for terms in later.unchanged), default=0.0),
    }
    return Judgement(_combine(parts), parts)


class Nearness(NamedTuple):
    """What two records share, in three of the parts of a judgement. Without `beyond_chance` the one cannot replace the other."""

    subject: float
    likeness: float
    beyond_chance: float

    @property
    def closeness(self) -> float:
        """By which rivals are compared."""
        return self.subject * self.likeness


def nearness(earlier: Portrait, later: Portrait, scale: Scale) -> Nearness:
    """The part of a judgement that takes little time."""
    return _common_ground(earlier, later, scale)[1]


def _common_ground(earlier: Portrait, later: Portrait, scale: Scale) -> tuple[frozenset[str], Nearness]:
    """The terms that both have of their own, and what they come to."""
    habits = earlier.sentences.keys() & later.sentences.keys()
    own = _own_terms(earlier, habits)
    shared = _without_parts(own & _own_terms(later, habits))
    weight = scale.weigh(shared)
    likeness = weight / ((scale.weigh(own) or 1.0) * (scale.weigh(later.terms) or 1.0)) ** 0.5
    return shared, Nearness(min(1.0, weight / (2 * _ENOUGH)), likeness, _lift(weight, own, later, scale))


def _lift(weight: float, own: frozenset[str], later: Portrait, scale: Scale) -> float:
    """0 where the two share no more than any two texts of their length do by chance, 1 where they share several times as much."""
    length = len(later.terms) / scale.typical if scale.typical else 1.0
    worth, share = scale.worth, scale.share
    chance = sum([worth[term] * (part if (part := share[term] * length) < 1.0 else 1.0) for term in own])
    times = weight / max(chance, 1e-9)
    return min(1.0, max(0.0, (times - _CHANCE) / _CHANCE))


def _combine(parts: Mapping[str, float]) -> float:
    says = parts["cue"] + 0.45 * parts["conflict"] + 0.2 * parts["same file"]
    same = parts["subject"] * 0.6 + min(1.0, parts["likeness"] / 0.2) * 0.6 + 0.3 * parts["dated"]
    return 0.0 if parts["other file"] else (says * same * parts["beyond chance"] - 0.4 * parts["unchanged"]) / _SURE


def _own_terms(portrait: Portrait, habits: Set[str]) -> frozenset[str]:
    """Its terms without those of sentences that stand word for word in the other too: phrases of habit, no subject."""
    if not habits:
        return portrait.terms
    return frozenset().union(*[terms for sentence, terms in portrait.sentences.items() if sentence not in habits])


def _without_parts(terms: frozenset[str]) -> frozenset[str]:
    """Terms that are no part of another one: of "flags/prod.yaml", "prod.yaml" and "prod" the first."""
    compounds = [term for term in terms if not term.isalnum()]
    return terms.difference(term for term in terms for compound in compounds if term != compound and term in compound)


def _worth(term: str, rarity: Rarity) -> float:
    """Pairs of characters of a script without spaces overlap, so each counts half."""
    return max(rarity(term), 0.0) * (0.5 if len(term) == 2 and not term.isascii() else 1.0)


def _told(cues: Iterable[tuple[int, float]]) -> float:
    """How surely the sentences that speak of a change say that what the earlier record spoke of is over.

    `cues`: strength of each, and what it shares with the earlier record; the strongest count first, weaker ones add to what they
    are about.
    """
    best, about = 0.0, 0.0
    for strength, shared in sorted(cues, reverse=True):
        about = min(1.0, about + shared / _ENOUGH)
        best = max(best, _STRENGTHS[strength] * (0.5 + 0.5 * about))
    return best


def _dated(said: Said, earlier: Portrait) -> float:
    """1 where a sentence that ends something names the month of the earlier record, -1 where it names another."""
    if said.strength < 3 or not said.months:
        return 0.0
    return 1.0 if earlier.sketch.month in said.months else -1.0


def _conflict(earlier: Sketch, later: Sketch) -> float:
    """1 where both give a number to the same unit or name and none of the numbers agree."""
    if len(earlier.measures) > _FEW or len(later.measures) > _FEW:
        return 0.0
    both = earlier.measures.keys() & later.measures.keys()
    return float(any(earlier.measures[unit].isdisjoint(later.measures[unit]) for unit in both))


def _parallel(earlier: frozenset[str], later: frozenset[str]) -> float:
    """1 where they name different files of one folder and kind ("adapters/card.toml", "adapters/paypal.toml") and share none."""
    if earlier & later:
        return 0.0
    places = {(path.rpartition("/")[0], path.rpartition(".")[2]) for path in earlier if "/" in path and "." in path}
    return float(any((path.rpartition("/")[0], path.rpartition(".")[2]) in places for path in later if "/" in path))
