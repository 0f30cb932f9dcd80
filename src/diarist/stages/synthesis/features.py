"""What an entry is about, as a set of numbered features: stems of its words, its error fingerprints, the files it changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import log

from diarist.text.stem import stem_english

Features = tuple[int, ...]
"""Distinct, in the order they were met."""

RAREST = 200
"""Being rarer than one entry in so many adds no weight: a slip of the pen is not the subject."""
COINED = 0.25
"""Share of its squared weight that a word with digits keeps while nobody else has it: mostly a ticket, a port, a hash."""
MOST_WORDS = 2000
"""Words of one entry that are looked at."""

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]+|[^\W_{_SPACELESS}]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLACEHOLDER = re.compile(r"\[REDACTED:[^\]\s]{1,60}\]")
_STATUS = re.compile(r"[1-5]\d\d\Z")
_HEX = re.compile(r"[0-9a-f]{6,}\Z")


class Vocabulary:
    """Numbers features as they are first met and counts their carriers. Feed it in an order that follows from the entries."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self._coined: list[bool] = []
        self._numbers: dict[str, int] = {}
        self._known: dict[str, Features] = {}

    def add(self, text: str, marks: Iterable[str] = ()) -> Features:
        """Features of one entry: the words of `text`, and `marks` as they are. Counts the entry as a carrier of each."""
        found = self.look(text, marks)
        counts = self.counts
        for feature in found:
            counts[feature] += 1
        return found

    def look(self, text: str, marks: Iterable[str] = ()) -> Features:
        """The same without counting."""
        if "[REDACTED:" in text:
            text = _PLACEHOLDER.sub(" ", text)
        found: dict[int, None] = {}
        known = self._known
        for word in dict.fromkeys(_WORD.findall(text)[:MOST_WORDS]):
            numbers = known.get(word)
            if numbers is None:
                numbers = known[word] = tuple([self._number(term) for term in terms(word)])
            for number in numbers:
                found[number] = None
        for mark in marks:
            found[self._number(mark)] = None
        return tuple(found)

    def weights(self, population: int) -> list[float]:
        """By feature: how rare it is among `population` entries; always above 0, so that few entries can be compared too."""
        weights = [log(1.0 + min(RAREST, (population + 5) / (count + 1))) for count in self.counts]
        for number, coined in enumerate(self._coined):
            if coined and self.counts[number] <= 1:
                weights[number] *= COINED**0.5
        return weights

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.counts)
            self.counts.append(0)
            self._coined.append(any(char.isdigit() for char in term) and not term.startswith(("error:", "file:")))
        return number


def terms(word: str) -> Sequence[str]:
    """What a word of a text counts as: parts of a name in camel case, lower case, without accents and English endings.

    Scripts without spaces are cut into pairs of characters. Single letters, numbers (but for statuses) and hashes are nothing.

    >>> [list(terms(word)) for word in ("getUserName", "caches", "502", "4711", "d34db33f")]
    [['get', 'user', 'name'], ['cach'], ['502'], [], []]
    """
    if not word.isascii():
        if re.match(f"[{_SPACELESS}]", word):
            return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        folded = unicodedata.normalize("NFKD", word.casefold())
        return [stem_english("".join(char for char in folded if not unicodedata.combining(char)))]
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    return [stem_english(part) for part in map(str.lower, parts) if len(part) > 1 and not _is_number(part)]


def _is_number(word: str) -> bool:
    if word.isdigit():
        return not _STATUS.match(word)
    return bool(_HEX.match(word)) and any(char.isdigit() for char in word)
