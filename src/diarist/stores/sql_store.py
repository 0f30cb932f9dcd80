"""The port `Store`, once, over named queries; a dialect brings a driver and its vocabulary.

Nothing here imports the model when it is loaded: a cold search asks for a few hits and must not pay for more.
"""

from __future__ import annotations

import json
import os
from array import array
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from diarist.errors import InvalidInputError, NotFoundError, StoreCorruptError, StoreError
from diarist.stores import hits
from diarist.stores.hub_tables import HubReads
from diarist.stores.moving import IMPORTING, Moves
from diarist.stores.queries import Queries, load
from diarist.stores.trust_tables import TombstoneGuard, TrustReads
from diarist.stores.use_tables import UseReads
from diarist.stores.vector_tables import VectorReads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from typing import Any, TypeVar

    from diarist.model.hit import HitRow
    from diarist.model.machinery import Delivery, Spending
    from diarist.model.record import Change, HistoryEvent, Part, Record, RecordFilter, SearchText, SourceState
    from diarist.model.use import Scope
    from diarist.stores.database import Database, Row
    from diarist.stores.sql_transaction import SqlTransaction

    T = TypeVar("T")

PAGE = 200
"""Rows fetched at a time where there may be many: memory stays bounded and no read stays open."""
SORTS = ("id", "created_at", "updated_at", "title", "outcome", "task_id")
NO_LIMIT = (1 << 63) - 1
FROM_THE_FIRST = " AND r.created_at > -9000000000000000000"
"""Holds for every record: leads the planner to the index by time, where it would sort all records for the newest few."""
COMMON_KINDS = frozenset(("entry", "observation", "memory"))
"""One for each run: all other kinds have an index of their own, which a query finds by saying that it wants none of these."""


class SqlStore(Moves, HubReads, TrustReads, UseReads, VectorReads):
    """One tenant's records, history, change log, evidence and sources. Safe to share between threads."""

    def __init__(
        self,
        database: Database,
        *,
        tenant: str = "local",
        random_bytes: Callable[[int], bytes] = os.urandom,
        make_gist: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """`make_gist`: the gist of an entry's JSON, which is kept beside it; None: none are kept."""
        self._database = database
        self._queries: Queries = load(database.dialect)
        self._tenant = tenant
        self._random_bytes = random_bytes
        self._make_gist = make_gist
        self._guard = TombstoneGuard(self._fetch)
        self._importing = False
        if not database.read_only:
            self._add_workspace()

    @contextmanager
    def transaction(self, *, actor: str, at: datetime) -> Iterator[SqlTransaction]:
        """Commits when left normally, rolls back on an exception. Reads in the same thread see what it wrote so far.

        Raises StoreLockedError, StoreFullError, ReadOnlyError.
        """
        from diarist.stores.sql_transaction import SqlTransaction

        if self._importing:
            raise StoreError(f"An import into {self._database.path} was not finished. Finish it: `diarist import FILE`.")
        guard = self._guard
        try:
            with self._database.transaction():
                made = SqlTransaction(
                    self._database, self._queries, self._tenant, self._random_bytes, self._make_gist, actor=actor, at=at, guard=guard
                )
                yield made
                made.finish()
        except BaseException:
            guard.forget()
            raise

    # Records

    def get_record(self, record_id: str) -> Record | None:
        """The record with exactly this id, whatever its status."""
        from diarist.stores.rows import row_to_record

        found = self._fetch("find_record", id=record_id)
        return self._decode(row_to_record, found[0]) if found else None

    def get_records(self, seqs: Sequence[int]) -> dict[int, Record]:
        """Records by a change of theirs, as they are now: a `seq` that is no longer the newest still finds its record.

        Missing ones are left out.
        """
        from diarist.stores.rows import row_to_record

        found = self._fetch("list_records_by_seq", seqs=_json_numbers(seqs))
        return {row[0]: self._decode(row_to_record, row[1:]) for row in found}

    def get_hits(self, seqs: Sequence[int]) -> list[HitRow]:
        """What a result list shows of the records, in the order of `seqs`; missing and retracted ones are left out."""
        found = {row[0]: row for row in self._fetch("list_hits", seqs=_json_numbers(seqs))}
        return [self._decode(hits.row_to_hit, found[seq]) for seq in seqs if seq in found]

    def get_bodies(self, seqs: Sequence[int]) -> dict[int, bytes]:
        """Bodies of the records by a change of theirs, as `get_records` finds them; missing ones are left out."""
        found = self._fetch("list_records_by_seq", seqs=_json_numbers(seqs))
        return {row[0]: hits.body_of(row[-1]) for row in found if row[-1] is not None}

    def get_search_text(self, record_id: str) -> SearchText | None:
        """What the index is fed for a record."""
        from diarist.stores.rows import json_to_search

        found = self._fetch("find_search_text", record_id=record_id)
        return self._decode(lambda row: json_to_search(row[0]), found[0]) if found else None

    def get_indexed(self, seqs: Sequence[int]) -> dict[int, tuple[Record, SearchText | None]]:
        """Records by a change of theirs, as `get_records` finds them, with what the index is told; None: changed since, or no text.

        Of kinds of which there is one for each run (entries, observations, memories) the body is left empty: it is most of the record,
        and not searched.
        """
        from diarist.stores.rows import row_to_indexed

        found = self._fetch("list_indexed", seqs=_json_numbers(seqs))
        return {row[0]: self._decode(row_to_indexed, row) for row in found}

    def find_ids(self, wanted: str, kinds: Sequence[str] = ()) -> list[str]:
        """Ids of active records with this id, this task id, or an id or task id that starts so, sorted.

        An exact id wins over an exact task id, and both over prefixes.
        """
        if not wanted:
            return []
        exact = [row for row in self._fetch("list_exact_ids", wanted=wanted) if not kinds or row[1] in kinds]
        if exact:
            return [row[0] for row in exact if row[2]] or [row[0] for row in exact]
        started = self._fetch("list_ids_with_prefix", wanted=wanted, beyond=wanted + "\U0010ffff")
        return [row[0] for row in started if not kinds or row[1] in kinds]

    def list_records(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[Record]:
        """Sorts by id, created_at, updated_at, title, outcome or task_id ("-": descending), then by id.

        Which records and in what order is settled at the first step; each is as it is when it is reached, and one
        that was erased meanwhile is left out.

        Raises
        ------
        InvalidInputError
            There is no such order.
        """
        from diarist.stores.rows import row_to_record

        return (self._decode(row_to_record, row) for row in self._list_rows("list_records_by_seq", where, _order(sort), limit))

    def list_bodies(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Id, digest and body of the records that `list_records` gives, at a fraction of its cost. Raises as that does."""
        return self._list_bodies(where, _order(sort), limit)

    def _list_bodies(self, where: RecordFilter, order: str, limit: int | None) -> Iterator[tuple[str, str, bytes]]:
        places = self._narrowed("list_places", where, order, limit)
        for start in range(0, len(places), PAGE):
            yield from self._bodies_at(places[start : start + PAGE])

    def _bodies_at(self, page: Sequence[Row]) -> Iterator[tuple[str, str, bytes]]:
        """Payloads are looked up as they lie in the file: by way of records it would be a jump for each, and three times the cost."""
        found: dict[int, bytes] = dict(self._fetch("list_payloads_by_seq", seqs=_json_numbers([row[2] for row in page])))
        for record_id, digest, seq in page:
            payload = found.pop(seq, None)
            if payload is not None:
                yield record_id, digest, hits.body_of(payload)
            elif (record := self.get_record(record_id)) is not None:  # changed since
                yield record.id, record.digest, record.body

    def list_gists(
        self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None
    ) -> Iterator[tuple[str, str, bytes, bytes]]:
        """Id, digest and gist of the entries that `list_records` gives; where none is kept it is empty, and the body follows.

        Raises as that does.
        """
        return self._list_gists(where, _order(sort), limit)

    def _list_gists(self, where: RecordFilter, order: str, limit: int | None) -> Iterator[tuple[str, str, bytes, bytes]]:
        from diarist.model.machinery import GIST_VERSION

        places = self._narrowed("list_places", where, order, limit)
        for start in range(0, len(places), PAGE):
            page = places[start : start + PAGE]
            seqs = _json_numbers([row[2] for row in page])
            found: dict[int, bytes] = dict(self._fetch("list_gists_by_seq", version=GIST_VERSION, seqs=seqs))
            for has_gist, group in groupby(page, key=lambda row: row[2] in found):
                if has_gist:
                    yield from ((record_id, digest, bytes(found[seq]), b"") for record_id, digest, seq in group)
                else:
                    yield from ((record_id, digest, b"", body) for record_id, digest, body in self._bodies_at(list(group)))

    def _narrowed(self, query: str, where: RecordFilter, order: str, limit: int | None) -> list[Row]:
        """Rows of a query with the slots `where` and `order`."""
        clauses, parameters = self._narrow(where)
        if "created_at" in order:
            clauses += FROM_THE_FIRST
        most = NO_LIMIT if limit is None else max(limit, 0)
        return self._database.fetch(self._queries.fill(query, where=clauses, order=order), {**parameters, "limit": most})

    def _list_rows(self, query: str, where: RecordFilter, order: str, limit: int | None) -> Iterator[Row]:
        """What the query says of these records, without the `seq` it begins with."""
        seqs = array("q", (row[0] for row in self._narrowed("list_seqs", where, order, limit)))
        for start in range(0, len(seqs), PAGE):
            page = seqs[start : start + PAGE]
            found = {row[0]: row[1:] for row in self._fetch(query, seqs=_json_numbers(page))}
            yield from (found[seq] for seq in page if seq in found)

    def count_records(self, where: RecordFilter) -> int:
        """How many records the filter lets through."""
        clauses, parameters = self._narrow(where)
        return int(self._database.fetch(self._queries.fill("count_records", where=clauses), parameters)[0][0])

    def _narrow(self, where: RecordFilter) -> tuple[str, dict[str, object]]:
        """Clauses for the slot `where`, and the parameters they name."""
        from diarist.stores.rows import list_to_text, to_micros

        parameters: dict[str, object] = {"tenant": self._tenant}
        for name in ("namespace", "project", "agent", "workflow", "outcome", "tag", "session_id", "task_id"):
            value = getattr(where, name)
            if value is not None:
                parameters[name] = value
        if where.tag is not None:
            parameters["tag_json"] = list_to_text([where.tag])[1:-1]
        if where.kinds:
            parameters["kinds"] = list_to_text(where.kinds)
        if where.since is not None:
            parameters["since"] = to_micros(where.since)
        if where.before is not None:
            parameters["before"] = to_micros(where.before)
        names = [name for name in parameters if name not in ("tenant", "tag_json")] + ([] if where.include_inactive else ["active"])
        if where.kinds and COMMON_KINDS.isdisjoint(where.kinds):
            names.append("rare")
        return "".join(" AND " + self._queries["where_" + name] for name in names), parameters

    # Change log and history

    def get_changes(self, after: int, limit: int = 1000) -> list[Change]:
        """Rows of the change log after `after`, oldest first. Retracted and erased records are "remove"."""
        from diarist.stores.rows import row_to_change

        return [row_to_change(row) for row in self._fetch("list_changes", after=after, limit=limit)]

    def last_seq(self) -> int:
        """Number of the last change; 0 before the first."""
        found = self._fetch("find_end")
        return int(found[0][0]) if found else 0

    def get_history(self, record_id: str | None = None, *, after: int = 0) -> Iterator[HistoryEvent]:
        """Events of one record or of all after change `after`, oldest first.

        A payload is the envelope as one line of JSON, then the body if it changed.
        """
        from diarist.stores.rows import row_to_event

        name, parameters = ("list_events", {}) if record_id is None else ("list_record_events", {"record_id": record_id})
        for row in self._pages(name, after, **parameters):
            yield row_to_event(row)

    def check_history(self) -> list[str]:
        """Recomputes commitments and the chain, and compares every record with its last event.

        One line per break, empty when whole.
        """
        from diarist.stores.check import check_history

        return self._database.snapshot(lambda: list(check_history(self._fetch, self._pages)))

    def check_storage(self) -> list[str]:
        """Looks through the database file itself. One line per fault, empty when sound."""
        return self._database.check_pages()

    def compact(self) -> None:
        """Writes the database anew and empties its log: nothing of what was erased is left in either."""
        self._database.compact()

    # Evidence and sources

    def get_parts(self, agent: str, session: str) -> list[Part]:
        """Parts of a session, sorted by key."""
        from diarist.stores.rows import row_to_part

        return [self._decode(row_to_part, row) for row in self._fetch("list_parts", agent=agent, session=session)]

    def list_sessions(self) -> Iterator[tuple[str, str]]:
        """All (agent, native session id) with parts, sorted."""
        yield from ((agent, session) for agent, session in self._fetch("list_sessions"))

    def list_dirty(self) -> list[tuple[str, str]]:
        """Sessions whose parts changed since `clear_dirty`, sorted."""
        return [(agent, session) for agent, session in self._fetch("list_dirty")]

    def list_outdated(self, rules_version: str) -> list[tuple[str, str]]:
        """Sessions with a part that was redacted by rules of another version, sorted."""
        return [(agent, session) for agent, session in self._fetch("list_outdated", rules_version=rules_version)]

    def find_named_chunks(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of the vault chunks that some part names."""
        from diarist.stores.rows import list_to_text

        return {row[0] for row in self._fetch("list_named_chunks", chunks=list_to_text(chunk_ids))}

    def get_source(self, key: str) -> SourceState | None:
        """What is known of a file."""
        from diarist.stores.rows import row_to_source

        found = self._fetch("find_source", source=key)
        return self._decode(row_to_source, found[0]) if found else None

    def list_sources(self) -> Iterator[SourceState]:
        """All known files, sorted by key."""
        from diarist.stores.rows import row_to_source

        for row in self._pages("list_sources", ""):
            yield self._decode(row_to_source, row)

    # Tombstones and published names

    def get_publication(self, record_id: str, kind: str) -> str | None:
        """Name a record was first published under."""
        found = self._fetch("find_publication", record_id=record_id, kind=kind)
        return found[0][0] if found else None

    def list_names_of(self, record_ids: Sequence[str]) -> dict[tuple[str, str], str]:
        """Published names of many records, by id and kind."""
        return {(row[0], row[1]): row[2] for row in self._fetch("list_names_of", ids=json.dumps(list(record_ids)))}

    def list_holders(self, kind: str, paths: Sequence[str]) -> dict[str, str]:
        """By published name, the record that holds it; names that are free are left out."""
        return {row[1]: row[2] for row in self._fetch("list_holders", kind=kind, paths=json.dumps(list(paths)))}

    def find_publication(self, kind: str, path: str) -> str | None:
        """Id of the record that holds this published name."""
        found = self._fetch("find_publication_by_path", kind=kind, path=path)
        return found[0][0] if found else None

    def list_publications(self, record_id: str) -> list[tuple[str, str]]:
        """(kind, path) of every published name of a record, sorted."""
        return [(kind, path) for kind, path in self._fetch("list_publications", record_id=record_id)]

    def get_spending(self, day: str) -> Spending:
        """What models cost on a UTC day, for all purposes."""
        from diarist.model.machinery import Spending

        return Spending(*self._fetch("sum_spending", day=day)[0])

    def list_deliveries(self, until: datetime) -> list[Delivery]:
        """Documents that are due by then, longest due first."""
        from diarist.model.machinery import Delivery
        from diarist.stores.rows import from_micros, to_micros

        found = self._fetch("list_deliveries", until=to_micros(until))
        return [Delivery(row[0], row[1], from_micros(row[2]), row[3]) for row in found]

    def list_scopes(self) -> list[Scope]:
        """Active records counted by project, kind and agent, sorted."""
        from diarist.model.use import Scope

        return [Scope(*row) for row in self._fetch("list_scopes")]

    def tombstone_key(self) -> bytes:
        """Secret of this workspace for keyed hashes (32 bytes).

        Raises
        ------
        NotFoundError
            Nothing was ever written for this tenant.
        """
        return bytes(self._workspace()[1])

    def workspace_id(self) -> str:
        """Random name of this workspace (32 hex digits). Raises as `tombstone_key` does."""
        return str(self._workspace()[0])

    def close(self) -> None:
        """Lets go of the database. Using the store afterwards is an error."""
        self._database.close()

    # Parts of the above

    def _workspace(self) -> Row:
        found = self._fetch("find_workspace")
        if not found:
            raise NotFoundError(f"{self._database.path} holds nothing for the tenant {self._tenant!r} yet.")
        return found[0]

    def _add_workspace(self) -> None:
        found = self._fetch("find_workspace")
        if found:
            self._importing = found[0][0].startswith(IMPORTING)
            return
        name, secret = self._random_bytes(16).hex(), self._random_bytes(32)
        with self._database.transaction():
            self._database.execute(self._queries["add_workspace"], {"tenant": self._tenant, "workspace_id": name, "secret": secret})

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        return self._database.fetch(self._queries[name], {"tenant": self._tenant, **parameters})

    def _pages(self, name: str, after: object, **parameters: object) -> Iterator[Row]:
        """Rows of a query that goes on after the first column of the last row it gave."""
        while True:
            page = self._fetch(name, after=after, limit=PAGE, **parameters)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def _decode(self, decode: Callable[[Any], T], row: Row) -> T:
        try:
            return decode(row)
        except (ValueError, TypeError, OverflowError, KeyError) as error:  # msgspec's errors are ValueErrors
            raise StoreCorruptError(
                f"A row of {self._database.path} is damaged ({row[0]}: {error}). "
                "Restore it from a backup, or run `diarist doctor --repair` to save what is whole."
            ) from error


def _json_numbers(numbers: Sequence[int]) -> str:
    return "[" + ",".join(map(str, numbers)) + "]"


def _order(sort: str) -> str:
    """The slot `order` for a name of `SORTS`, "-" before it for descending. Raises InvalidInputError."""
    column = sort.removeprefix("-")
    if column not in SORTS:
        raise InvalidInputError(f"records cannot be sorted by {sort!r}; use one of {', '.join(SORTS)}, with - before it for descending")
    return f"r.{column}{' DESC' if sort.startswith('-') else ''}, r.id"
