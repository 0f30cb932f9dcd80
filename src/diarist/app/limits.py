"""A workspace seen through a key of one project: what belongs to another project is not there.

Both wrappers let through what is named here and refuse everything else, so that what a port gains later is closed until
somebody has thought about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from diarist.app.indexing import catch_up
from diarist.errors import AccessError, IndexUnavailableError, NotFoundError

if TYPE_CHECKING:
    from datetime import datetime

    from diarist.model.hit import Frequencies, HitRow, Match, Query
    from diarist.model.record import HistoryEvent, Record, RecordFilter, SearchText
    from diarist.model.use import Scope, Use
    from diarist.ports import Index, Store, Transaction

MOST_CANDIDATES = 500
_OPEN_READS = frozenset(
    (
        "last_seq",
        "get_parts",
        "get_source",
        "get_spending",
        "tombstone_key",
        "close",
        "find_named_chunks",
        "find_answer",
        "tombstones",
        "find_vector_end",
        "list_vectors",
        "list_ids_by_seq",
        "count_unembedded",
        "list_names_of",
        "list_holders",
        "compares_vectors",
        "list_nearest",
    )
)
"""Of the store: they tell nothing of another project to somebody who does not know it already."""
_OPEN_WRITES = frozenset(("put_part", "clear_dirty", "add_spending", "put_delivery", "delete_delivery", "put_answer", "delete_answers"))


def limit_store(store: Store, project: str) -> Store:
    """The store as a key of one project sees it."""
    return cast("Store", _LimitedStore(store, project))


def limit_index(index: Index, store: Store, project: str) -> Index:
    """The index as a key of one project sees it; `store` is the whole one, which the index is kept in step with."""
    return cast("Index", _LimitedIndex(index, store, project))


def _refuse(name: str) -> AccessError:
    return AccessError(f"a key of one project cannot do this ({name}); use one without a project")


class _LimitedStore:
    def __init__(self, store: Store, project: str) -> None:
        self._store = store
        self._project = project

    def __getattr__(self, name: str) -> Any:
        if name in _OPEN_READS:
            return getattr(self._store, name)
        raise _refuse(name)

    @contextmanager
    def transaction(self, *, actor: str, at: datetime) -> Iterator[Transaction]:
        with self._store.transaction(actor=actor, at=at) as tx:
            yield cast("Transaction", _LimitedTransaction(tx, self._store, self._project))

    def get_record(self, record_id: str) -> Record | None:
        record = self._store.get_record(record_id)
        return record if record is not None and record.project == self._project else None

    def get_records(self, seqs: Sequence[int]) -> dict[int, Record]:
        return {seq: record for seq, record in self._store.get_records(seqs).items() if record.project == self._project}

    def get_hits(self, seqs: Sequence[int]) -> list[HitRow]:
        return [row for row in self._store.get_hits(seqs) if row.project == self._project]

    def get_search_text(self, record_id: str) -> SearchText | None:
        return self._store.get_search_text(record_id) if self.get_record(record_id) else None

    def find_ids(self, wanted: str, kinds: Sequence[str] = ()) -> list[str]:
        found = self._store.find_ids(wanted, kinds)[:MOST_CANDIDATES]
        return [each for each in found if self.get_record(each) is not None]

    def list_records(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[Record]:
        return self._store.list_records(narrowed, sort=sort, limit=limit) if (narrowed := self._narrow(where)) else iter(())

    def list_bodies(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[tuple[str, str, bytes]]:
        return self._store.list_bodies(narrowed, sort=sort, limit=limit) if (narrowed := self._narrow(where)) else iter(())

    def list_gists(
        self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None
    ) -> Iterator[tuple[str, str, bytes, bytes]]:
        return self._store.list_gists(narrowed, sort=sort, limit=limit) if (narrowed := self._narrow(where)) else iter(())

    def count_records(self, where: RecordFilter) -> int:
        return self._store.count_records(narrowed) if (narrowed := self._narrow(where)) else 0

    def count_entries(self, since: datetime, project: str | None = None) -> Any:
        return self._store.count_entries(since, self._project) if project in (None, self._project) else []

    def get_changes(self, after: int, limit: int = 1000) -> Any:  # noqa: ARG002 - as the port has it
        raise IndexUnavailableError("the change log is read for all projects at once")

    def get_history(self, record_id: str | None = None, *, after: int = 0) -> Iterator[HistoryEvent]:
        if record_id is None:
            raise _refuse("the history of every record")
        return self._store.get_history(record_id, after=after) if self.get_record(record_id) else iter(())

    def list_uses(self, record_id: str | None = None, limit: int = 1000) -> list[Use]:
        if record_id is not None:
            return self._store.list_uses(record_id, limit) if self.get_record(record_id) else []
        return [use for use in self._store.list_uses(None, limit) if self.get_record(use.record_id)]

    def list_uses_of_sessions(self, sessions: Sequence[str]) -> list[Use]:
        return [use for use in self._store.list_uses_of_sessions(sessions) if self.get_record(use.record_id)]

    def count_uses(self) -> list[Any]:
        return []  # it counts over all projects

    def count_shown(self, record_id: str) -> Any:
        if self.get_record(record_id) is None:
            raise NotFoundError(f"nothing has the id {record_id!r}")
        return self._store.count_shown(record_id)

    def list_effects(self, record_id: str) -> list[Any]:
        return list(self._store.list_effects(record_id)) if self.get_record(record_id) else []

    def list_tallies(self, record_ids: Sequence[str] | None = None, limit: int = 10) -> list[Any]:
        found = self._store.list_tallies(record_ids, limit if record_ids is not None else MOST_CANDIDATES)
        return [tally for tally in found if self.get_record(tally.record_id)][: limit if record_ids is None else None]

    def list_seqs_of(self, record_ids: Sequence[str]) -> dict[str, int]:
        return {each: seq for each, seq in self._store.list_seqs_of(record_ids).items() if self.get_record(each)}

    def count_embeddings(self) -> list[Any]:
        return []  # it counts over all projects

    def list_corrections(self, targets: Sequence[str] | None = None) -> list[Any]:
        if targets is None:
            raise _refuse("every correction")
        return list(self._store.list_corrections([target for target in targets if self.get_record(target)]))

    def list_scopes(self) -> list[Scope]:
        return [scope for scope in self._store.list_scopes() if scope.project == self._project]

    def get_publication(self, record_id: str, kind: str) -> str | None:
        return self._store.get_publication(record_id, kind)

    def find_publication(self, kind: str, path: str) -> str | None:
        return self._store.find_publication(kind, path)  # names are unique over projects; a name alone opens nothing

    def list_publications(self, record_id: str) -> list[tuple[str, str]]:
        return self._store.list_publications(record_id) if self.get_record(record_id) else []

    def _narrow(self, where: RecordFilter) -> RecordFilter | None:
        from msgspec.structs import replace

        return replace(where, project=self._project) if where.project in (None, self._project) else None


class _LimitedTransaction:
    def __init__(self, tx: Transaction, store: Store, project: str) -> None:
        self._tx = tx
        self._store = store
        self._project = project

    def __getattr__(self, name: str) -> Any:
        if name in _OPEN_WRITES:
            return getattr(self._tx, name)
        raise _refuse(name)

    def put_record(self, record: Record, search: SearchText, *, action: str = "", rewrite: bool = False) -> bool:
        known = self._store.get_record(record.id)
        if record.project != self._project or (known is not None and known.project != self._project):
            raise AccessError("a key of one project cannot write into another")
        return self._tx.put_record(record, search, action=action, rewrite=rewrite)

    def put_records(self, wanted: Sequence[tuple[Record, SearchText, str]]) -> list[bool]:
        return [self.put_record(record, search, action=action) for record, search, action in wanted]

    def set_status(self, record_id: str, status: str, *, action: str) -> bool:
        self._check(record_id)
        return self._tx.set_status(record_id, status, action=action)

    def put_publication(self, record_id: str, kind: str, path: str) -> None:
        self._check(record_id)
        self._tx.put_publication(record_id, kind, path)

    def add_use(self, use: Any) -> bool:
        self._check(use.record_id)
        return self._tx.add_use(use)

    def replace_uses_read_off(self, session: str, uses: Sequence[Any]) -> None:
        """Nothing: what a transcript tells is read off it by whoever imports it."""

    def replace_effects(self, session: str, effects: Sequence[Any]) -> None:
        """What came of other projects' records in the session stays."""
        others = [each for each in self._store.list_effects_of_session(session) if not self._is_mine(each.record_id)]
        self._tx.replace_effects(session, [*effects, *others])

    def _is_mine(self, record_id: str) -> bool:
        known = self._store.get_record(record_id)
        return known is not None and known.project == self._project

    def _check(self, record_id: str) -> None:
        known = self._store.get_record(record_id)
        if known is None or known.project != self._project:
            raise AccessError("a key of one project cannot write into another")


class _LimitedIndex:
    def __init__(self, index: Index, store: Store, project: str) -> None:
        self._index = index
        self._store = store
        self._project = project

    def position(self) -> int:
        with suppress(IndexUnavailableError):  # another process is writing it; the caller sees how far behind it is
            catch_up(self._store, self._index)
        return self._index.position()

    def search(self, query: Query, limit: int) -> list[Match]:
        if query.project not in (None, self._project):
            return []
        return self._index.search(query._replace(project=self._project), limit)

    def frequencies(self, terms: Sequence[str], *, errors_only: bool = False) -> Frequencies:
        return self._index.frequencies(terms, errors_only=errors_only)

    def suggest(self, term: str) -> list[str]:  # noqa: ARG002 - words of other projects are not told
        return []

    def record_count(self) -> int:
        return self._index.record_count()

    def check(self) -> list[str]:
        return self._index.check()

    def term_scores(self, seq: int, terms: Sequence[str]) -> dict[str, float]:
        return self._index.term_scores(seq, terms)

    def apply(self, *_: object) -> None:
        raise IndexUnavailableError("the search index is written for all projects at once; it will be brought up to date later")

    def renewed(self) -> None:
        self.apply()

    def close(self) -> None:
        self._index.close()
