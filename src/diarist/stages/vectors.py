"""Vectors, small and compared exactly: eight bits a number, cosine with all of them. Pure.

A vector is kept as its length and one signed byte a number, a quarter of its usual size. The cosine of two vectors differs from that
of the originals by less than a hundredth. With NumPy a hundred thousand vectors are compared in a few hundredths of a second; without
it plain Python does the same, a hundred times slower.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import isfinite, sqrt
from operator import mul
from struct import pack_into, unpack_from
from typing import Any

from diarist.errors import InvalidInputError

_HEAD = 4
"""Bytes before the numbers: the vector's length as a 32-bit float, little-endian."""
_STEPS = 127


def pack(vector: Sequence[float]) -> bytes:
    """The vector in its small form.

    Raises
    ------
    InvalidInputError
        It has no direction: it is empty or all zeros, or holds what is no number.
    """
    most = max((abs(number) for number in vector), default=0.0)
    if not most or not isfinite(sum(vector)):
        raise InvalidInputError("a vector of zeros, or of what are no numbers, has no direction")
    numbers = array("b", (round(_STEPS * number / most) for number in vector))
    packed = bytearray(_HEAD) + numbers.tobytes()
    pack_into("<f", packed, 0, sqrt(sum(number * number for number in numbers)))
    return bytes(packed)


def size_of(packed: bytes) -> int:
    """How many numbers a packed vector holds; 0 for an empty one."""
    return max(0, len(packed) - _HEAD)


class Table:
    """Vectors of one model, each belonging to something with a name; something may have several, and the best one counts."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._numpy = find_spec("numpy") is not None
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._owners = array("i")
        self._packed = bytearray()
        self._matrix: Any = None

    def __len__(self) -> int:
        return len(self._owners)

    def add(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Adds named vectors; those of another size are left out."""
        self._matrix = None  # it looks into `_packed`, which could not grow
        for name, packed in rows:
            if size_of(packed) == self._dimensions:
                self._owners.append(self._numbers.setdefault(name, len(self._numbers)))
                self._packed += packed
        self._names = list(self._numbers)

    def best(self, vector: Sequence[float], limit: int, allowed: frozenset[str] | None = None) -> list[tuple[str, float]]:
        """The names whose vectors point most nearly the same way, with the cosine, best first; equal ones by name."""
        if not self._owners or len(vector) != self._dimensions or limit < 1:
            return []
        length = sqrt(sum(number * number for number in vector)) or 1.0
        find = self._best_fast if self._numpy else self._best_plain
        found = [(self._names[number], score) for number, score in find(vector, length, limit, allowed)]
        return sorted(found, key=lambda each: (-each[1], each[0]))[:limit]

    def _best_fast(self, vector: Sequence[float], length: float, limit: int, allowed: frozenset[str] | None) -> list[tuple[int, float]]:
        """Numbers of names with the best cosine of each: the best `limit`, and all that equal the last of them."""
        np: Any = import_module("numpy")
        scores = self._scores(np, np.asarray(vector, np.float32) / np.float32(length))
        numbers = np.arange(len(scores))
        if allowed is not None:
            numbers = np.array([self._numbers[name] for name in allowed if name in self._numbers], np.int64)
        chosen = scores[numbers]
        if len(chosen) > limit:
            least = np.partition(chosen, len(chosen) - limit)[len(chosen) - limit]
            numbers, chosen = numbers[chosen >= least], chosen[chosen >= least]
        return list(zip(numbers.tolist(), chosen.tolist(), strict=True))

    def _scores(self, np: Any, asked: Any) -> Any:
        """The best cosine of each name, in the order of names."""
        if self._matrix is None:
            form = np.dtype([("length", "<f4"), ("numbers", "i1", (self._dimensions,))])
            self._matrix = np.frombuffer(self._packed, form)
        cosines = np.empty(len(self._matrix), np.float32)
        for start in range(0, len(self._matrix), _BLOCK):
            rows = self._matrix[start : start + _BLOCK]
            cosines[start : start + _BLOCK] = rows["numbers"].astype(np.float32) @ asked / rows["length"]
        if len(self._names) == len(cosines):  # one passage each, in the order of names
            return cosines
        best = np.full(len(self._names), -1.0, np.float32)
        np.maximum.at(best, np.frombuffer(self._owners, np.int32), cosines)
        return best

    def _best_plain(self, vector: Sequence[float], length: float, limit: int, allowed: frozenset[str] | None) -> list[tuple[int, float]]:
        best = [-1.0] * len(self._names)
        size = _HEAD + self._dimensions
        for at, owner in enumerate(self._owners):
            row = self._packed[at * size : (at + 1) * size]
            score = sum(map(mul, vector, array("b", bytes(row[_HEAD:])))) / (length * unpack_from("<f", row)[0])
            best[owner] = max(best[owner], score)
        found = [(number, score) for number, score in enumerate(best) if allowed is None or self._names[number] in allowed]
        found.sort(key=lambda each: -each[1])
        return [each for each in found if len(found) <= limit or each[1] >= found[limit - 1][1]]


_BLOCK = 1_024
"""Rows that are turned into floats at a time: they stay in the processor's cache."""
