"""Embeddings: derived of the records' search texts, tagged with the model that made them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from diarist.model.machinery import Spending
    from diarist.model.record import SearchText
    from diarist.stores.database import Row


class VectorReads:
    """Mixed into `SqlStore`."""

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
