"""Text to search terms: made for prose in many languages mixed with code, paths, versions and error codes."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain, islice

from diarist.text.lazy import lazy
from diarist.text.remembered import Remembered
from diarist.text.stem import SPOKEN_IN, language_of, stem_english, stem_in

VERSION = "analysis/3"
"""Changes whenever the same text gives other terms; an index of another version is rebuilt."""

_LONGEST_TERM = 64
_LONGEST_CHUNK = 200
"""Characters of a run without white space that are looked at; longer ones are encoded data."""
_GENERATION = 120_000
_SAMPLE = 100

_WORD = r"[\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff]"  # \w leaves out the vowel signs of Indic scripts
_CHUNK = lazy(rf"{_WORD}+(?:[-._:/\\@$+~]+{_WORD}+)*(?:\+\+|#(?!\w))?")
_BREAKS = lazy(r"[:/\\@$+~#]+")
_JOINTS = lazy(r"[-._]+")
_HUMP = lazy(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VERSION = lazy(r"v?\d+\.\d[-.+a-z0-9]*\Z")
_SPACELESS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def analyse(text: str, language: str | None = None) -> list[str]:
    """The terms of a text, in order: lower case, accents folded, English inflections taken off.

    - an identifier, path, version or hyphenated word stands whole, followed by its parts: "getUserName" is "getusername",
      "get", "user", "name"; "src/app.py" is "src/app.py", "src", "app.py", "app", "py"
    - versions ("3.11.4", and with it "3.11"), error codes and numbers stay whole
    - Chinese, Japanese, Korean, Thai and the like are cut into overlapping pairs of characters
    - a word of a text in German, French, Spanish, Portuguese, Italian, Dutch, Russian or Polish is followed by its stem in that
      language where it has another one

    `language`: "de", "fr", …, or "" for another; None: told by the text itself. Terms hold no white space and at most 64
    characters. Pure; what a word gives is remembered, so a second text is faster.
    """
    return analyse_joined(text, language).split()


def analyse_joined(text: str, language: str | None = None) -> str:
    """The terms of a text as `analyse` gives them, with white space between them."""
    pieces = text.split()
    return " ".join(map(_terms_in(_language(pieces) if language is None else language).__getitem__, pieces))


def language_in(text: str) -> str:
    """The language ("de", "fr", …) that `analyse` takes a text for; "" for English and all others."""
    return _language(text.split())


def _language(pieces: list[str]) -> str:
    return language_of(list(islice(chain.from_iterable(map(_function_words.__getitem__, pieces)), _SAMPLE)))


_NONE = ("",)
_EDGES = "\"'`,;:.!?()[]{}<>|=*&%"
"""What is no part of a word that it stands beside."""


def _told_by(piece: str) -> tuple[str, ...]:
    """The words of a piece in lower case, "" for those that tell no language."""
    core = piece.strip(_EDGES)
    if core.isalnum():
        return (core.lower(),) if core.lower() in SPOKEN_IN else _NONE
    words = tuple(word if word in SPOKEN_IN else "" for word in map(str.lower, _CHUNK.findall(piece)))
    return _NONE if words == _NONE else words


@cache
def _terms_in(language: str) -> Remembered[str, str]:
    """What pieces of a text between white space give in a text of this language, joined."""

    def joined(piece: str) -> str:
        core = piece.strip(_EDGES)
        if core.isascii() and core.islower() and core.isalpha() and len(core) <= _LONGEST_CHUNK and not language:
            term = _words[core]
            return piece if term == piece else term
        chunks = _CHUNK.findall(piece)
        found = " ".join(chain.from_iterable(_in_language(language, chunk) if language else _chunks[chunk] for chunk in chunks))
        return piece if piece == found else found  # one string instead of two

    return Remembered(joined, _GENERATION // 4 if language else _GENERATION, _LONGEST_CHUNK)


def _in_language(language: str, chunk: str) -> tuple[str, ...]:
    terms = _chunks[chunk]
    stem = _foreign(language, chunk) if len(chunk) > 3 and chunk.isalpha() else ""
    return (*terms, stem) if stem and stem not in terms else terms


def _foreign(language: str, chunk: str) -> str:
    word = chunk.lower()
    stem = fold(stem_in(language, word))
    return stem if len(stem) >= 3 else ""


def _terms(chunk: str) -> list[str]:
    """What one chunk gives."""
    if chunk.isascii():
        if chunk.isalpha() and (chunk.islower() or chunk.isupper() or chunk[1:].islower()):
            return [_cut(stem_english(chunk.lower()))]
    elif _spaceless().search(chunk):
        return _mixed(chunk)
    elif _JOINTS.search(chunk) is None and _BREAKS.search(chunk) is None:
        return [_plain(chunk)]
    return _compound(chunk)


def _compound(chunk: str) -> list[str]:
    """An identifier, path, version, number or hyphenated word: the whole, then its parts."""
    whole = fold(chunk)
    if whole.isdigit():
        return [_cut(whole)]
    out = [] if "://" in chunk else [_cut(whole)]
    for part in _BREAKS.split(chunk):
        if part:
            out += _of_part(part)
    return list(dict.fromkeys(out))


def _of_part(part: str) -> list[str]:
    """A file or host name, an identifier, a version: the whole, then its words."""
    whole = fold(part)
    if "." in whole and _VERSION.match(whole):
        return _of_version(whole)
    words: list[str] = []
    for joined in _JOINTS.split(part):
        if joined.islower() or joined.isdecimal():  # nothing to divide
            words.append(joined)
        elif joined:
            words += _HUMP.split(joined)
    terms = list(map(_words.__getitem__, words))
    return terms if len(terms) <= 1 else [_cut(whole), *terms]


def _plain(word: str) -> str:
    """What a word that has no parts gives."""
    folded = fold(word)
    return _cut(stem_english(folded) if folded.isalpha() and folded.isascii() else folded)


def _of_version(version: str) -> list[str]:
    bare = version.removeprefix("v")
    numbers = bare.split(".")
    return [_cut(bare)] if len(numbers) <= 2 else [_cut(bare), _cut(".".join(numbers[:2]))]


@cache
def _spaceless() -> re.Pattern[str]:
    """Compiled when a text needs it: so large a set takes longer than all other patterns here."""
    return re.compile(_SPACELESS)


def _mixed(chunk: str) -> list[str]:
    """A run of characters some of which belong to a script without spaces."""
    out: list[str] = []
    at = 0
    for found in _spaceless().finditer(chunk):
        for word in _CHUNK.findall(chunk[at : found.start()]):
            out += _terms(word)
        run = unicodedata.normalize("NFKC", found.group()).casefold()
        out += [run] if len(run) == 1 else [run[start : start + 2] for start in range(len(run) - 1)]
        at = found.end()
    for word in _CHUNK.findall(chunk[at:]):
        out += _terms(word)
    return out


def fold(word: str) -> str:
    """Lower case, compatibility forms and accents folded: "Größe" is "grosse", "Ｆｕｌｌ" is "full"."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f"))


def _cut(term: str) -> str:
    return term if len(term) <= _LONGEST_TERM else term[:_LONGEST_TERM]


_words = Remembered(_plain, _GENERATION // 4, _LONGEST_CHUNK)
_chunks: Remembered[str, tuple[str, ...]] = Remembered(
    lambda chunk: tuple(_terms(chunk[:_LONGEST_CHUNK])) or ("_",), _GENERATION // 2, _LONGEST_CHUNK
)
_function_words = Remembered(_told_by, _GENERATION, _LONGEST_CHUNK)
