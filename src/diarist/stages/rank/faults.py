"""Error look-up: which past runs met this error, and which of them solved it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from diarist.model.hit import Frequencies, HitRow
from diarist.text.analyse import analyse
from diarist.text.fingerprint import FoundError, errors_in, family

_MOST_ERRORS = 12
_MOST_TERMS = 48
_SAME, _KIN = 1.0, 0.45
"""What a fingerprint that agrees as a whole, or in its family only, is worth beside words that all agree (1)."""
_UNFIXED = 0.85
"""Factor of a record that met the error and did not solve it: below its like that did, above what only resembles it."""


class Asked(NamedTuple):
    """What a pasted text asks for: its distinct errors, and the analysed words of each."""

    errors: tuple[FoundError, ...]
    terms: tuple[tuple[str, ...], ...]

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
    return Asked(tuple(errors), terms)


def rank_faults(
    asked: Asked, rows: Iterable[HitRow], marks: Mapping[int, frozenset[str]], common: Frequencies
) -> list[Ranked]:
    """Orders the rows that resemble what was asked, best first.

    `marks`: by `seq`, which of `asked.fingerprints()` a record holds. `common`: how common the words are among errors.
    Every error of the paste counts by how much it tells: an exception that few runs met more than "exit code 1".
    """
    weights = [_weight(terms, common) for terms in asked.terms]
    total = sum(weights) or 1.0
    ranked = [_score(asked, row, marks.get(row.seq, frozenset()), weights, total, common) for row in rows]
    return sorted((one for one in ranked if one.score > 0), key=lambda one: (-one.score, _latest(one.row), one.row.id))


def _latest(row: HitRow) -> tuple[int, ...]:
    return tuple(-ord(char) for char in row.created_at)


def _score(
    asked: Asked, row: HitRow, marks: frozenset[str], weights: Sequence[float], total: float, common: Frequencies
) -> Ranked:
    lines = [set(analyse(line)) for line in row.errors.split("\n") if line.strip()]
    words = set(analyse(row.text[:4_000])) if row.text else set()
    score, reasons, met, solved = 0.0, [], False, False
    for error, terms, weight in zip(asked.errors, asked.terms, weights, strict=True):
        alike = max((_likeness(terms, line, common) for line in lines), default=0.0)
        aside = _likeness(terms, words, common)
        value = 0.75 * alike + 0.25 * aside
        if error.fingerprint in marks:
            value += _SAME
            met = True
            solved = solved or "+" + error.fingerprint in marks
            reasons.append(f"met the same error: {error.message}")
        elif family(error.fingerprint) in marks:
            value += _KIN
            reasons.append(f"met an error of the same kind: {error.message}")
        score += weight * value
    solved = solved if met else row.outcome in ("completed", "recovered")
    score = score / total * (1.0 if solved else _UNFIXED)
    return Ranked(row, score, tuple(reasons))


def _weight(terms: Sequence[str], common: Frequencies) -> float:
    """How much an error tells: the rarity of its words, with less and less from each further one."""
    rarities = sorted((_rarity(term, common) for term in terms), reverse=True)
    return sum(rarity / (1 + 0.15 * at) for at, rarity in enumerate(rarities[:16]))


def _likeness(terms: Sequence[str], words: set[str], common: Frequencies) -> float:
    """Share of what the terms tell that the words hold too, 0 to 1, tempered by what the words say besides."""
    if not words:
        return 0.0
    said = sum(_rarity(term, common) for term in terms)
    shared = sum(_rarity(term, common) for term in terms if term in words)
    return shared / said if said else 0.0


def _rarity(term: str, common: Frequencies) -> float:
    count = common.counts.get(term, 0)
    return math.log(1 + (common.records - count + 0.5) / (count + 0.5)) if common.records >= count else 0.1
