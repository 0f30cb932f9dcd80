"""Amendments: when a later record changes what an earlier one decided. Judged from the texts alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from diarist.model.hit import Frequencies
from diarist.stages.rank.cues import find_cues, says_unchanged
from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.words import telling
from diarist.text.analyse import analyse
from diarist.text.stem import language_of

_MOST = 6_000
"""Characters of a text that are compared: a record's own summary comes first in it."""
_ENOUGH = 1.6
"""Rarity that shared words add up to where they speak of one thing: a word that stands in one record only counts about 1."""

_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    )
    for number, name in enumerate(names.split(), 1)
}
_CHANCE = 3.5
"""Times as much as by chance that unrelated records of one project share at most."""
_FEW = 10
"""Numbers of a text up to which other numbers in another one are telling."""
_STRENGTHS = (0.0, 0.2, 0.45, 1.0)
_SURE = 0.4
"""What the parts have to come to; found with the pairs of half of a labelled set, and checked on the other half (`bench/search.py`)."""


class Said(NamedTuple):
    """A sentence that speaks of a change (see `cues`): `strength`, its terms, the months (1 to 12) it names."""

    strength: int
    terms: frozenset[str]
    months: frozenset[int]


class Portrait(NamedTuple):
    """What of a record matters to the question whether it replaces another."""

    sentences: Mapping[str, frozenset[str]]
    """Telling terms of each sentence."""
    terms: frozenset[str]
    """All of them."""
    cues: tuple[Said, ...]
    month: int
    """In which it was made."""
    paths: frozenset[str]
    """Files it names."""
    measures: Mapping[str, frozenset[str]]
    """Numbers by the unit or name they stand with."""
    unchanged: tuple[frozenset[str], ...]
    """Terms of sentences that say that something stays."""


class Judgement(NamedTuple):
    """`score`: from 1 on, the later one supersedes the earlier one. `parts`: what it is made of, by name."""

    score: float
    parts: Mapping[str, float]


_PATH = re.compile(r"[\w@-]+(?:[./\\][\w@*-]+)+")
_MEASURE = re.compile(r"(?<![\w.])(\d+(?:[.,:]\d+)*)\s?(%|[^\W\d_]{1,12})")
_SETTING = re.compile(r"\b([A-Za-z_][\w.]*?)(?:\s?[=:]\s?|[.-](?=\d+\b))(\d[\w.]*)")
_FILE = re.compile(
    r"[^ ]*\.(?:py|js|mjs|ts|tsx|jsx|vue|go|rs|java|kt|kts|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|sh|sql|ya?ml|toml|json|ini|cfg|conf|xml|html|css"
    r"|scss|md|rst|txt|csv|lock|env|tf|rego|proto|gradle|plist|xcconfig|properties|pro)\Z"
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n")


def portray(text: str, created_at: str) -> Portrait:
    """Takes a text apart for comparison. `created_at`: ISO 8601."""
    text = text[:_MOST]
    language = language_of(text.lower().split()[:100])

    def words(piece: str) -> frozenset[str]:
        return frozenset(telling(analyse(piece), language))

    sentences = {piece.strip(): words(piece) for piece in _SENTENCE.split(text) if piece.strip()}
    measures: dict[str, set[str]] = {}
    for unit, number in _measures(text):
        measures.setdefault(unit, set()).add(number)
    return Portrait(
        sentences=sentences,
        terms=frozenset().union(*sentences.values()),
        cues=tuple(Said(cue.strength, words(cue.sentence), _months(cue.sentence)) for cue in find_cues(text)),
        month=int(created_at[5:7]),
        paths=frozenset(found.group().strip("./\\").lower() for found in _PATH.finditer(text)),
        measures={unit: frozenset(numbers) for unit, numbers in measures.items()},
        unchanged=tuple(terms for sentence, terms in sentences.items() if says_unchanged(sentence)),
    )


def may_replace(earlier: Portrait, later: Portrait) -> bool:
    """Whether it is worth judging: `later` speaks of a change, or gives other numbers."""
    return any(said.strength >= 2 for said in later.cues) or _conflict(earlier, later) > 0


def judge(earlier: Portrait, later: Portrait, common: Frequencies, rarity: Rarity) -> Judgement:
    """Whether `later` replaces `earlier`; both of one project, in this order in time. `rarity` is that of `common`."""

    def worth(terms: Iterable[str]) -> float:
        return sum(_worth(term, rarity) for term in terms)

    own = _own_terms(earlier, later)
    shared = _without_parts(own & _own_terms(later, earlier))
    weight = worth(shared)
    parts = {
        "subject": min(1.0, weight / (2 * _ENOUGH)),
        "likeness": weight / ((worth(own) or 1.0) * (worth(later.terms) or 1.0)) ** 0.5,
        "beyond chance": _lift(weight, own, later, common, rarity),
        "cue": _told([(said.strength, worth(said.terms & shared)) for said in later.cues]),
        "dated": max((_dated(said, earlier) for said in later.cues), default=0.0, key=abs),
        "conflict": _conflict(earlier, later),
        "same file": float(bool(_files(earlier) & _files(later))),
        "other file": _parallel(_files(earlier), _files(later)),
        "unchanged": max((min(1.0, worth(terms & shared) / _ENOUGH) for terms in later.unchanged), default=0.0),
    }
    return Judgement(_combine(parts), parts)


def _lift(weight: float, own: frozenset[str], later: Portrait, common: Frequencies, rarity: Rarity) -> float:
    """0 where the two share no more than any two texts of their length do by chance, 1 where they share several times as much."""
    length = len(later.terms) / common.typical if common.typical else 1.0
    records = max(common.records, 1)
    chance = sum(_worth(term, rarity) * min(1.0, common.counts.get(term, 0) / records * length) for term in own)
    times = weight / max(chance, 1e-9)
    return min(1.0, max(0.0, (times - _CHANCE) / _CHANCE))


def _combine(parts: Mapping[str, float]) -> float:
    says = parts["cue"] + 0.45 * parts["conflict"] + 0.2 * parts["same file"]
    same = parts["subject"] * 0.6 + min(1.0, parts["likeness"] / 0.2) * 0.6 + 0.3 * parts["dated"]
    return 0.0 if parts["other file"] else (says * same * parts["beyond chance"] - 0.4 * parts["unchanged"]) / _SURE


def _own_terms(portrait: Portrait, other: Portrait) -> frozenset[str]:
    """Its terms without those of sentences that stand word for word in the other too: phrases of habit, no subject."""
    return frozenset().union(*(terms for sentence, terms in portrait.sentences.items() if sentence not in other.sentences))


def _without_parts(terms: frozenset[str]) -> frozenset[str]:
    """Terms that are no part of another one: of "flags/prod.yaml", "prod.yaml" and "prod" the first."""
    return frozenset(term for term in terms if not any(term != other and term in other for other in terms))


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
    return 1.0 if earlier.month in said.months else -1.0


def _months(sentence: str) -> frozenset[int]:
    """Months a sentence names; "may" only as a name."""
    words = re.findall(r"\d{1,2}月|[^\W\d]+", sentence)
    return frozenset(_MONTHS[word.lower()] for word in words if word.lower() in _MONTHS and word != "may")


def _conflict(earlier: Portrait, later: Portrait) -> float:
    """1 where both give a number to the same unit or name and none of the numbers agree."""
    if len(earlier.measures) > _FEW or len(later.measures) > _FEW:
        return 0.0
    both = earlier.measures.keys() & later.measures.keys()
    return float(any(earlier.measures[unit].isdisjoint(later.measures[unit]) for unit in both))


def _measures(text: str) -> Iterator[tuple[str, str]]:
    """(unit or name, number): "30 s", "TTL=60", "pain.001.09"."""
    for number, unit in _MEASURE.findall(text):
        yield unit.lower(), number
    for name, value in _SETTING.findall(text):
        yield name.lower(), value.rstrip(".")


def _files(portrait: Portrait) -> frozenset[str]:
    return frozenset(path for path in portrait.paths if "/" in path or _FILE.match(path))


def _parallel(earlier: frozenset[str], later: frozenset[str]) -> float:
    """1 where they name different files of one folder and kind ("adapters/card.toml", "adapters/paypal.toml") and share none."""
    if earlier & later:
        return 0.0
    places = {(path.rpartition("/")[0], path.rpartition(".")[2]) for path in earlier if "/" in path and "." in path}
    return float(any((path.rpartition("/")[0], path.rpartition(".")[2]) in places for path in later if "/" in path))
