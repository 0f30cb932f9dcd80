"""What of a record matters to the question whether it replaces another one: cheap things first, the rest only where they agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from diarist.stages.rank.cues import Cue, find_cues, says_unchanged
from diarist.stages.rank.words import telling
from diarist.text.analyse import analyse
from diarist.text.lazy import lazy
from diarist.text.phrases import wordset
from diarist.text.stem import language_of

_HEAD, _TAIL = 2_000, 2_500
"""Characters of a long text that are compared: a record's own summary comes first in it, and what was settled last."""
_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    )
    for number, name in enumerate(names.split(), 1)
}


_KEPT = 512


class Sketch(NamedTuple):
    """What can be told at a glance.

    `cues`: sentences that speak of a change; `measures`: numbers by the unit or name they stand with; `month`: in which it was made.
    """

    text: str
    cues: tuple[Cue, ...]
    measures: Mapping[str, frozenset[str]]
    month: int


class Said(NamedTuple):
    """A sentence that speaks of a change (see `cues`): `strength`, its terms, the months (1 to 12) it names."""

    strength: int
    terms: frozenset[str]
    months: frozenset[int]


class Portrait(NamedTuple):
    """A sketch worked out.

    `sentences`: telling terms of each sentence; `terms`: all of them; `paths`: files it names; `unchanged`: terms of sentences that
    say that something stays.
    """

    sketch: Sketch
    sentences: Mapping[str, frozenset[str]]
    terms: frozenset[str]
    cues: tuple[Said, ...]
    paths: frozenset[str]
    unchanged: tuple[frozenset[str], ...]


_DIGIT = lazy(r"\d")
_PATH = lazy(r"[\w@-]+(?:[./\\][\w@*-]+)+")
_MEASURE = lazy(r"(\d(?<![\w.]\d)\d*(?:[.,:]\d+)*)\s?(%|[^\W\d_]{1,12})")  # a digit first: the engine looks for that fastest
_SETTING = lazy(r"\b([A-Za-z_][\w.]{0,40}?)(?:\s?[=:]\s?|[.-](?=\d+\b))(\d[\w.]*)")
_FILES = wordset("""
    py js mjs ts tsx jsx vue go rs java kt kts rb php cs c cc cpp h hpp swift scala sh sql yaml yml toml json ini cfg conf xml html css scss
    md rst txt csv lock env tf rego proto gradle plist xcconfig properties pro
""")
"""Extensions by which a dotted name is a file."""
_SENTENCE = lazy(r"(?<=[.!?。！？])\s*|\n")


@lru_cache(maxsize=_KEPT)
def sketch(text: str, created_at: str) -> Sketch:
    """Takes a first look. `created_at`: ISO 8601. What was looked at lately is remembered: the same records turn up again."""
    text = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    measures: dict[str, set[str]] = {}
    for unit, number in _measures(text):
        measures.setdefault(unit, set()).add(number)
    return Sketch(text, tuple(find_cues(text)), {unit: frozenset(numbers) for unit, numbers in measures.items()}, int(created_at[5:7]))


@lru_cache(maxsize=_KEPT)
def portray(text: str, created_at: str) -> Portrait:
    """Works the sketch of a text out."""
    seen = sketch(text, created_at)
    language = language_of(seen.text.lower().split()[:100])

    def words(piece: str) -> frozenset[str]:
        return frozenset(telling(analyse(piece, language), language))

    sentences = {piece.strip(): words(piece) for piece in _SENTENCE.split(seen.text) if piece.strip()}
    return Portrait(
        sketch=seen,
        sentences=sentences,
        terms=frozenset().union(*sentences.values()),
        cues=tuple(Said(cue.strength, words(cue.sentence), _months(cue.sentence)) for cue in seen.cues),
        paths=frozenset(found.group().strip("./\\").lower() for found in _PATH.finditer(seen.text)),
        unchanged=tuple(terms for sentence, terms in sentences.items() if says_unchanged(sentence)),
    )


def files_of(portrait: Portrait) -> frozenset[str]:
    """The paths that are files or lie in a folder."""
    return frozenset(path for path in portrait.paths if "/" in path or path.rpartition(".")[2] in _FILES)


def _months(sentence: str) -> frozenset[int]:
    """Months a sentence names; "may" only as a name."""
    words = re.findall(r"\d{1,2}月|[^\W\d]+", sentence)
    return frozenset(_MONTHS[word.lower()] for word in words if word.lower() in _MONTHS and word != "may")


def _measures(text: str) -> Iterator[tuple[str, str]]:
    """(unit or name, number): "30 s", "TTL=60", "pain.001.09"."""
    if not _DIGIT.search(text):
        return
    for number, unit in _MEASURE.findall(text):
        yield unit.lower(), number
    for name, value in _SETTING.findall(text):
        yield name.lower(), value.rstrip(".")
