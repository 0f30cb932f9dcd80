"""What an entry is about, as a set of numbered features: stems of its words, its error fingerprints, the files it changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from math import log

from diarist.text.stem import stem_english
from diarist.text.terms import forms, is_coined, split_words

Features = tuple[int, ...]
"""Distinct, in the order they were met."""

RAREST = 400
"""Being rarer than one entry in so many adds no weight: a slip of the pen is not the subject."""
FEW_CARRIERS, SELDOM = 5, 10
"""Nor does being carried by fewer entries than about five, where that is rarer than one in ten: few entries have few that are alike."""
COINED = 0.5
"""Share of its weight that a word with digits keeps while nobody else has it: mostly a ticket, a port, a hash."""


class Vocabulary:
    """Numbers features as they are first met. Feed it in an order that follows from the entries."""

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.forms = Numbers(lambda form: self._number(stem_english(form)))
        """Every word met so far, in a form that is one term (see `text.terms`), with its feature."""
        self._numbers: dict[str, int] = {}

    def take(self, words: str, marks: Iterable[str] = ()) -> Features:
        """Features of an entry: those of its distinct words, and `marks` as they are."""
        found = tuple(map(self.forms.__getitem__, words.split()))
        return (*found, *map(self._number, marks)) if marks else found

    def look(self, text: str) -> Features:
        """Features of a text that was not taken apart before."""
        parts = [form for word in split_words(text) for form in forms(word)]
        return tuple(dict.fromkeys(map(self.forms.__getitem__, parts)))

    def weigh(self, entries: Collection[Features]) -> list[float]:
        """By feature: how rare it is among these entries; always above 0, so that few entries can be compared too."""
        counts = [0] * len(self.terms)
        for features in entries:
            for feature in features:  # a plain loop is faster than a Counter, by a fourth
                counts[feature] += 1
        others, weights = len(entries) + 5, []
        rarest = min(RAREST, max(SELDOM, len(entries) / FEW_CARRIERS))
        for term, count in zip(self.terms, counts, strict=True):
            weight = log(1.0 + min(rarest, others / (count + 1)))
            weights.append(weight * COINED if count <= 1 and is_coined(term) else weight)
        return weights

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number


class Numbers(dict[str, int]):
    """Numbers of texts. Asks for that of a text that it does not hold, once."""

    def __init__(self, ask: Callable[[str], int]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, text: str) -> int:
        number = self[text] = self._ask(text)
        return number
