"""Embeddings: derived of the records' search texts, tagged with the model that made them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from diarist.model.machinery import Spending
    from diarist.model.record import SearchText
    from diarist.stores.database import Database, Row
    from diarist.stores.queries import Queries

MOST_EXACT = 100_000
"""Vectors of a model up to which every one is compared; above, an index finds nearly all of the nearest, many times faster."""
MOST_INDEXED_DIMENSIONS = 4_000
HEAD_BYTES = 4
"""Of a packed vector, before its numbers."""
PASSAGES_EACH, LEAST_REACHED, MOST_REACHED = 4, 100, 1_000
NOT_OURS = "an index of the vectors is wanted; run `diarist status` or a worker as the database's owner"


class VectorReads:
    """Mixed into `SqlStore`."""

    _database: Database
    _queries: Queries
    _tenant: str
    _compares: bool | None = None

    def list_unembedded(self, model: str, limit: int) -> list[tuple[str, int, SearchText]]:
        """Records whose present text this model has not seen, newest first: id, the change that brought the text, the text."""
        from diarist.stores.rows import json_to_search

        found = self._fetch("list_unembedded", model=model, limit=limit)
        return [(row[0], row[1], json_to_search(row[2])) for row in found if row[2] is not None]

    def count_unembedded(self, model: str) -> int:
        """How many records wait for this model."""
        return int(self._fetch("count_unembedded", model=model)[0][0])

    def count_embeddings(self) -> list[tuple[str, int, int]]:
        """By model: how many records it has seen, and how many rows that are."""
        return [(row[0], row[1], row[2]) for row in self._fetch("count_embeddings")]

    def find_vector_end(self, model: str) -> tuple[int, int]:
        """How many rows a model has, and the number of the last one."""
        row = self._fetch("find_vector_end", model=model)[0]
        return int(row[0]), int(row[1])

    def list_vectors(self, model: str, after: int = 0) -> list[tuple[str, bytes]]:
        """Record id and packed vector of each passage made since `after`; an empty vector marks a record without text."""
        found = self._fetch("list_vectors_after", model=model, after=after) if after else self._fetch("list_vectors", model=model)
        return [(row[0], bytes(row[1])) for row in found]

    def compares_vectors(self) -> bool:
        """Does the database compare vectors itself (`list_nearest`)? Else whoever asks reads them all."""
        if self._compares is None and self._queries.find("find_meanings"):
            self._compares = bool(self._fetch("find_meanings")) or None  # asked again: it may come later
        return bool(self._compares)

    def list_nearest(
        self, model: str, asked: Sequence[float], limit: int, among: Sequence[str] | None
    ) -> tuple[list[tuple[str, float]], str]:
        """Records whose vectors point most nearly the same way, with the cosine, best first, and how: "exact" or "HNSW".

        `among`: ids of those that may be found; None: all. Only where `compares_vectors`.
        """
        vector = "[" + ",".join(f"{number:.7g}" for number in asked) + "]"
        scope = self._near_scope(model, len(asked))
        if among is None and (scope["index"], True) in self._near_indexes():
            return self._list_near(scope, vector, limit), "HNSW"
        told = {"model": model, "asked": vector, "size": len(asked) + HEAD_BYTES, "limit": limit}
        found = self._fetch("list_nearest", **told, every=among is None, ids=json.dumps(list(among or ())))
        return [(row[0], float(row[1])) for row in found], "exact"

    def tend_vectors(self, model: str, dimensions: int, most_exact: int = MOST_EXACT) -> str:
        """Makes the index of a model that has more than `most_exact` vectors, and drops those that nobody needs. What was done, in words.

        Raises StoreError.
        """
        if not self.compares_vectors() or not 0 < dimensions <= MOST_INDEXED_DIMENSIONS:
            return ""
        rows, _ = self.find_vector_end(model)
        scope, known = self._near_scope(model, dimensions), self._near_indexes()
        wanted = rows > most_exact
        stale = [name for name, whole in known if name != scope["index"] or not whole or not wanted]
        for name in stale:
            if not self._database.define(self._queries.fill("drop_near_index", index=name)):
                return NOT_OURS
        if not wanted or (scope["index"], True) in known:
            return ""
        made = self._database.define(self._queries.fill("make_near_index", **scope))
        return f"an index of {rows:,} vectors was made" if made else NOT_OURS

    def _list_near(self, scope: dict[str, str], vector: str, limit: int) -> list[tuple[str, float]]:
        """From the index: each record by its best passage."""
        wanted = min(PASSAGES_EACH * limit, MOST_REACHED)
        sql = self._queries.fill("list_near", **scope)

        def look() -> list[Row]:
            self._fetch("set_near", reach=str(max(wanted, LEAST_REACHED)))
            return self._database.fetch(sql, {"asked": vector, "limit": wanted})

        best: dict[str, float] = {}
        for record_id, cosine in self._database.snapshot(look):
            best[record_id] = max(best.get(record_id, -1.0), float(cosine))
        return sorted(best.items(), key=lambda each: (-each[1], each[0]))[:limit]

    def _near_indexes(self) -> list[tuple[str, bool]]:
        """Name of each index of this tenant's vectors, and whether it is whole."""
        return [(row[0], bool(row[1])) for row in self._fetch("list_near_indexes", prefix=self._near_prefix())]

    def _near_prefix(self) -> str:
        import hashlib  # of use to PostgreSQL alone, and a cold search counts milliseconds

        return f"embeddings_near_{hashlib.sha256(self._tenant.encode()).hexdigest()[:12]}_"

    def _near_scope(self, model: str, dimensions: int) -> dict[str, str]:
        """Slots of the queries about one model's index: a plan uses it only where they stand in the text."""
        import hashlib  # of use to PostgreSQL alone, and a cold search counts milliseconds

        named = hashlib.sha256(f"{model}\0{dimensions}".encode()).hexdigest()[:12]
        told = {"tenant": _literal(self._tenant), "model": _literal(model)}
        return {**told, "index": self._near_prefix() + named, "dimensions": str(dimensions), "size": str(dimensions + HEAD_BYTES)}

    def list_seqs_of(self, record_ids: Sequence[str]) -> dict[str, int]:
        """By id, the `seq` under which the search index knows a record now; those that are gone are left out."""
        return {row[0]: row[1] for row in self._fetch("list_seqs_of", ids=json.dumps(list(record_ids)))}

    def list_ids_by_seq(self, seqs: Sequence[int]) -> set[str]:
        """Ids of the records that these changes were of."""
        return {row[0] for row in self._fetch("list_ids_by_seq", seqs=json.dumps(list(seqs)))}

    def get_spending_of(self, day: str, role: str) -> Spending:
        """What calls to models for one purpose cost on a UTC day."""
        from diarist.model.machinery import Spending

        return Spending(*self._fetch("sum_spending_of", day=day, role=role)[0])

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        raise NotImplementedError


class VectorWrites:
    """Mixed into `SqlTransaction`."""

    _at: datetime

    def put_vectors(self, model: str, record_id: str, body_seq: int, vectors: Sequence[bytes]) -> bool:
        """Keeps the packed vectors of a record's passages in the place of those it had; an empty one marks a record without text.

        False where the record has another text by now, or is gone: then nothing is kept.
        """
        from diarist.stores.rows import to_micros

        known = self._fetch("find_body_seq", record_id=record_id)
        if not known or known[0][0] != body_seq:
            return False
        self._execute("delete_vectors", model=model, record_id=record_id)
        # Counted on from the clock: a number that was given to a vector which is gone is never given again.
        number = max(int(self._fetch("find_last_number", model=model)[0][0]) + 1, to_micros(self._at))
        row = {"model": model, "record_id": record_id, "body_seq": body_seq}
        for passage, vector in enumerate(vectors):
            self._execute("add_vector", **row, passage=passage, number=number + passage, vector=vector)
        return True

    def keep_vectors_of(self, model: str) -> int:
        """Forgets what other models made; returns how many rows went."""
        return self._execute("delete_other_models", model=model)

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        raise NotImplementedError

    def _execute(self, name: str, **parameters: object) -> int:
        raise NotImplementedError


def _literal(text: str) -> str:
    """A text as SQL spells it."""
    return "'" + text.replace("'", "''") + "'"
