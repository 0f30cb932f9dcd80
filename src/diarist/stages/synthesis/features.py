"""What an entry is about, as a set of numbered features: stems of its words, its error fingerprints, the files it changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from math import log

from diarist.text.stem import stem_english

Features = tuple[int, ...]
"""Distinct, in the order they were met."""
Meaning = dict[int, None]
"""Features of a text that many entries hold: as keys, as those are united fastest."""

RAREST = 400
"""Being rarer than one entry in so many adds no weight: a slip of the pen is not the subject."""
FEW_CARRIERS, SELDOM = 5, 10
"""Nor does being carried by fewer entries than about five, where that is rarer than one in ten: few entries have few that are alike."""
COINED = 0.5
"""Share of its weight that a word with digits keeps while nobody else has it: mostly a ticket, a port, a hash."""
MOST_WORDS = 2000
"""Words of one text that are looked at."""

_NOTHING = -1
"""What a word counts as that gives no feature."""
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_FIRST_SPACELESS = "\u0e00"
_WORD = re.compile(r"[^\W_]+")
_ASCII_BREAKS = bytes([code if chr(code).isalnum() else 32 for code in range(128)] + [32] * 128)
"""Translates all but ASCII letters and digits to spaces."""
_BREAKS = _ASCII_BREAKS[:128] + bytes(range(128, 256))
"""The same, but what is not ASCII stays as it is."""
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
        self._numbers: dict[str, int] = {}
        self._single = _Single()

    def look(self, text: str, marks: Iterable[str] = ()) -> Features:
        """Features of an entry that is one text, and `marks` as they are."""
        return self.unite([self.mean(text)], marks)

    def unite(self, meanings: Iterable[Meaning], marks: Iterable[str] = ()) -> Features:
        """Features of one entry, of which it is known what its texts mean, and `marks` as they are."""
        found: Meaning = {}
        for meaning in meanings:
            found |= meaning
        for mark in marks:
            found[self._number(mark)] = None
        return tuple(found)

    def mean(self, text: str) -> Meaning:
        """Features of a text: those of its words."""
        words = _split(text)
        if len(words) > MOST_WORDS:
            words = words[:MOST_WORDS]
        single = self._single
        found = dict.fromkeys(map(single.__getitem__, words))
        if _NOTHING in found:
            del found[_NOTHING]
        if single.others:
            for word in single.others:
                if word not in single:
                    found |= dict.fromkeys(self.words.get(word) or self._learn(word))
            single.others.clear()
        return found

    def _learn(self, word: str) -> Features:
        features = self.words[word] = tuple(map(self._number, terms(word)))
        if len(features) < 2:
            self._single[word] = features[0] if features else _NOTHING
        return features

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


class _Single(dict[str, int]):
    """Words that give exactly one feature, and those that give none (`_NOTHING`): most of all words."""

    def __init__(self) -> None:
        super().__init__()
        self.others: list[str] = []
        """Words that were asked for and are not here: new ones, and those that give more than one. Until they are taken away."""

    def __missing__(self, word: str) -> int:
        self.others.append(word)
        return _NOTHING


def _split(text: str) -> list[str]:
    """The words of a text. Only what is not ASCII goes through the pattern, which takes several times as long."""
    if "[REDACTED:" in text:
        text = _PLACEHOLDER.sub(" ", text)
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_BREAKS).decode("ascii").split()
    words: list[str] = []
    for piece in text.encode("utf-8", "surrogatepass").translate(_BREAKS).decode("utf-8", "surrogatepass").split():
        if piece.isascii():
            words.append(piece)
        elif max(piece) < _FIRST_SPACELESS:
            words += _WORD.findall(piece)
        else:
            for at, part in enumerate(_spaceless().split(piece)):
                words += ([part] if part else []) if at % 2 else _WORD.findall(part)
    return words


@lru_cache(maxsize=1)
def _spaceless() -> re.Pattern[str]:
    """Compiled where it is needed: that takes as long as a hundred texts."""
    return re.compile(f"([{_SPACELESS}]+)")


def is_coined(term: str) -> bool:
    """A word with digits: a ticket, a version, a name of one thing."""
    return not term.isalpha() and not term.startswith(("error:", "file:")) and any(char.isdigit() for char in term)


def terms(word: str) -> Sequence[str]:
    """What a word of a text counts as: parts of a name in camel case, lower case, without accents and English endings.

    Scripts without spaces are cut into pairs of characters. Single letters, numbers (but for statuses) and hashes are nothing.

    >>> [list(terms(word)) for word in ("getUserName", "caches", "502", "4711", "d34db33f")]
    [['get', 'user', 'nam'], ['cach'], ['502'], [], []]
    """
    if not word.isascii():
        if word[0] >= _FIRST_SPACELESS and _spaceless().match(word):
            return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        folded = "".join(char for char in unicodedata.normalize("NFKD", word).casefold() if not unicodedata.combining(char))
        return [stem_english(folded)] if folded and not _is_number(folded) else []
    if word.islower() and word.isalpha():  # most are, and nothing of the rest concerns them
        return (stem_english(word),) if len(word) > 1 else ()
    if word.isdigit():
        return (word,) if _STATUS.match(word) else ()
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    return [stem_english(part) for part in map(str.lower, parts) if len(part) > 1 and not _is_number(part)]


def _is_number(word: str) -> bool:
    if word.isdigit():
        return not _STATUS.match(word)
    return bool(_HEX.match(word)) and any(char.isdigit() for char in word)
