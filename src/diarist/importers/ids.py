"""A set of ids that costs little while it is small and little memory once it is large, and that a checkpoint can hold."""

from __future__ import annotations

from array import array
from sys import byteorder

from diarist.importers.hash_table import HashTable, in_order
from diarist.importers.values import hash64, text64

MOST_TEXTS = 1 << 16
"""So many ids are kept as they are; then they are hashed, which takes longer and a small part of the memory."""


class Ids:
    """Ids met so far. Those of earlier passes are hashes, as the checkpoint holds them; those of this pass are too, once they are many."""

    __slots__ = ("_hashes", "_texts")

    def __init__(self, hashes: set[int] | None = None) -> None:
        self._texts: set[str] = set()
        self._hashes: set[int] | HashTable | None = hashes

    def add(self, id_: str) -> bool:
        """Takes an id in; False if it was there."""
        texts = self._texts
        if id_ in texts or (self._hashes and hash64(id_) in self._hashes):
            return False
        texts.add(id_)
        if len(texts) > MOST_TEXTS:
            self._settle()
        return True

    def __contains__(self, id_: str) -> bool:
        return id_ in self._texts or (bool(self._hashes) and hash64(id_) in (self._hashes or ()))

    def __len__(self) -> int:
        return len(self._texts) + len(self._hashes or ())

    def update(self, other: Ids) -> None:
        """Takes in all ids of another set."""
        if self._hashes or other._hashes:
            self._settle().update(other._settle())
        else:
            self._texts |= other._texts

    def count_common(self, other: Ids) -> int:
        """How many ids both hold."""
        if self._hashes or other._hashes:
            fewer, more = sorted((self._settle(), other._settle()), key=len)
            return sum(map(more.__contains__, fewer))
        return len(self._texts & other._texts)

    def pack(self) -> bytes:
        """Hashes of the ids, sorted: the same for the same ids."""
        if not self:
            return b""
        packed = in_order(self._settle())
        if byteorder == "big":
            packed.byteswap()
        return packed.tobytes()

    @classmethod
    def unpack(cls, data: bytes) -> Ids:
        """What `pack` gave."""
        packed = array("Q")
        packed.frombytes(data)
        if byteorder == "big":
            packed.byteswap()
        return cls(set(packed))

    def _settle(self) -> set[int] | HashTable:
        """All of them, hashed."""
        if self._hashes is None:
            self._hashes = set()
        self._hashes.update(map(text64, self._texts))
        self._texts.clear()
        if isinstance(self._hashes, set) and len(self._hashes) > MOST_TEXTS:
            self._hashes = HashTable(self._hashes)
        return self._hashes
