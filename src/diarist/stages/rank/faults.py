"""Error look-up: which past runs met this error, and which of them solved it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from diarist.model.hit import SAME_ERROR, HitRow
from diarist.stages.rank.rarity import Rarity
from diarist.text.analyse import analyse
from diarist.text.fingerprint import FoundError, errors_in, family
from diarist.text.lazy import lazy
from diarist.text.mask import Masked, mask

_MOST_ERRORS = 12
_MOST_TERMS = 48
_SAME, _KIN = 1.0, 0.45
"""What a fingerprint that agrees as a whole, or in its family only, is worth beside words that all agree (1)."""
_MINOR = 0.35
_STRANGER = 0.75
"""Factor where none of an error's own names and codes stands among the record's errors."""
_WORDS = 0.75
"""Part of the words' worth that the record's own errors decide; the rest is for its prose."""
_ALONE, _LEAST = 0.6, 0.75
"""Part of the score that the error which agrees best decides by itself; and how much it counts at least where it is the same."""
_PLACE = 0.15
"""Part of the score that is added where a record touched the files that the text names: less than `_UNFIXED` takes off, for runs on one
repository share files and not always a fault."""
_MOST_FILES, _READ_FILES = 8, 20_000
_PATH = lazy(
    r"(?:[\w.@+-]+[/\\])+[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,4}\b|\b\w[\w@+-]*\.(?:py|js|ts|tsx|go|rs|java|rb|c|cc|cpp|h|php|cs|kt|swift)\b"
)
_INSTALLED = lazy(r"site-packages|dist-packages|node_modules|/lib/python|\bgo/pkg/|\.cargo/|/usr/(?:lib|include|share)/|rustc/")
_REREAD = 30
_READ = 4_000
"""The best records, and the characters of each, whose prose is read too."""
_UNFIXED = 0.85
"""Factor of a record that met the error and did not solve it: below its like that did, above what only resembles it."""


class Asked(NamedTuple):
    """What a pasted text asks for: its distinct errors, and the analysed words of each."""

    errors: tuple[FoundError, ...]
    terms: tuple[tuple[str, ...], ...]
    names: tuple[frozenset[str], ...]
    """Of each error the public names, codes and numbers that make it another fault than its kin."""
    minor: frozenset[str]
    """Terms that are identifiers somebody chose, or stand in the lines beside the message only: they tell less."""
    files: tuple[str, ...] = ()
    """Ends of the paths that the text names, without those of installed libraries; the last named first."""

    def fingerprints(self) -> tuple[str, ...]:
        """Every mark the index is asked for: whole, family, solved."""
        found = [mark for error in self.errors for mark in (error.fingerprint, family(error.fingerprint), "+" + error.fingerprint)]
        return tuple(dict.fromkeys(found))

    def all_terms(self) -> tuple[str, ...]:
        """Each word once."""
        return tuple(dict.fromkeys(term for terms in self.terms for term in terms))


class Ranked(NamedTuple):
    """A row with its place in the order, and why."""

    row: HitRow
    score: float
    reasons: tuple[str, ...]


def read_errors(text: str) -> Asked:
    """The errors of a paste. Text in which none is recognised counts as one error as it stands."""
    errors = errors_in(text, failed=True)[-_MOST_ERRORS:]
    if not errors and text.strip():
        line = " ".join(text.split())[:600]
        errors = [FoundError(line[:300], "", "", 0, tuple(line.split()))]
    terms = tuple(tuple(dict.fromkeys(analyse(" ".join(error.words))))[:_MOST_TERMS] for error in errors)
    masked = [mask(error.message) for error in errors]
    names = tuple(frozenset(analyse(" ".join(one.particulars))) for one in masked)
    major = frozenset[str]().union(*names, *(_major(one, error.names) for one, error in zip(masked, errors, strict=True)))
    return Asked(tuple(errors), terms, names, frozenset(term for some in terms for term in some) - major, _files(text))


def _files(text: str) -> tuple[str, ...]:
    """Where it happened: file names with the folder they are in. Traces tell the innermost place last."""
    paths = [found.group().replace("\\", "/") for found in _PATH.finditer(text[-_READ_FILES:])]
    ends = ["/".join(path.strip("/").split("/")[-2:]) for path in reversed(paths) if not _INSTALLED.search(path)]
    return tuple(dict.fromkeys(ends))[:_MOST_FILES]


def _major(masked: Masked, names: Sequence[str]) -> frozenset[str]:
    """The terms of a message that tell most: its own words, and the identifiers in it where there is little else."""
    own = frozenset(analyse(" ".join(masked.words)))
    said = own - frozenset(analyse(" ".join(names)))
    return said if len(said) > 2 else own


def rank_faults(
    asked: Asked,
    rows: Iterable[HitRow],
    marks: Mapping[int, frozenset[str]],
    rarity: Rarity,
    places: Mapping[int, float] | None = None,
) -> list[Ranked]:
    """Orders the rows that resemble what was asked, best first; scores are 0 to 2, from 1 on for a record that met the same error.

    `marks`: by `seq`, which of `asked.fingerprints()` a record holds. `rarity`: how rare the words are among errors. `places`: by
    `seq`, how much of the files that the text names a record touched, 0 to 1.
    Every error of the paste counts by how much it tells: an exception that few runs met more than "exit code 1".
    """
    touched = places or {}

    def worth(term: str) -> float:
        return rarity(term) * (_MINOR if term in asked.minor else 1.0)

    weights = [_weight(terms, worth) for terms in asked.terms]
    ranked = [_placed(_score(asked, row, marks.get(row.seq, frozenset()), weights, worth), touched.get(row.seq, 0.0)) for row in rows]
    best = sorted(ranked, key=_order)[:_REREAD]
    return sorted((one for one in (_reread(asked, one, weights, worth) for one in best) if one.score > 0), key=_order)


def _placed(one: Ranked, share: float) -> Ranked:
    """Adds what it tells that the record touched the same files; nothing where it met no such error."""
    if not share or not one.score:
        return one
    gained = _PLACE * share * one.score
    return one._replace(score=one.score + gained, reasons=(*one.reasons, f"touched the same files (+{gained:.3f})"))


def _order(one: Ranked) -> tuple[float, tuple[int, ...], str]:
    return (-one.score, tuple(-ord(char) for char in one.row.created_at), one.row.id)


def _score(asked: Asked, row: HitRow, marks: frozenset[str], weights: Sequence[float], rarity: Rarity) -> Ranked:
    """By fingerprints and by the words of the record's own errors."""
    lines = [frozenset(analyse(line)) for line in row.errors.split("\n") if line.strip()]
    values, reasons, met, solved = [], [], False, False
    for error, terms, names in zip(asked.errors, asked.terms, asked.names, strict=True):
        value = _WORDS * max((_likeness(terms, line, rarity) for line in lines), default=0.0)
        if error.fingerprint in marks:
            value += _SAME
            met, solved = True, solved or "+" + error.fingerprint in marks
            reasons.append(f"{SAME_ERROR}: {error.message}")
        elif family(error.fingerprint) in marks:
            value += _KIN
            reasons.append(f"met an error of the same kind: {error.message}")
        if names and error.fingerprint not in marks and not any(names & line for line in lines):
            value *= _STRANGER
        values.append(value)
    solved = solved if met else row.outcome in ("completed", "recovered")
    if not reasons and any(values):
        reasons.append("met another error in like words")
    elif reasons:
        reasons.append("solved it" if solved else "did not solve it")
    return Ranked(row, _combined(values, weights) * (1.0 if solved else _UNFIXED), tuple(reasons))


def _reread(asked: Asked, one: Ranked, weights: Sequence[float], rarity: Rarity) -> Ranked:
    """Adds what the record's text says of it: causes and fixes are told in prose."""
    words = frozenset(analyse(one.row.text[:_READ]))
    aside = _combined([_likeness(terms, words, rarity) for terms in asked.terms], weights)
    return one._replace(score=one.score + (1 - _WORDS) * aside)


def _combined(values: Sequence[float], weights: Sequence[float]) -> float:
    """The value of the error that agrees best, and a little of how much of the whole paste agrees."""
    most, total = max(weights, default=0.0) or 1.0, sum(weights) or 1.0
    alone = max(
        (value * max(weight / most, _LEAST if value >= _SAME else 0.0) for value, weight in zip(values, weights, strict=True)), default=0.0
    )
    together = sum(value * weight / total for value, weight in zip(values, weights, strict=True))
    return _ALONE * alone + (1 - _ALONE) * together


def _weight(terms: Sequence[str], rarity: Rarity) -> float:
    """How much an error tells: the rarity of its words, with less and less from each further one."""
    rarities = sorted((rarity(term) for term in terms), reverse=True)
    return sum(weight / (1 + 0.15 * at) for at, weight in enumerate(rarities[:16]))


def _likeness(terms: Sequence[str], words: frozenset[str], rarity: Rarity) -> float:
    """Share of what the terms tell that the words hold too, 0 to 1."""
    said = sum(rarity(term) for term in terms)
    return sum(rarity(term) for term in terms if term in words) / said if said else 0.0
