"""The words of a text as terms: parts of names apart, without accents and English endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from diarist.text.lazy import lazy
from diarist.text.stem import stem_english

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_FIRST_SPACELESS = "\u0e00"
_WORD = lazy(r"[^\W_]+")
_ASCII_BREAKS = bytes([code if chr(code).isalnum() else 32 for code in range(128)] + [32] * 128)
"""Translates all but ASCII letters and digits to spaces."""
_BREAKS = _ASCII_BREAKS[:128] + bytes(range(128, 256))
"""The same, but what is not ASCII stays as it is."""
_HUMP = lazy(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLACEHOLDER = lazy(r"\[REDACTED:[^\]\s]{1,60}\]")
_STATUS = lazy(r"[1-5]\d\d\Z")
_HEX = lazy(r"[0-9a-f]{6,}\Z")


def split_words(text: str) -> list[str]:
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


def forms(word: str) -> Sequence[str]:
    """Parts of a word as it was written, in lower case, each of which is one term: `stem_english` makes it of the part.

    Scripts without spaces are cut into pairs of characters. Single letters, numbers (but for statuses) and hashes are nothing.
    """
    if not word.isascii():
        if word[0] >= _FIRST_SPACELESS and _spaceless().match(word):
            return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        plain = unicodedata.normalize("NFKD", word).casefold()
        folded = "".join(char for char in plain if not (unicodedata.combining(char) or char.isspace()))  # one sign may be four words
        return [folded] if len(folded) > 1 and not _is_number(folded) else []
    if word.islower() and word.isalpha():  # most are, and nothing of the rest concerns them
        return (word,) if len(word) > 1 else ()
    if word.isdigit():
        return (word,) if _STATUS.match(word) else ()
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    return [part for part in map(str.lower, parts) if len(part) > 1 and not _is_number(part)]


def terms(word: str) -> list[str]:
    """What a word of a text counts as.

    >>> [terms(word) for word in ("getUserName", "caches", "502", "4711", "d34db33f")]
    [['get', 'user', 'nam'], ['cach'], ['502'], [], []]
    """
    return list(map(stem_english, forms(word)))


def is_coined(term: str) -> bool:
    """A word with digits: a ticket, a version, a name of one thing."""
    return not term.isalpha() and not term.startswith(("error:", "file:")) and any(char.isdigit() for char in term)


def _is_number(word: str) -> bool:
    if word.isdigit():
        return not _STATUS.match(word)
    return bool(_HEX.match(word)) and any(char.isdigit() for char in word)
