"""What finds: the index over what the store holds, and models of meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from diarist.model.hit import Frequencies, Match, Query
from diarist.model.record import Change, Record, SearchText
from diarist.model.redacted import Redacted


class Index(Protocol):
    """Derived full-text search over the store's records."""

    def position(self) -> int:
        """Change-log `seq` up to which it is current; 0 for a new one."""
        ...

    def apply(self, changes: Iterable[tuple[Record, SearchText] | Change], position: int) -> None:
        """Brings it up to `position` in one commit. A `Change` among the items removes that record's earlier versions.

        Raises IndexUnavailableError where another process is writing.
        """
        ...

    def search(self, query: Query, limit: int) -> list[Match]:
        """Best first; equal scores by seq, newest first."""
        ...

    def frequencies(self, terms: Sequence[str], *, errors_only: bool = False) -> Frequencies:
        """How common analysed terms are: what tells a rare word from a common one."""
        ...

    def term_scores(self, seq: int, terms: Sequence[str]) -> dict[str, float]:
        """What each of the terms adds to the score of the record; those it does not hold are left out."""
        ...

    def suggest(self, term: str) -> list[str]:
        """Indexed words a typo away, best first."""
        ...

    def check(self) -> list[str]:
        """What is wrong with its own stored form, one line each; empty where it is sound."""
        ...

    def record_count(self) -> int:
        """Records it holds now."""
        ...

    def beside_removed(self) -> list[int]:
        """`seq` of the records that lie in one part of it with removed ones, whose words are still stored there."""
        ...

    def is_pure(self) -> bool:
        """Tidies up; True where nothing of removed records is stored any more."""
        ...

    def renewed(self) -> AbstractContextManager[Index]:
        """An empty index that takes this one's place when the block is left normally; until then this one is searched.

        Raises IndexUnavailableError where it cannot be written.
        """
        ...

    def close(self) -> None:
        """Lets go of the write lock and the files; it is of no use afterwards."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one length. Assumes no runtime."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        """One vector of `dimensions` numbers for each text, in their order. Raises ModelError."""
        ...
