"""The piece of a text that answers a question best."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from diarist.text.analyse import analyse, language_in
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_SENTENCE = lazy(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]*")
_WORD = lazy(r"\w+(?:[-._/]\w+)*")
_READ = 12_000
_TOLD_BY = 600
"""Characters by which a text's language is told."""


def snippet(text: str, terms: Collection[str], worth: Callable[[str], float], limit: int = 240) -> str:
    """The sentence that holds most of the terms (by worth), with what follows it while there is room; "" where none holds any."""
    hints = [(term, term[: max(3, len(term) - 1)]) for term in dict.fromkeys(terms)]  # a stem stands in its word but for the last letter
    worths = {term: worth(term) for term, _ in hints}
    best = _best(text, hints, worths, "" if text.isascii() else language_in(text[:_TOLD_BY]))
    if best is None and text.isascii() and (language := language_in(text[:_TOLD_BY])):
        best = _best(text, hints, worths, language)
    if best is None:
        return ""
    piece = best.group().strip()
    for following in _SENTENCE.finditer(text[:_READ], best.end()):
        more = following.group().strip()
        if not more or more in piece:
            continue
        if len(piece) + 1 + len(more) > limit:
            break
        piece += " " + more
    return clip(" ".join(piece.split()), limit)


def _best(text: str, hints: Sequence[tuple[str, str]], worths: Mapping[str, float], language: str) -> re.Match[str] | None:
    """The first of the sentences that hold most."""
    best, most = None, 0.0
    if text.isascii():
        low = text[:_READ].lower()
        hints = [(term, hint) for term, hint in hints if hint in low]
        if not hints:
            return None
    for found in _SENTENCE.finditer(text[:_READ]):
        held = sum(worths[term] for term in _held(found.group(), hints, language))
        if held > most:
            best, most = found, held
    return best


def excerpt(texts: Sequence[str], terms: Collection[str], worth: Callable[[str], float], limit: int = 240) -> str:
    """The `snippet` of the first of the texts that has one; where none has, for the title alone fits, how the first begins."""
    said = next((piece for text in texts if (piece := snippet(text, terms, worth, limit))), "")
    return said or next((clip(" ".join(text[:_READ].split()), limit) for text in texts if text.strip()), "")


def _held(sentence: str, hints: Sequence[tuple[str, str]], language: str) -> Iterable[str]:
    """The terms that a sentence holds. Of a plain one only words that begin like a term are taken apart: that is many times faster."""
    if not sentence.isascii():
        return frozenset(analyse(sentence, language)).intersection(term for term, _ in hints)
    low = sentence.lower()
    return [term for term, hint in hints if hint in low and _stands_in(term, hint, low, sentence, language)]


def _stands_in(term: str, hint: str, low: str, sentence: str, language: str) -> bool:
    """Whether one of the words with the hint in it gives the term."""
    at = low.find(hint)
    while at >= 0:
        start, end = low.rfind(" ", 0, at) + 1, low.find(" ", at)
        if term in analyse(sentence[start:end] if end > 0 else sentence[start:], language):
            return True
        at = low.find(hint, end) if end > 0 else -1
    return False


def word_of(text: str, term: str) -> str:
    """The word of a text that gives a term: terms are keys and no words. The term itself where none does."""
    return next((word for word in dict.fromkeys(_WORD.findall(text[:_READ])) if term in analyse(word, "")), term)


def highlight(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where the words of a text are that a search matched: (start, end) in characters, in order.

    Of a run in a script without spaces only the pairs of characters that matched, joined where they touch.
    """
    wanted = frozenset(terms)
    pairs = [term for term in wanted if len(term) == 2 and not term.isascii()]
    found: list[tuple[int, int]] = []
    language = language_in(text)
    for word in _WORD.finditer(text):
        if wanted.isdisjoint(analyse(word.group(), language)):
            continue
        inside = _pairs_in(word.group(), pairs)
        found += [(word.start() + start, word.start() + end) for start, end in inside] or [word.span()]
    return found


def _pairs_in(word: str, pairs: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of a word that pairs of characters cover."""
    if word.isascii() or not pairs:
        return []
    covered = sorted({at + more for pair in pairs for at in range(len(word) - 1) if word.startswith(pair, at) for more in (0, 1)})
    spans: list[tuple[int, int]] = []
    for at in covered:
        if spans and spans[-1][1] == at:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans
