"""Search by meaning beside search by words: the nearest vectors as a second ranked list, and which mode an answer was really made in."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from diarist.app.embedding import NO_MODEL, reserve
from diarist.errors import DiaristError, ReadOnlyError, UsageError
from diarist.model.hit import Match, Query
from diarist.stages.vectors import Table

if TYPE_CHECKING:
    from diarist.app.toolbox import Embedders, Toolbox
    from diarist.ports import Index, Store

MODES = ("bm25", "hybrid")
MOST_ALLOWED = 1_000_000
_LEAST = 0.0
"""Cosine above which a record may be listed at all."""


class Ask:
    """One question that may be looked up by meaning too. After the search, `mode` and `reason` say what was done and why."""

    def __init__(self, box: Toolbox, query: str, wanted: str | None) -> None:
        self.mode = "bm25"
        self.reason = ""
        self._box = box
        self._vector: list[float] = []
        self._end = 0
        self._embedders: Embedders | None = None
        asked = wanted or str(box.settings.get("search.mode"))
        if asked not in MODES:
            raise UsageError(f"there is no search mode {asked!r}; use one of {', '.join(MODES)}")
        if asked == "bm25":
            self.reason = "asked for" if wanted else "search.mode is bm25"
            return
        try:
            self._prepare(query)
        except DiaristError as error:
            self.reason = f"hybrid was wanted, but {error}"

    @property
    def ready(self) -> bool:
        """True where `second` can be asked."""
        return bool(self._vector)

    def _prepare(self, query: str) -> None:
        embedders = self._box.embedders()
        if embedders is None:
            self.reason = f"hybrid was wanted, but {NO_MODEL}"
            return
        made, self._end = self._box.store.find_vector_end(embedders.name)
        if not made:
            self.reason = f"hybrid was wanted, but {embedders.name} has embedded no record yet"
            return
        text = self._box.reader().redactor.redact(query)
        with suppress(ReadOnlyError):  # a question is short: where it cannot be counted, it is asked all the same
            if embedders.costs and not reserve(self._box, len(text) // 3 + 1):
                self.reason = "hybrid was wanted, but the day's tokens for embeddings are used up (vectors.daily_tokens)"
                return
        (vector,) = embedders.queries.embed([text])
        self._embedders, self._vector = embedders, vector
        self.reason = "hybrid was wanted, but errors are looked up by their fingerprints and words"  # unless `second` is called

    def second(self, query: Query, depth: int) -> Sequence[Match]:
        """The records nearest in meaning that pass the filters of the query, best first."""
        assert self._embedders is not None
        store, name = self._box.store, self._embedders.name
        allowed = _allowed(store, self._box.search_index(), query, whole=self._box.whole is not None)
        kept = _kept_of(store, name, len(self._vector))
        if store.compares_vectors():
            nearest, way = store.list_nearest(name, self._vector, 2 * depth, None if allowed is None else sorted(allowed))
            by = f", compared by pgvector ({way})"
        else:
            kept = _current(store, name, len(self._vector))
            nearest, by = kept.best(self._vector, 2 * depth, allowed), ""
        found = [each for each in nearest if each[1] > _LEAST]
        seqs = store.list_seqs_of([record_id for record_id, _ in found])
        left = kept.count_left(store, name, self._end)
        self.mode = "hybrid"
        self.reason = f"words and {name} by reciprocal-rank fusion{by}" + (f"; {left:,} records are not embedded yet" if left else "")
        return [Match(seqs[record_id], score) for record_id, score in found if record_id in seqs][:depth]


def _allowed(store: Store, index: Index, query: Query, *, whole: bool) -> frozenset[str] | None:
    """Ids of the records that pass the filters and phrases of a query; None: all of them. Not `whole`: the index shows one project."""
    filters = query._replace(terms=())
    if whole and filters == Query():
        return None
    return frozenset(store.list_ids_by_seq([match.seq for match in index.search(filters, MOST_ALLOWED)]))


class _Kept:
    """The vectors of one model, as far as this process has read them."""

    def __init__(self, dimensions: int) -> None:
        self.table = Table(dimensions)
        self.rows, self.end = 0, 0
        self._left = (-1, -1, 0)
        self._turn = threading.Lock()

    def add(self, rows: Sequence[tuple[str, bytes]]) -> None:
        """Adds vectors; no search goes on meanwhile."""
        with self._turn:
            self.table.add(rows)

    def best(self, vector: Sequence[float], limit: int, allowed: frozenset[str] | None) -> list[tuple[str, float]]:
        """As `Table.best`."""
        with self._turn:
            return self.table.best(vector, limit, allowed)

    def count_left(self, store: Store, model: str, end: int) -> int:
        """How many records are not embedded; counted anew only where something was written since. `end`: number of the last vector."""
        state = (store.last_seq(), end)
        if self._left[:2] != state:
            self._left = (*state, store.count_unembedded(model))
        return self._left[2]


_kept: dict[tuple[bytes, str], _Kept] = {}
"""By workspace (its secret is its own) and model, the one used last at the end."""
_MOST_KEPT = 8
_turn = threading.Lock()


def _kept_of(store: Store, model: str, dimensions: int) -> _Kept:
    """What is known of a model's vectors; they need not have been read."""
    with _turn:
        key = (store.tombstone_key(), model)
        kept = _kept.pop(key) if key in _kept else _Kept(dimensions)
        _kept[key] = kept
        for old in list(_kept)[:-_MOST_KEPT]:
            del _kept[old]
        return kept


def _current(store: Store, model: str, dimensions: int) -> _Kept:
    """The vectors of a model, brought up to date: what is new is added; where something went, they are read anew."""
    with _turn:
        key = (store.tombstone_key(), model)
        rows, end = store.find_vector_end(model)
        kept = _kept.pop(key, None)
        if kept is not None:
            _kept[key] = kept
        if kept is not None and (kept.rows, kept.end) == (rows, end):
            return kept
        new = store.list_vectors(model, kept.end) if kept is not None else []
        if kept is None or kept.rows + len(new) != rows:
            kept = _kept[key] = _Kept(dimensions)
            new = store.list_vectors(model)
            for old in list(_kept)[:-_MOST_KEPT]:
                del _kept[old]
        kept.add(new)
        kept.rows, kept.end = rows, end
        return kept
