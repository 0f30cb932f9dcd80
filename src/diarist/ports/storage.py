"""What keeps: the vault of evidence, and the store with its transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

from diarist.model.access import Answer, ApiKey
from diarist.model.hit import HitRow
from diarist.model.machinery import Backup, Correction, Delivery, Erasure, ImportMark, Spending
from diarist.model.record import Change, HistoryEvent, Part, Record, RecordFilter, SearchText, SourceState, Tombstone
from diarist.model.use import Effect, EntryCount, Scope, Shown, Tally, Use
from diarist.ports.transaction import Transaction
from diarist.text.erased import Tombstones

T = TypeVar("T")


class Vault(Protocol):
    """Content-addressed, append-only storage of redacted evidence."""

    def put(self, content: bytes) -> str:
        """Stores durably; returns the chunk id (SHA-256 of `content`, hex). Storing the same content again is free."""
        ...

    def get(self, chunk_id: str) -> bytes:
        """Raises NotFoundError where the chunk is missing, StoreCorruptError where its content is not what the id says."""
        ...

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none. Durable after `flush`."""
        ...

    def ids(self) -> Iterator[str]:
        """Ids of all chunks, sorted."""
        ...

    def flush(self) -> None:
        """Everything put before is on disk when this returns. Must be called before a transaction names the chunks."""
        ...

    def sweep(self) -> None:
        """Removes what writers that died left behind half written."""
        ...


class Store(Protocol):
    """The truth. One tenant at a time; every key leads with it. All times are aware UTC."""

    def transaction(self, *, actor: str, at: datetime) -> AbstractContextManager[Transaction]:
        """Commits when left normally, rolls back on an exception.

        Raises StoreLockedError, StoreFullError, ReadOnlyError.
        """
        ...

    def get_record(self, record_id: str) -> Record | None:
        """The record with exactly this id, of any status; None where there is none."""
        ...

    def get_records(self, seqs: Sequence[int]) -> dict[int, Record]:
        """Records by their `seq`; missing ones are left out."""
        ...

    def get_hits(self, seqs: Sequence[int]) -> list[HitRow]:
        """What a result list shows of these records, in the order asked for; missing and retracted ones are left out.

        Loads nothing of the model, for a cold start.
        """
        ...

    def get_bodies(self, seqs: Sequence[int]) -> dict[int, bytes]:
        """Bodies (JSON) by `seq`; missing ones are left out. Loads nothing of the model."""
        ...

    def get_search_text(self, record_id: str) -> SearchText | None:
        """What the index was told of a record; None where there is no such record."""
        ...

    def get_indexed(self, seqs: Sequence[int]) -> dict[int, tuple[Record, SearchText | None]]:
        """Records by a change of theirs, as `get_records` finds them, with what the index is told; None: changed since, or no text.

        Of kinds of which there is one for each run (entries, observations, memories) the body is left empty.
        """
        ...

    def find_ids(self, wanted: str, kinds: Sequence[str] = ()) -> list[str]:
        """Ids of active records with this id, this task id, or an id or task id that starts so (exact matches win), sorted."""
        ...

    def list_records(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[Record]:
        """Sorts by id, created_at, updated_at, title, outcome or task_id ("-": descending), then by id."""
        ...

    def list_bodies(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Id, digest and body of the records that `list_records` gives, at a fraction of its cost."""
        ...

    def list_gists(
        self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None
    ) -> Iterator[tuple[str, str, bytes, bytes]]:
        """Id, digest and gist of the entries that `list_records` gives; where none is kept it is empty, and the body follows."""
        ...

    def count_records(self, where: RecordFilter) -> int:
        """How many records `list_records` would give."""
        ...

    def get_changes(self, after: int, limit: int = 1000) -> list[Change]:
        """The change log behind `after`, oldest first, at most `limit` rows."""
        ...

    def last_seq(self) -> int:
        """Number of the newest change; 0 for an empty store."""
        ...

    def get_parts(self, agent: str, session: str) -> list[Part]:
        """The parts of a session, sorted by key."""
        ...

    def list_sessions(self) -> Iterator[tuple[str, str]]:
        """All (agent, native session id) with parts, sorted."""
        ...

    def list_dirty(self) -> list[tuple[str, str]]:
        """Sessions (agent, native id) that wait to be distilled, sorted."""
        ...

    def list_outdated(self, rules_version: str) -> list[tuple[str, str]]:
        """Sessions with a part that was redacted by rules of another version, sorted."""
        ...

    def find_named_chunks(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of the vault chunks that some part names."""
        ...

    def get_source(self, key: str) -> SourceState | None:
        """What is known of a file that was read, by its key; None for a file never read."""
        ...

    def list_sources(self) -> Iterator[SourceState]:
        """Every file that was read, sorted by key."""
        ...

    def get_history(self, record_id: str | None = None, *, after: int = 0) -> Iterator[HistoryEvent]:
        """Changes with their payloads, oldest first, behind number `after`; of one record, or None: of all."""
        ...

    def check_history(self) -> list[str]:
        """Recomputes commitments and the chain; one line per break, empty when whole."""
        ...

    def check_storage(self) -> list[str]:
        """Looks through the stored form itself (pages, indexes, keys); one line per fault, empty when sound."""
        ...

    def compact(self) -> None:
        """Writes the stored form anew: nothing of what was erased is left in free space, logs or journals.

        Raises StoreLockedError where another process is reading or writing all the while.
        """
        ...

    def tombstones(self) -> Tombstones:
        """All tombstones, ready to be looked for."""
        ...

    def list_tombstones(self) -> list[Tombstone]:
        """All tombstones, those of other workspaces included, sorted."""
        ...

    def list_tombstone_keys(self) -> dict[str, bytes]:
        """Keys of other workspaces whose tombstones are here, by the workspace's id."""
        ...

    def list_erasures(self, *, pending: bool = False) -> list[Erasure]:
        """Oldest first; with `pending` those that are not done."""
        ...

    def list_backups(self) -> list[Backup]:
        """Backups that were written, oldest first."""
        ...

    def list_corrections(self, targets: Sequence[str] | None = None) -> list[Correction]:
        """What was said of these records, oldest first; None: of all."""
        ...

    def get_link(self, seq: int) -> str:
        """The link of the history chain that change `seq` closes; empty where it closes none, or there is no such change."""
        ...

    def holdings(self) -> Iterator[tuple[str, bytes]]:
        """(where, data) of everything the store keeps for this tenant, column by column."""
        ...

    def find_mentions(self, kinds: Sequence[str]) -> Iterator[tuple[str, int, bytes]]:
        """(record id, change, payload) of everything that history keeps of records of these kinds, oldest first of each kind."""
        ...

    def get_publication(self, record_id: str, kind: str) -> str | None:
        """The name, relative to its publish root, under which a record was first published as this kind; None where it never was."""
        ...

    def list_names_of(self, record_ids: Sequence[str]) -> dict[tuple[str, str], str]:
        """Published names of many records, by id and kind."""
        ...

    def list_holders(self, kind: str, paths: Sequence[str]) -> dict[str, str]:
        """By published name, the record that holds it; names that are free are left out."""
        ...

    def find_publication(self, kind: str, path: str) -> str | None:
        """Id of the record that holds this published name."""
        ...

    def list_publications(self, record_id: str) -> list[tuple[str, str]]:
        """(kind, path) of every published name of a record, sorted."""
        ...

    def list_use_sessions(self) -> list[str]:
        """Every session that the usefulness ledger names, sorted."""
        ...

    def list_uses(self, record_id: str | None = None, limit: int = 1000) -> list[Use]:
        """The usefulness ledger of one record, oldest first; of all records the newest `limit` rows, newest first."""
        ...

    def list_unembedded(self, model: str, limit: int) -> list[tuple[str, int, SearchText]]:
        """Records whose present text this model has not seen, newest first: id, the change that brought the text, the text."""
        ...

    def count_unembedded(self, model: str) -> int:
        """How many records `list_unembedded` would give without a limit."""
        ...

    def count_embeddings(self) -> list[tuple[str, int, int]]:
        """By model: how many records it has seen, and how many rows that are."""
        ...

    def find_vector_end(self, model: str) -> tuple[int, int]:
        """How many rows a model has, and the number of the last one."""
        ...

    def list_vectors(self, model: str, after: int = 0) -> list[tuple[str, bytes]]:
        """Record id and packed vector (`stages.vectors`) of each passage made since `after`."""
        ...

    def compares_vectors(self) -> bool:
        """Does the database compare vectors itself (`list_nearest`)? Else whoever asks reads them all."""
        ...

    def list_nearest(
        self, model: str, asked: Sequence[float], limit: int, among: Sequence[str] | None
    ) -> tuple[list[tuple[str, float]], str]:
        """Records whose vectors point most nearly the same way, with the cosine, best first, and how: "exact" or "HNSW".

        `among`: ids of those that may be found; None: all. Only where `compares_vectors`.
        """
        ...

    def tend_vectors(self, model: str, dimensions: int) -> str:
        """Makes the index that many vectors need, where the database compares them. What was done, in words. Raises StoreError."""
        ...

    def list_seqs_of(self, record_ids: Sequence[str]) -> dict[str, int]:
        """By id, the `seq` under which the search index knows a record now; those that are gone are left out."""
        ...

    def list_ids_by_seq(self, seqs: Sequence[int]) -> set[str]:
        """Ids of the records that these changes were of."""
        ...

    def get_spending_of(self, day: str, role: str) -> Spending:
        """What calls to models for one purpose cost on a UTC day; `get_spending` leaves out the role "embed"."""
        ...

    def list_uses_of_sessions(self, sessions: Sequence[str]) -> list[Use]:
        """What the ledger holds of these sessions ("agent:native id"), oldest first."""
        ...

    def count_uses(self) -> list[tuple[str, str, int, int, int]]:
        """By event and surface, sorted: how many rows, of how many sessions, on how many records."""
        ...

    def count_shown(self, record_id: str) -> Shown:
        """How often, and in how many sessions, a record was shown."""
        ...

    def list_effects(self, record_id: str) -> list[Effect]:
        """What came of a record in each session that was shown it, oldest first."""
        ...

    def list_effects_of_session(self, session: str) -> list[Effect]:
        """What came of each record in one session, by record id."""
        ...

    def list_tallies(self, record_ids: Sequence[str] | None = None, limit: int = 10) -> list[Tally]:
        """Effects counted by record, for these records by id; None: the `limit` most useful ones. Records without any are left out."""
        ...

    def list_scopes(self) -> list[Scope]:
        """Active records counted by project, kind and agent, sorted."""
        ...

    def count_entries(self, since: datetime, project: str | None = None) -> list[EntryCount]:
        """Active entries since then, by UTC day, project, agent and outcome, sorted."""
        ...

    def get_spending(self, day: str) -> Spending:
        """What models cost on a UTC day (ISO date), for all purposes. Inside a transaction: as that transaction sees it."""
        ...

    def list_deliveries(self, until: datetime) -> list[Delivery]:
        """Documents that are due by then, longest due first."""
        ...

    def find_api_key(self, hash_: str) -> ApiKey | None:
        """The key with this SHA-256 (hex), good or not."""
        ...

    def list_api_keys(self) -> list[ApiKey]:
        """All keys, oldest first."""
        ...

    def find_answer(self, caller: str, key: str) -> Answer | None:
        """What was answered to this caller under this idempotency key; None where nothing was."""
        ...

    def tombstone_key(self) -> bytes:
        """Secret of this workspace for keyed hashes (32 bytes)."""
        ...

    def workspace_id(self) -> str:
        """Random name of this workspace (32 hex digits)."""
        ...

    def close(self) -> None:
        """Closes connections and files; it is of no use afterwards."""
        ...


class Scratch(Protocol):
    """Rows that are too many for memory, for as long as one piece of work lasts. Raises StoreFullError."""

    def put(self, key: bytes, body: bytes) -> None:
        """Adds a row; before `settle` only."""
        ...

    def settle(self) -> None:
        """Puts the rows into the order of their keys, equal ones in the order they came in."""
        ...

    def get(self, place: int) -> bytes:
        """The row at a place, from 0 on. Raises IndexError."""
        ...

    def __iter__(self) -> Iterator[bytes]: ...

    def __len__(self) -> int: ...

    def close(self) -> None:
        """Removes what was kept."""
        ...


class WholeStore(Protocol):
    """A tenant's tables as they are, for moving them to another database."""

    def workspace_id(self) -> str:
        """Random name of this tenant's workspace."""
        ...

    def list_columns(self) -> dict[str, list[str]]:
        """Columns by table, as `dump_rows` writes them."""
        ...

    def dump_rows(self) -> Iterator[tuple[str, Sequence[Any]]]:
        """Every row of this tenant with its table; to be read within one `snapshot`."""
        ...

    def count_rows(self) -> int:
        """How many rows `dump_rows` gives."""
        ...

    def load_rows(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]], mark: ImportMark | None = None) -> int:
        """Adds rows that `dump_rows` gave, in one transaction; returns how many were not there. `mark`: how far the import is then."""
        ...

    def begin_import(self, mark: ImportMark, *, empty: bool) -> int:
        """Until `end_import` nothing but `load_rows` writes. Returns how many lines of the mark's file are in already."""
        ...

    def end_import(self, workspace_id: str, secret: bytes) -> None:
        """Makes the store the workspace that its rows came from."""
        ...

    def snapshot(self, work: Callable[[], T]) -> T:
        """Runs `work`, whose reads all see one state; it may be run again."""
        ...

    def listen(self, seconds: float) -> set[str]:
        """Waits until some tenant's change log has grown, for so long at most; names the tenants it heard of."""
        ...

    def tombstone_key(self) -> bytes:
        """Secret of this workspace for keyed hashes."""
        ...
