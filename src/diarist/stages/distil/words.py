"""Content words of a text, in any script: for tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diarist.text.lazy import lazy


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for tables of words."""
    return frozenset(text.split())


def word_pairs(text: str) -> frozenset[tuple[str, str]]:
    """Pairs of words, written "uv run, poetry run"."""
    return frozenset((first, second) for first, _, second in (pair.strip().partition(" ") for pair in text.split(",")) if second)


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text in order, for tables where the first one counts most."""
    return tuple(text.split())


STOP = word_set(
    """
    a about after again all also am an and any are as at be because been before being both but by can could did do does doing don down
    during each every few file files for from further get give go got had has have having he her here him his how i if in into is it its
    itself just let like make me more most my need new no nor not now of off on once one only or other our out over own please run same
    see she should show so some such take than that the their them then there these they this those to too try two under until up us use
    used using user very want was way we well were what when where which while who why will with work would yes you your add added
    change changed update updated fix fixed issue error errors code test tests tried worked failed rationale learned why attempted
    succeeded redacted image request interrupted following implement plan first next last thing things sure okay thanks think know look
    something without within there still really maybe doesn isn wasn can't don't i'm it's line lines true false none null der die das
    und oder nicht ein eine einen ist sind war mit von für auf im in den dem des zu zum zur wie wir ich du sie es auch noch nur bitte
    kann soll wird werden haben hat bei aus nach über als wenn aber le la les un une des et ou est sont dans pour avec sur pas ne que
    qui ce cette il elle nous vous je tu au aux du de plus mais comme faire fait tout el los las una unos y o es son en para con por no
    que se lo su al del como más pero este esta hay ser hacer todo
    """
)
_WORD = lazy(r"[^\W\d_][\w.+#-]{1,40}", re.UNICODE)
_CJK = lazy(r"[\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7af]+")
_PLACEHOLDER = lazy(r"\[REDACTED[^\]]*\]|<[^<>\s]{1,40}>|https?://\S+")


def content_words(text: str) -> Iterator[str]:
    """Lower-case words that may tell what a text is about, in order, repeats included. No placeholders, section words or links."""
    cleaned = _PLACEHOLDER.sub(" ", text)
    for match in _WORD.findall(cleaned):
        word = match.strip(".+-_").lower()
        if not word.isascii() and _CJK.search(word):
            yield from (run for run in _CJK.findall(word) if 2 <= len(run) <= 6)  # longer ones are sentences
        elif 2 < len(word) <= 32 and word not in STOP:
            yield word
