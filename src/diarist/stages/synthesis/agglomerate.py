"""Average-linkage clustering of sparse vectors, over the pairs that an inverted index finds."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from math import sqrt

Vector = Mapping[int, float]
"""Sparse: feature → value."""
Dots = list[dict[int, float]]
"""For each vector the dot products with the others that it shares a feature with."""


def dot_products(vectors: Sequence[Vector]) -> Dots:
    """Dot products of all pairs that share a feature, both ways round."""
    postings: dict[int, tuple[list[int], list[float]]] = {}
    dots: Dots = [{} for _ in vectors]
    for number, vector in enumerate(vectors):
        sums = [0.0] * number
        for feature, value in vector.items():
            carriers = postings.get(feature)
            if carriers is None:
                carriers = postings[feature] = ([], [])
            for other, theirs in zip(*carriers):  # noqa: B905 - equal by construction; the check would cost a tenth
                sums[other] += value * theirs
            carriers[0].append(number)
            carriers[1].append(value)
        row = dots[number]
        for other, dot in enumerate(sums):
            if dot:
                row[other] = dots[other][number] = dot
    return dots


def rare_dot_products(vectors: Sequence[Vector], longest: int, least: float) -> Dots:
    """The same for pairs of unit vectors whose product may reach `least`, found by features that at most `longest` vectors carry.

    A vector's lightest features are not asked: as long as they weigh less than three fourths of `least` together, no pair can
    owe them more (Cauchy and Schwarz), so the others must make up a fourth. No pair is missed but for features that more
    vectors carry. The products are whole.
    """
    postings: dict[int, list[tuple[int, float]]] = {}
    for number, vector in enumerate(vectors):
        for feature, value in vector.items():
            postings.setdefault(feature, []).append((number, value))
    dots: Dots = [{} for _ in vectors]
    for number, vector in enumerate(vectors):
        sums: dict[int, float] = {}
        for feature in _heaviest(vector, 0.75 * least):
            carriers = postings[feature]
            if 1 < len(carriers) <= longest:
                value = vector[feature]
                for other, theirs in carriers:
                    sums[other] = sums.get(other, 0.0) + value * theirs
        sums.pop(number, None)
        row = dots[number]
        for other in sorted([other for other, dot in sums.items() if dot >= 0.25 * least]):
            if other not in row:
                row[other] = dots[other][number] = _dot(vector, vectors[other])
    return dots


def _heaviest(vector: Vector, spared: float) -> list[int]:
    """Features of a vector without the lightest ones, whose norm is less than `spared` together."""
    spare = spared * spared
    ranked = sorted([(value, feature) for feature, value in vector.items()])
    for start, (value, _) in enumerate(ranked):
        spare -= value * value
        if spare < 0:
            return [feature for _, feature in ranked[start:]]
    return []


def agglomerate(squares: Sequence[float], dots: Dots, least: float) -> list[list[int]]:
    """Merges the two clusters whose sums have the highest cosine until none reaches `least`; the clusters, each sorted.

    `squares`: each vector's dot product with itself. `dots` is used up. Equal cosines: the pair with the lower numbers
    first, so that the result follows from the vectors and their order alone.
    """
    squares = list(squares)
    norms = [sqrt(square) for square in squares]
    members: list[list[int]] = [[number] for number in range(len(squares))]
    stamps = [0] * len(squares)
    heap = [
        (-dot / (norms[a] * norms[b]), a, b, 0, 0)
        for a, row in enumerate(dots)
        for b, dot in row.items()
        if a < b and dot >= least * norms[a] * norms[b]
    ]
    heapq.heapify(heap)
    while heap:
        _, a, b, seen_a, seen_b = heapq.heappop(heap)
        if stamps[a] != seen_a or stamps[b] != seen_b:
            continue
        squares[a] += squares[b] + 2 * dots[a][b]
        norms[a] = sqrt(squares[a])
        members[a] += members[b]
        members[b] = []
        stamps[a] += 1
        stamps[b] = -1
        for other, dot in _join(dots, a, b).items():
            if dot >= least * norms[a] * norms[other]:
                low, high = (a, other) if a < other else (other, a)
                heapq.heappush(heap, (-dot / (norms[a] * norms[other]), low, high, stamps[low], stamps[high]))
    return [sorted(each) for each in members if each]


def _join(dots: Dots, a: int, b: int) -> dict[int, float]:
    """Moves row `b` into row `a`, here and in every other row."""
    gone, row = dots[b], dots[a]
    del row[b], gone[a]
    for other, dot in gone.items():
        theirs = dots[other]
        del theirs[b]
        theirs[a] = row[other] = row.get(other, 0.0) + dot
    dots[b] = {}
    return row


def _dot(a: Vector, b: Vector) -> float:
    if len(b) < len(a):
        a, b = b, a
    return sum([value * b[feature] for feature, value in a.items() if feature in b])
