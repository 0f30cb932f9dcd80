"""The piece of a text that answers a question best."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from diarist.text.analyse import analyse
from diarist.text.clip import clip

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]*")
_WORD = re.compile(r"\w+(?:[-._/]\w+)*")
_READ = 12_000


def snippet(text: str, terms: Collection[str], worth: Callable[[str], float], limit: int = 240) -> str:
    """The sentence that holds most of the terms (by worth), with what follows it while there is room; "" where none holds any."""
    sentences = [piece.strip() for piece in _SENTENCE.findall(text[:_READ]) if not piece.isspace()]
    wanted = frozenset(terms)
    hints = tuple({term[: max(3, len(term) - 1)] for term in wanted})  # a stem stands in its word but for the last letter
    best, most = -1, 0.0
    for at, sentence in enumerate(sentences):
        low = sentence.lower()
        if sentence.isascii() and not any(hint in low for hint in hints):
            continue
        held = sum(worth(term) for term in wanted.intersection(analyse(sentence, "")))
        if held > most:
            best, most = at, held
    if best < 0:
        return ""
    piece = sentences[best]
    for following in sentences[best + 1 :]:
        if following in piece:
            continue
        if len(piece) + 1 + len(following) > limit:
            break
        piece += " " + following
    return clip(" ".join(piece.split()), limit)


def word_of(text: str, term: str) -> str:
    """The word of a text that gives a term: terms are keys and no words. The term itself where none does."""
    return next((word for word in dict.fromkeys(_WORD.findall(text[:_READ])) if term in analyse(word, "")), term)


def highlight(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where the words of a text are that a search matched: (start, end) in characters, in order."""
    wanted = frozenset(terms)
    return [found.span() for found in _WORD.finditer(text) if wanted.intersection(analyse(found.group()))]
