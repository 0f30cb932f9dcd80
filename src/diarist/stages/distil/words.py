"""Content words of a text, in any script: for tags."""

from __future__ import annotations

from collections.abc import Iterator

from diarist.text.lazy import lazy
from diarist.text.translation import Translation


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
_MARKS = ".+#-"
"""What stands within words as well as behind them: "scikit-learn", "c++", "next.js"."""
_LONGEST = 41
_WORD = lazy(rf"[^\W\d_][\w{_MARKS}]{{1,{_LONGEST - 1}}}")
_WHOLE = lazy(rf"[^\W\d_][\w{_MARKS}]*\w")
_LONG = lazy(r"[^\W\d_]\w{5,}")
_NO_START = "0123456789_" + _MARKS
_ASCII = [chr(code) for code in range(128)]
_parted = Translation({char: " " for char in _ASCII if not (char.isalnum() or char == "_" or char in _MARKS)})
_parted_at_marks = Translation({char: " " for char in _ASCII if not (char.isalnum() or char == "_")})
_CJK = lazy(r"[\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7af]+")
_PLACEHOLDER = lazy(r"\[REDACTED[^\]]*\]|<[^<>\s]{1,40}>|https?://\S+")


def content_words(text: str) -> Iterator[str]:
    """Lower-case words that may tell what a text is about, in order, repeats included. No placeholders, section words or links."""
    cleaned = _PLACEHOLDER.sub(" ", text)
    for found in _words(cleaned):
        word = found.strip(".+-_").lower()
        if not word.isascii() and _CJK.search(word):
            yield from (run for run in _CJK.findall(word) if 2 <= len(run) <= 6)  # longer ones are sentences
        elif 2 < len(word) <= 32 and word not in STOP:
            yield word


def _words(text: str) -> list[str]:
    """As `_WORD` finds them; in plain ASCII by parting the text, in a third of the time. So do those below."""
    if not text.isascii():
        return _WORD.findall(text)
    words = [word for piece in _parted(text).split() if len(word := piece.lstrip(_NO_START)) > 1]
    return words if max(map(len, words), default=0) <= _LONGEST else _WORD.findall(text)


def whole_words(text: str) -> list[str]:
    """All words of a text as they stand there, without marks behind them."""
    if not text.isascii():
        return _WHOLE.findall(text)
    return [word for piece in _parted(text).split() if len(word := piece.lstrip(_NO_START).rstrip(_MARKS)) > 1]


def long_words(text: str) -> list[str]:
    """The words of six letters and more."""
    if not text.isascii():
        return _LONG.findall(text)
    return [word for piece in _parted_at_marks(text).split() if len(word := piece.lstrip(_NO_START)) > 5]
