"""Text to search terms: made for prose in many languages mixed with code, paths, versions and error codes."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import ClassVar

from diarist.text.stem import language_of, stem_english, stem_in

VERSION = "analysis/3"
"""Changes whenever the same text gives other terms; an index of another version is rebuilt."""

_LONGEST_TERM = 64
_LONGEST_CHUNK = 200
"""Characters of a run without white space that are looked at; longer ones are encoded data."""
_GENERATION = 120_000
_SAMPLE = 100

_WORD = r"[\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff]"  # \w leaves out the vowel signs of Indic scripts
_CHUNK = re.compile(rf"{_WORD}+(?:[-._:/\\@$+~]+{_WORD}+)*(?:\+\+|#(?!\w))?")
_BREAKS = re.compile(r"[:/\\@$+~#]+")
_JOINTS = re.compile(r"[-._]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VERSION = re.compile(r"v?\d+\.\d[-.+a-z0-9]*\Z")
_SPACELESS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


class _Memo:
    """What chunks gave before; forgetting changes no result."""

    new: ClassVar[dict[str, tuple[str, ...]]] = {}
    old: ClassVar[dict[str, tuple[str, ...]]] = {}


_memo = _Memo


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
    chunks = _CHUNK.findall(text)
    if language is None:
        language = _language(chunks)
    known = _memo.new.get
    if not language:
        return [term for chunk in chunks for term in known(chunk) or _remember(chunk)]
    out: list[str] = []
    for chunk in chunks:
        terms = known(chunk) or _remember(chunk)
        out += terms
        if len(chunk) > 3 and chunk.isalpha():
            stem = _foreign(language, chunk)
            if stem and stem not in terms:
                out.append(stem)
    return out


def _remember(chunk: str) -> tuple[str, ...]:
    """What a chunk gives; kept in two generations, so that common words stay when rare ones are forgotten."""
    terms = _memo.old.get(chunk) or tuple(_terms(chunk[:_LONGEST_CHUNK])) or ("_",)
    if len(chunk) <= _LONGEST_CHUNK:
        if len(_memo.new) >= _GENERATION:
            _memo.old, _memo.new = _memo.new, {}
        _memo.new[chunk] = terms
    return terms


def _language(chunks: list[str]) -> str:
    """Of a text that is long enough to tell, or so short that a few function words tell."""
    return language_of([chunk.lower() for chunk in chunks[:_SAMPLE]])


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
        return [_cut(_plain(fold(chunk)))]
    return _compound(chunk)


def _compound(chunk: str) -> list[str]:
    """An identifier, path, version, number or hyphenated word: the whole, then its parts."""
    whole = fold(chunk)
    if whole.isdigit():
        return [_cut(whole)]
    pieces = [piece for piece in _BREAKS.split(chunk) if piece]
    out = [] if "://" in chunk else [_cut(whole)]
    for piece in pieces:
        out += _of_piece(piece)
    return list(dict.fromkeys(out))


def _of_piece(piece: str) -> list[str]:
    """A file or host name, an identifier, a version: the whole, then its words."""
    whole = fold(piece)
    if _VERSION.match(whole):
        return _of_version(whole)
    words = [word for part in _JOINTS.split(piece) if part for word in _HUMP.split(part)]
    if len(words) <= 1:
        return [_cut(_plain(fold(word))) for word in words]
    return [_cut(whole), *(_cut(_plain(fold(word))) for word in words)]


def _plain(word: str) -> str:
    return stem_english(word) if word.isalpha() and word.isascii() else word


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
