"""When nothing found is good enough: what a match has to hold of a question, measured against what chance would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from diarist.model.hit import Frequencies
from diarist.stages.rank.rarity import rarity_of

_LEAST = 1 / 3
"""Share of what a question asks that a record has to speak of, however small the store."""
_MARGIN = 0.1
"""How much further it has to go than text that has nothing to do with the question."""
_PAIR = 0.4
"""What a pair of characters of a script without spaces counts that no record holds: most pairs are no words."""


_CONTENT = 0.25
"""Part of what its rarest word tells from which a word of a question is one that says what is asked."""
_SEVERAL = 3
"""Such words in a question from which a record has to hold more than one of them, however rare that one is."""


class Question(NamedTuple):
    """Terms of a question with what each tells, and the share of it that a record must hold to be an answer."""

    weights: dict[str, float]
    needed: float
    content: frozenset[str] = frozenset()
    """Its terms that say what is asked."""

    def is_met(self, terms: Iterable[str]) -> bool:
        """Whether a text with these terms holds as many different words of a question as it has to: one of many is chance."""
        return len(_words(self.content)) < _SEVERAL or len(_words(self.content.intersection(terms))) > 1

    def share(self, terms: Iterable[str]) -> float:
        """How much of what is asked a text with these terms speaks of, 0 to 1."""
        held = frozenset(terms)
        total = sum(self.weights.values())
        return sum(weight for term, weight in self.weights.items() if term in held) / total if total else 0.0


def weigh(terms: Sequence[str], common: Frequencies) -> Question:
    """What a question with these terms asks of a store in which they are that common."""
    rarity = rarity_of(common)
    weights = {term: rarity(term) * (_PAIR if _is_pair(term) and not common.counts.get(term) else 1.0) for term in terms}
    by_chance = _chance(weights, common)
    most = max(weights.values(), default=0.0)
    content = frozenset(term for term, weight in weights.items() if weight >= _CONTENT * most)
    return Question(weights, max(_LEAST, by_chance + _MARGIN * (1 - by_chance)), content)


def _words(terms: frozenset[str]) -> list[str]:
    """The terms without those that are a part, or the stem, of another one: "golangci-lint" is one word and three terms."""
    return [term for term in terms if not any(term != other and term in other for other in terms)]


def _chance(weights: dict[str, float], common: Frequencies) -> float:
    """Share that the best of all records would hold if words were strewn over them at random.

    The commonest terms are taken together as long as at least one record can be expected to hold them all by chance.
    """
    total = sum(weights.values())
    expected, held = float(common.records), 0.0
    for term in sorted(weights, key=lambda term: (-common.counts.get(term, 0), term)):
        expected *= common.counts.get(term, 0) / max(common.records, 1)
        if expected < 1:
            break
        held += weights[term]
    return held / total if total else 0.0


def _is_pair(term: str) -> bool:
    return len(term) == 2 and not term.isascii()
