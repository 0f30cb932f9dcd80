"""The entries of a huge synthesis, kept in a temporary file while it runs. What comes of them is the same."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, overload

import msgspec

from diarist.stages.synthesis import Item, Ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.ports import Scratch
    from diarist.stages.synthesis import Features


AT_HAND = 8192
"""Items that are kept decoded: a group is gone through several times, one group after the other."""


class SpilledItems(Ranked):
    """Items by their place in the order of hashed ids. Fill it with `put`, then `settle` it; each item is decoded when it is asked for."""

    def __init__(self, rows: Scratch) -> None:
        self._rows = rows
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = decode = msgspec.msgpack.Decoder(Item).decode
        self._at = functools.lru_cache(AT_HAND)(lambda place: decode(rows.get(place)))
        self._numbers: list[int] = []
        """The numbers of features, each once: an item that is kept keeps no numbers of its own."""

    def put(self, item: Item) -> None:
        """Takes an item in."""
        self._rows.put(hashlib.sha256(item.id.encode()).digest(), self._encode(item))

    def settle(self) -> None:
        """No more come; now they can be read."""
        self._rows.settle()

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Item]:
        return map(self._decode, self._rows)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return self._at(place if place >= 0 else place + len(self))

    def features(self) -> Iterator[Features]:
        """Features of each item, in order."""
        numbers = self._numbers
        for item in self:
            if item.features and (most := max(item.features)) >= len(numbers):
                numbers.extend(range(len(numbers), most + 1))
            yield tuple(map(numbers.__getitem__, item.features))
