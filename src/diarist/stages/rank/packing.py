"""Which of the records found are told to an agent, and what of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from diarist.model.hit import HitRow
from diarist.stages.rank.doubt import Question
from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.snippet import snippet
from diarist.stages.rank.standing import Found, text_of
from diarist.text.analyse import analyse

_READ = 12_000
_CLOSE = 0.7
"""A further record is told of where it holds at least this part of what the best one holds of the question."""
_ALIKE = 0.8
"""Share of common words from which two records say the same."""
_SNIPPET = 480
_CORRECTIONS = "corrections"
"""Namespace of what people said of other records: it is told beside them, however alike the words are."""


class Answer(NamedTuple):
    """A record to tell of, and what of it, most important first."""

    row: HitRow
    score: float
    points: tuple[str, ...]


def answers(found: Sequence[Found], question: Question, rarity: Rarity) -> list[Answer]:
    """The records that answer a question, best first; empty where none holds enough of it.

    What was replaced is left out; what replaced it counts for what that one held.
    """
    held = {one.row.id: _share(one.row, question) for one in found}
    for one in found:
        if one.superseded_by is not None and one.superseded_by.id in held:
            held[one.superseded_by.id] = max(held[one.superseded_by.id], held[one.row.id])
    best = max(held.values(), default=0.0)
    if best < question.needed:
        return []
    chosen = [
        one
        for one in found
        if one.superseded_by is None and one.row.status != "superseded" and held[one.row.id] >= max(question.needed * _CLOSE, best * _CLOSE)
    ]
    return [Answer(one.row, one.score, _points(one.row, question.weights, rarity)) for one in _different(chosen)]


def solutions(ranked: Iterable[tuple[HitRow, float]], terms: Sequence[str], rarity: Rarity) -> list[Answer]:
    """What to tell of records that met an error: what solved it first."""
    told = []
    for row, score in ranked:
        fixes = tuple(line for line in row.fixes.split("\n") if line.strip())[:3]
        error = next((line for line in row.errors.split("\n") if frozenset(analyse(line)).intersection(terms)), "")
        points = [
            *fixes,
            *(["error: " + error] if error else []),
            snippet(row.text, terms, rarity, _SNIPPET) or row.text.strip()[:_SNIPPET],
        ]
        told.append(Answer(row, score, tuple(dict.fromkeys(point for point in points if point))))
    return told


def _points(row: HitRow, weights: Iterable[str], rarity: Rarity) -> tuple[str, ...]:
    terms = tuple(weights)
    said = snippet(row.text, terms, rarity, _SNIPPET) or row.text.strip()[:_SNIPPET]
    fixes = [line for line in row.fixes.split("\n") if frozenset(analyse(line)).intersection(terms)][:2]
    return tuple(dict.fromkeys(point for point in (said, *fixes) if point))


def _share(row: HitRow, question: Question) -> float:
    """How much of what is asked a record speaks of; nothing where that is one word of several."""
    told = f"{text_of(row)[:_READ]}\n{row.errors}\n{row.fixes}\n{' '.join(row.tags)}\n{row.project}"
    terms = frozenset(analyse(told))
    return question.share(terms) if question.is_met(terms) else 0.0


def _different(found: Iterable[Found]) -> list[Found]:
    """Without records that say in the same words what an earlier one of them says."""
    kept: list[tuple[Found, frozenset[str]]] = []
    for one in found:
        words = frozenset(analyse(text_of(one.row)[:2_000]))
        if one.row.namespace == _CORRECTIONS or all(
            len(words & other) < _ALIKE * min(len(words), len(other)) for _, other in kept if words and other
        ):
            kept.append((one, frozenset() if one.row.namespace == _CORRECTIONS else words))
    return [one for one, _ in kept]
