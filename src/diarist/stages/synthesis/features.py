"""What an entry is about, as a set of numbered features: stems of its words, its error fingerprints, the files it changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from math import log
from typing import cast

from diarist.text.stem import stem_english

Features = tuple[int, ...]
"""Distinct, in the order they were met."""

RAREST = 400
"""Being rarer than one entry in so many adds no weight: a slip of the pen is not the subject."""
COINED = 0.5
"""Share of its weight that a word with digits keeps while nobody else has it: mostly a ticket, a port, a hash."""
MOST_WORDS = 2000
"""Words of one entry that are looked at."""

_NOTHING = -1
"""What a word counts as that gives no feature."""
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]+|[^\W_{_SPACELESS}]+")
_ASCII_BREAKS = bytes([code if chr(code).isalnum() else 32 for code in range(128)] + [32] * 128)
"""Translates all but ASCII letters and digits to spaces."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLACEHOLDER = re.compile(r"\[REDACTED:[^\]\s]{1,60}\]")
_STATUS = re.compile(r"[1-5]\d\d\Z")
_HEX = re.compile(r"[0-9a-f]{6,}\Z")


class Vocabulary:
    """Numbers features as they are first met. Feed it in an order that follows from the entries."""

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.words: dict[str, Features] = {}
        """Every word met so far, as it was written, with the features it gives."""
        self._single: dict[str, int] = {}
        """Those of them that give exactly one, and those that give none (`_NOTHING`): most of all words."""
        self._numbers: dict[str, int] = {}

    def look(self, text: str, marks: Iterable[str] = (), more: Iterable[Features] = ()) -> Features:
        """Features of one entry: the words of `text`, `marks` as they are, and those in `more`."""
        words = _split(text)
        if len(words) > MOST_WORDS:
            words = words[:MOST_WORDS]
        found: dict[int | None, None] = dict.fromkeys(chain(map(self._single.get, words), chain.from_iterable(more)))
        if None in found:
            del found[None]
            for word in words:
                if word not in self._single:
                    found.update(dict.fromkeys(self.words.get(word) or self._learn(word)))
        found.pop(_NOTHING, None)
        for mark in marks:
            found[self._number(mark)] = None
        return cast("Features", tuple(found))

    def _learn(self, word: str) -> Features:
        features = self.words[word] = tuple([self._number(term) for term in terms(word)])
        if len(features) < 2:
            self._single[word] = features[0] if features else _NOTHING
        return features

    def weigh(self, entries: Collection[Features]) -> list[float]:
        """By feature: how rare it is among these entries; always above 0, so that few entries can be compared too."""
        counts = Counter(chain.from_iterable(entries))
        weights = []
        for number, term in enumerate(self.terms):
            count = counts[number]
            weight = log(1.0 + min(RAREST, (len(entries) + 5) / (count + 1)))
            weights.append(weight * COINED if count <= 1 and is_coined(term) else weight)
        return weights

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number


def _split(text: str) -> list[str]:
    """The words of a text. Most texts are ASCII but for an ellipsis or a quote, and those are split several times faster."""
    if "[REDACTED:" in text:
        text = _PLACEHOLDER.sub(" ", text)
    if not text.isascii():
        for mark in "…’“”–—×":
            text = text.replace(mark, " ")
    return text.encode("ascii").translate(_ASCII_BREAKS).decode("ascii").split() if text.isascii() else _WORD.findall(text)


def is_coined(term: str) -> bool:
    """A word with digits: a ticket, a version, a name of one thing."""
    return not term.isalpha() and not term.startswith(("error:", "file:")) and any(char.isdigit() for char in term)


def terms(word: str) -> Sequence[str]:
    """What a word of a text counts as: parts of a name in camel case, lower case, without accents and English endings.

    Scripts without spaces are cut into pairs of characters. Single letters, numbers (but for statuses) and hashes are nothing.

    >>> [list(terms(word)) for word in ("getUserName", "caches", "502", "4711", "d34db33f")]
    [['get', 'user', 'name'], ['cach'], ['502'], [], []]
    """
    if not word.isascii():
        if re.match(f"[{_SPACELESS}]", word):
            return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        folded = "".join(char for char in unicodedata.normalize("NFKD", word).casefold() if not unicodedata.combining(char))
        return [stem_english(folded)] if folded and not _is_number(folded) else []
    if word.islower() and word.isalpha():  # most are, and nothing of the rest concerns them
        return (stem_english(word),) if len(word) > 1 else ()
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    return [stem_english(part) for part in map(str.lower, parts) if len(part) > 1 and not _is_number(part)]


def _is_number(word: str) -> bool:
    if word.isdigit():
        return not _STATUS.match(word)
    return bool(_HEX.match(word)) and any(char.isdigit() for char in word)
