"""Very many 64-bit numbers, in a few bytes each: a set of Python's takes eight times as much."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

_FIRST = 1 << 17
"""Places of the smallest table. A power of two, as all are."""


class HashTable:
    """A set of hashes: an open table with at least a third of its places free. They must be spread evenly, as hashes are."""

    __slots__ = ("_count", "_has_zero", "_mask", "_places")

    def __init__(self, hashes: Iterable[int] = ()) -> None:
        self._count = 0
        self._has_zero = False
        self._mask = _FIRST - 1
        self._places = array("Q", bytes(8 * _FIRST))
        self.update(hashes)

    def add(self, number: int) -> None:
        """Takes a number in."""
        if not number:
            self._has_zero = True
            return
        places, mask = self._places, self._mask
        at = number & mask
        while held := places[at]:
            if held == number:
                return
            at = (at + 1) & mask
        places[at] = number
        self._count += 1
        if 3 * self._count > 2 * mask:
            self._grow()

    def update(self, hashes: Iterable[int]) -> None:
        """Takes many in."""
        for number in hashes:
            self.add(number)

    def __contains__(self, number: int) -> bool:
        places, mask = self._places, self._mask
        at = number & mask
        if not number:
            return self._has_zero
        while held := places[at]:
            if held == number:
                return True
            at = (at + 1) & mask
        return False

    def __len__(self) -> int:
        return self._count + self._has_zero

    def __iter__(self) -> Iterator[int]:
        if self._has_zero:
            yield 0
        yield from filter(None, self._places)

    def _grow(self) -> None:
        held = self._places
        self._mask = 2 * self._mask + 1
        self._places = array("Q", bytes(8 * (self._mask + 1)))
        self._count = 0
        self.update(filter(None, held))


def in_order(hashes: set[int] | HashTable) -> array[int]:
    """The numbers in order, without a list of all of them where they are many."""
    if len(hashes) < _FIRST:
        return array("Q", sorted(hashes))
    parts = [array("Q") for _ in range(256)]
    for number in hashes:
        parts[number >> 56].append(number)
    found = array("Q")
    for part in parts:
        found.extend(sorted(part))
    return found
