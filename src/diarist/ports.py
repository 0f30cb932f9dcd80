"""What the core asks of the outside. Adapters implement these; only `bootstrap` names the adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from diarist.model.access import Answer, ApiKey
from diarist.model.completion import Completion
from diarist.model.hit import Frequencies, HitRow, Match, Query
from diarist.model.machinery import Backup, Correction, Delivery, Erasure, Spending
from diarist.model.record import Change, HistoryEvent, Part, Record, RecordFilter, SearchText, SourceState, Tombstone
from diarist.model.redacted import Redacted
from diarist.model.session import CaptureReport, RawStep, SessionInfo
from diarist.model.use import Effect, EntryCount, Scope, Shown, Tally, Use
from diarist.text.erased import Tombstones

T = TypeVar("T")


class Reading(Protocol):
    """One pass over one source. Iterate it once; then ask for what it learned on the way.

    Bad records are counted in the captures, never raised. `OSError` of the stream passes through.
    """

    def __iter__(self) -> Iterator[RawStep]: ...

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of first appearance: everything known, earlier passes over this source included."""
        ...

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id; earlier passes included. `truncated` and `redacted` are filled in later by the core."""
        ...

    @property
    def offset(self) -> int:
        """Byte up to which whole records were read; a torn last record stays for the next pass."""
        ...

    @property
    def state(self) -> bytes:
        """Checkpoint to hand to the next pass. Holds ids (hashed where they could be text), counts and flags, never text."""
        ...


class Importer(Protocol):
    """Reads one transcript format. Third parties register one as an entry point in the group `diarist.importers`."""

    name: str
    """Also the default `agent` of its sessions: "claude-code"."""

    def sniff(self, head: bytes, path: Path | None) -> int:
        """How sure it is, 0 (not mine) to 100, from the first 64 KiB; the name of the file may only break ties."""
        ...

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Folders where this agent leaves its sessions on this machine, existing or not."""
        ...

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:
        """Reads from where `stream` stands. `state` is the last pass's checkpoint, empty for a first pass."""
        ...


class Vault(Protocol):
    """Content-addressed, append-only storage of redacted evidence."""

    def put(self, content: bytes) -> str:
        """Stores durably; returns the chunk id (SHA-256 of `content`, hex). Storing the same content again is free."""
        ...

    def get(self, chunk_id: str) -> bytes:
        """Raises NotFoundError where the chunk is missing, StoreCorruptError where its content is not what the id says."""
        ...

    def delete(self, chunk_id: str) -> None: ...

    def ids(self) -> Iterator[str]: ...

    def flush(self) -> None:
        """Everything put before is on disk when this returns. Must be called before a transaction names the chunks."""
        ...

    def sweep(self) -> None:
        """Removes what writers that died left behind half written."""
        ...


class Transaction(Protocol):
    """Writes that become true together. Every change of a record writes the record, its history event and its change-log row."""

    def put_record(self, record: Record, search: SearchText, *, action: str = "", rewrite: bool = False) -> bool:
        """Adds or replaces; False where digest and status are as they were (then nothing is written, unless `rewrite`)."""
        ...

    def set_status(self, record_id: str, status: str, *, action: str) -> bool: ...

    def erase_record(self, record_id: str) -> None:
        """Removes record, search text and all history payloads with their salts; history keeps that it was erased."""
        ...

    def forget_payloads(self, record_id: str, seqs: Sequence[int]) -> int:
        """Erases the payloads of these earlier changes of a record, with their salts; returns how many there were.

        What the record is now made of stays. History keeps that something was forgotten, as a change of action "rescan".
        """
        ...

    def put_part(self, part: Part, *, changed: bool = True) -> None:
        """Adds or replaces a part and marks its session dirty (to be distilled), unless what it tells has not `changed`."""
        ...

    def delete_part(self, agent: str, session: str, key: str) -> None: ...

    def clear_dirty(self, agent: str, session: str) -> None: ...

    def put_source(self, source: SourceState) -> None: ...

    def put_tombstone(self, tombstone: Tombstone) -> None:
        """From then on neither the source nor the value gets in: `put_record` and `put_part` refuse it."""
        ...

    def put_tombstone_key(self, key_id: str, secret: bytes) -> None:
        """Adds the key of another workspace, whose tombstones are about to be added."""
        ...

    def put_erasure(self, erasure: Erasure) -> None: ...

    def put_backup(self, backup: Backup) -> None: ...

    def forget_session(self, session: str) -> None:
        """Takes a session ("agent:native id") out of the usefulness ledger."""
        ...

    def delete_corrections(self, record_id: str) -> None:
        """Takes the links of a record away, as a correction and as what was corrected."""
        ...

    def put_correction(self, correction: Correction) -> None:
        """Links a correction to its target; from then on the target counts as the correction says, whatever is imported again."""
        ...

    def add_spending(self, day: str, role: str, spent: Spending) -> None:
        """Adds to what models cost on a UTC day (ISO date); negative numbers give back what was reserved."""
        ...

    def put_delivery(self, delivery: Delivery) -> None: ...

    def delete_delivery(self, record_id: str) -> None: ...

    def add_api_key(self, key: ApiKey) -> None: ...

    def revoke_api_key(self, key_id: str, at: datetime) -> bool:
        """False where there is no such key, or it is revoked already."""
        ...

    def touch_api_key(self, key_id: str, at: datetime) -> None: ...

    def put_answer(self, caller: str, key: str, answer: Answer) -> None:
        """Keeps what was answered under an idempotency key; one that is there stays."""
        ...

    def delete_answers(self, before: datetime) -> int: ...

    def put_publication(self, record_id: str, kind: str, path: str) -> None:
        """Fixes the file name a record was first published under, relative to its publish root."""
        ...

    def move_publication(self, record_id: str, kind: str, path: str) -> None:
        """Gives a published file another name: the one it had must not be seen any more."""
        ...

    def rename_use_session(self, old: str, new: str) -> None:
        """Calls a session of the usefulness ledger otherwise."""
        ...

    def add_use(self, use: Use) -> bool:
        """Adds to the usefulness ledger; False where it stands there already or the record is gone."""
        ...

    def replace_uses_read_off(self, session: str, uses: Sequence[Use]) -> None:
        """What the transcript of a session tells of records it was shown takes the place of what it told before."""
        ...

    def put_vectors(self, model: str, record_id: str, body_seq: int, vectors: Sequence[bytes]) -> bool:
        """Keeps the packed vectors of a record's passages in the place of those it had; an empty one marks a record without text.

        False where the record has another text by now, or is gone: then nothing is kept.
        """
        ...

    def keep_vectors_of(self, model: str) -> int:
        """Forgets what other models made; returns how many rows went."""
        ...

    def replace_effects(self, session: str, effects: Sequence[Effect]) -> None:
        """What came of records in a session takes the place of what was known before. Records that are gone are left out."""
        ...


class Store(Protocol):
    """The truth. One tenant at a time; every key leads with it. All times are aware UTC."""

    def transaction(self, *, actor: str, at: datetime) -> AbstractContextManager[Transaction]:
        """Commits when left normally, rolls back on an exception.

        Raises StoreLockedError, StoreFullError, ReadOnlyError.
        """
        ...

    def get_record(self, record_id: str) -> Record | None: ...

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

    def get_search_text(self, record_id: str) -> SearchText | None: ...

    def find_ids(self, wanted: str, kinds: Sequence[str] = ()) -> list[str]:
        """Ids of active records with this id, this task id, or an id or task id that starts so (exact matches win), sorted."""
        ...

    def list_records(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[Record]:
        """Sorts by id, created_at, updated_at, title, outcome or task_id ("-": descending), then by id."""
        ...

    def list_bodies(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Id, digest and body of the records that `list_records` gives, at a fraction of its cost."""
        ...

    def count_records(self, where: RecordFilter) -> int: ...

    def get_changes(self, after: int, limit: int = 1000) -> list[Change]: ...

    def last_seq(self) -> int: ...

    def get_parts(self, agent: str, session: str) -> list[Part]: ...

    def list_sessions(self) -> Iterator[tuple[str, str]]:
        """All (agent, native session id) with parts, sorted."""
        ...

    def list_dirty(self) -> list[tuple[str, str]]: ...

    def list_outdated(self, rules_version: str) -> list[tuple[str, str]]:
        """Sessions with a part that was redacted by rules of another version, sorted."""
        ...

    def find_named_chunks(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of the vault chunks that some part names."""
        ...

    def get_source(self, key: str) -> SourceState | None: ...

    def list_sources(self) -> Iterator[SourceState]: ...

    def get_history(self, record_id: str | None = None, *, after: int = 0) -> Iterator[HistoryEvent]: ...

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

    def has_tombstone(self, kind: str, hash_: str) -> bool: ...

    def tombstones(self) -> Tombstones:
        """All tombstones, ready to be looked for."""
        ...

    def list_tombstones(self) -> list[Tombstone]: ...

    def list_tombstone_keys(self) -> dict[str, bytes]:
        """Keys of other workspaces whose tombstones are here, by the workspace's id."""
        ...

    def list_erasures(self, *, pending: bool = False) -> list[Erasure]:
        """Oldest first; with `pending` those that are not done."""
        ...

    def list_backups(self) -> list[Backup]: ...

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

    def get_publication(self, record_id: str, kind: str) -> str | None: ...

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

    def count_unembedded(self, model: str) -> int: ...

    def count_embeddings(self) -> list[tuple[str, int, int]]:
        """By model: how many records it has seen, and how many rows that are."""
        ...

    def find_vector_end(self, model: str) -> tuple[int, int]:
        """How many rows a model has, and the number of the last one."""
        ...

    def list_vectors(self, model: str, after: int = 0) -> list[tuple[str, bytes]]:
        """Record id and packed vector (`stages.vectors`) of each passage made since `after`."""
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

    def count_shown(self, record_id: str) -> Shown: ...

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

    def find_answer(self, caller: str, key: str) -> Answer | None: ...

    def tombstone_key(self) -> bytes:
        """Secret of this workspace for keyed hashes (32 bytes)."""
        ...

    def workspace_id(self) -> str:
        """Random name of this workspace (32 hex digits)."""
        ...

    def close(self) -> None: ...


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

    def load_rows(self, rows: Iterable[tuple[str, Sequence[Any]]], columns: Mapping[str, list[str]]) -> int:
        """Adds rows that `dump_rows` gave, in one transaction; returns how many were not there."""
        ...

    def begin_import(self, workspace_id: str, secret: bytes, *, empty: bool) -> None:
        """Until `end_import` nothing but `load_rows` writes."""
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

    def renewed(self) -> AbstractContextManager[Index]:
        """An empty index that takes this one's place when the block is left normally; until then this one is searched.

        Raises IndexUnavailableError where it cannot be written.
        """
        ...

    def close(self) -> None: ...


class Publisher(Protocol):
    """Writes projections of a record below a publish root, where people and other tools look."""

    def plan(self, record: Record) -> list[tuple[str, str]]:
        """(kind of projection, wanted path relative to the root) for each file this record should have."""
        ...

    def render(self, record: Record, kind: str, related: Sequence[str] = ()) -> bytes:
        """The projection itself, whether or not the record would be published as that kind. `related`: ids for a hub document."""
        ...

    def is_current(self, record: Record, kind: str, data: bytes) -> bool:
        """Is a published file what the record is rendered as? What it was found to be related to may stand in it."""
        ...

    def write(self, record: Record, kind: str, root: Path, path: str) -> Path:
        """Renders and writes one projection atomically. Raises StoreFullError where it cannot be written."""
        ...

    def write_all(self, wanted: Iterable[tuple[Record, str, Path, str]]) -> list[Path]:
        """Many of them, (record, kind, root, path) each: the disk is asked to keep them all at once, not one by one."""
        ...

    def put(self, target: Path, data: bytes, *, mode: int = 0o600) -> None:
        """Writes one file that is no projection, atomically. Raises StoreFullError where it cannot be written."""
        ...

    def remove(self, root: Path, path: str) -> bool: ...


class HubClient(Protocol):
    """Hands documents to a knowledge hub elsewhere."""

    def put(self, document: Mapping[str, object]) -> None:
        """One document, as `/v1/kb/edit` takes it. Raises HubError, which says whether a later try may help."""
        ...


class Completer(Protocol):
    """A language model that answers one prompt. Called after redaction only, under a cap."""

    name: str
    """Of the model, as it is sent and stored."""

    def complete(self, prompt: Redacted, *, max_tokens: int) -> Completion:
        """One answer. Raises ModelError for whatever goes wrong; never asks twice."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one length. Assumes no runtime."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]: ...
