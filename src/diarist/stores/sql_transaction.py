"""Writes that become true together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime

import msgspec

from diarist.errors import InvalidInputError, NotFoundError, StoreCorruptError
from diarist.model.machinery import GIST_VERSION, Delivery, Spending
from diarist.model.record import Part, Record, SearchText, SourceState, Status
from diarist.stores import rows
from diarist.stores.chain import SALT_BYTES, Event, commit, make_link
from diarist.stores.database import Database, Row
from diarist.stores.hub_tables import HubWrites
from diarist.stores.queries import Queries
from diarist.stores.trust_tables import PinnedGuard, TombstoneGuard, TrustWrites
from diarist.stores.use_tables import UseWrites
from diarist.stores.vector_tables import VectorWrites

CORRECTED: dict[str, Status] = {"retracted": "retracted", "replaced": "superseded", "reversed": "superseded"}
"""What the target of a correction counts as, by its shape; else it stays active."""
_ON_CORRECTIONS = ("put_correction", "delete_corrections")
_ADDING = ("add_", "put_")
"""How queries begin that bring texts in."""
ACTIONS = {"active": "restore", "retracted": "retract", "superseded": "supersede"}


class SqlTransaction(HubWrites, TrustWrites, UseWrites, VectorWrites):
    """The port `Transaction` over named queries. Made by `SqlStore.transaction` with the write lock held."""

    def __init__(
        self,
        database: Database,
        queries: Queries,
        tenant: str,
        random_bytes: Callable[[int], bytes],
        make_gist: Callable[[bytes], bytes] | None,
        *,
        actor: str,
        at: datetime,
        guard: TombstoneGuard,
    ) -> None:
        self._database = database
        self._queries = queries
        self._tenant = tenant
        self._random_bytes = random_bytes
        self._make_gist = make_gist
        self._actor = actor
        self._guard: TombstoneGuard = PinnedGuard(guard)
        self._at = at
        self._events: list[Event] = []
        self._any_corrections: bool | None = None
        end = self._fetch("find_end")
        self._seq: int = end[0][0] if end else 0
        self._head: str = end[0][1] if end else ""

    # Records

    def put_record(self, record: Record, search: SearchText, *, action: str = "", rewrite: bool = False) -> bool:
        """Adds or replaces; False where digest and status are as they were (then nothing is written, unless `rewrite`).

        The store counts `revision` and gives `seq`; what the record says of them is not looked at, except that the
        first revision is the record's own.

        Raises
        ------
        InvalidInputError
            `digest` is not that of `body`, a time has no zone, or a text is not valid Unicode.
        ErasedError
            It was erased, or holds a value that was.
        """
        self._check(record, search)
        found = self._fetch("find_head", id=record.id)
        return self._put(self._corrected(record), search, found[0] if found else None, action, rewrite=rewrite)

    def put_records(self, wanted: Sequence[tuple[Record, SearchText, str]]) -> list[bool]:
        """`put_record` for many, each with its action, in order: what is known of them is looked up at once. Raises as that does."""
        for record, search, _ in wanted:
            self._check(record, search)
        ids = json.dumps([record.id for record, _, _ in wanted])
        heads: dict[str, Row] = {row[0]: row[1:] for row in self._fetch("list_heads", ids=ids)}
        corrected = self._has_corrections()
        written = []
        for given, search, action in wanted:
            record = self._corrected(given) if corrected else given
            changed = self._put(record, search, heads.get(record.id), action)
            written.append(changed)
            if changed:
                revision = heads[record.id][2] + 1 if record.id in heads else record.revision
                heads[record.id] = (record.digest, record.status, revision, self._seq)
        return written

    def _check(self, record: Record, search: SearchText) -> None:
        if hashlib.sha256(record.body).hexdigest() != record.digest:
            raise InvalidInputError(f"the digest of {record.id} is not the SHA-256 of its body")
        self._guard.check_record(record, search)

    def _put(self, record: Record, search: SearchText, known: Row | None, action: str, *, rewrite: bool = False) -> bool:
        """Writes a record that was checked. `known`: digest, status, revision and body_seq of what is there."""
        if known and known[:2] == (record.digest, record.status) and not rewrite:
            return False
        revision = known[2] + 1 if known else record.revision
        text = rows.search_to_json(search)
        payload = rows.make_payload(rows.envelope(record, revision=revision, search=text), record.body)
        seq = self._log(record.id, record.status, action or ("update" if known else "create"), revision, payload, text)
        self._add("put_record", record.id, rows.record_to_row(record, revision=revision, seq=seq))
        if self._make_gist and record.kind == "entry" and (gist := self._make_gist(record.body)):
            self._add("keep_gist", seq, {"seq": seq, "version": GIST_VERSION, "gist": gist})
        if known:
            self._execute("drop_search_text", seq=known[3])
            self._execute("drop_gist", seq=known[3])
            self._execute("delete_embeddings", record_id=record.id)
        return True

    def _corrected(self, record: Record) -> Record:
        """The record with the status that a correction gave it: what is imported again later does not bring it back."""
        if record.status != "active" or not self._has_corrections():
            return record
        said = [row[2] for row in self._fetch("list_corrections_of", target=record.id)]
        status = next((CORRECTED[shape] for shape in ("retracted", "replaced", "reversed") if shape in said), "active")
        return record if status == "active" else msgspec.structs.replace(record, status=status)

    def _has_corrections(self) -> bool:
        """Looked up once, and again when this transaction has added some or taken some away."""
        if self._any_corrections is None:
            self._any_corrections = bool(self._fetch("count_corrections")[0][0])
        return self._any_corrections

    def set_status(self, record_id: str, status: str, *, action: str = "") -> bool:
        """Changes what a record counts as; its text stays. False where it has that status already.

        Raises
        ------
        NotFoundError
            There is no such record.
        InvalidInputError
            There is no such status.
        """
        if status not in ACTIONS:
            raise InvalidInputError(f"{status!r} is not a status; use one of {', '.join(ACTIONS)}")
        known = self._fetch("find_head", id=record_id)
        if not known:
            raise NotFoundError(f"There is no record {record_id}.")
        if known[0][1] == status:
            return False
        self._note(record_id, status, action or ACTIONS[status], known[0][2] + 1)
        return True

    def forget_payloads(self, record_id: str, seqs: Sequence[int]) -> int:
        """Erases the payloads of earlier changes of a record with their salts; returns how many there were.

        The changes that say what the record is now stay. History keeps that something was forgotten ("rescan").
        """
        known = self._fetch("find_head", id=record_id)
        if not known:
            return 0
        needed = self._fetch("find_seqs", id=record_id)[0]
        old = [seq for seq in seqs if seq not in needed]
        gone = self._execute("delete_payloads_by_seq", record_id=record_id, seqs=rows.list_to_text(old)) if old else 0
        if gone:
            self._note(record_id, known[0][1], "rescan", known[0][2] + 1)
        return gone

    def erase_record(self, record_id: str) -> None:
        """Removes record, search text, published names and all history payloads with their salts.

        History keeps that it was erased. Nothing happens where there is nothing to erase.
        """
        known = self._fetch("find_head", id=record_id)
        erased = self._execute("delete_payloads", record_id=record_id)
        self._execute("delete_publications", record_id=record_id)
        self._execute("delete_usefulness", record_id=record_id)
        self._execute("delete_delivery", record_id=record_id)
        self.delete_corrections(record_id)
        self._execute("delete_effects", record_id=record_id)
        self._execute("delete_embeddings", record_id=record_id)
        if known:
            self._execute("drop_gist", seq=known[0][3])
            self._execute("delete_record", id=record_id)
        if known or erased:
            self._log(record_id, "erased", "erase", known[0][2] + 1 if known else 0, None, None)

    # Evidence and sources

    def put_part(self, part: Part, *, changed: bool = True) -> None:
        """Adds or replaces a part and marks its session dirty (to be distilled), unless what it tells has not `changed`.

        A part of a session that was erased is not taken. Raises ErasedError where its facts hold a value that was erased.
        """
        if not self._guard.admits_part(part):
            return
        self._add("put_part", (part.agent, part.session, part.key), rows.part_to_row(part))
        if changed:
            self._execute("add_dirty", agent=part.agent, session=part.session)

    def delete_part(self, agent: str, session: str, key: str) -> None:
        """Removes a part and marks its session dirty, if it was there."""
        if self._execute("delete_part", agent=agent, session=session, part=key):
            self._execute("add_dirty", agent=agent, session=session)

    def clear_dirty(self, agent: str, session: str) -> None:
        """Says that the session's entry agrees with its parts as they are now."""
        self._add("delete_dirty", (agent, session), {"agent": agent, "session": session})

    def put_source(self, source: SourceState) -> None:
        """Adds or replaces what is known of a file."""
        self._execute("put_source", **rows.source_to_row(source))

    def put_publication(self, record_id: str, kind: str, path: str) -> None:
        """Fixes the file name a record was first published under; a name that was given stays."""
        self._add("add_publication", (record_id, kind), {"record_id": record_id, "kind": kind, "path": path})

    def move_publication(self, record_id: str, kind: str, path: str) -> None:
        """Gives a published file another name; nothing happens where it has none."""
        self._execute("move_publication", record_id=record_id, kind=kind, path=path)

    # Spending and deliveries

    def add_spending(self, day: str, role: str, spent: Spending) -> None:
        """Adds to what models cost on a UTC day; negative numbers give back what was reserved."""
        self._execute("add_spending", day=day, role=role, **spent._asdict())

    def put_delivery(self, delivery: Delivery) -> None:
        """Adds or replaces what a hub has yet to take."""
        row = {**delivery._asdict(), "next_at": rows.to_micros(delivery.next_at)}
        self._execute("put_delivery", **row)

    def delete_delivery(self, record_id: str) -> None:
        """The hub has it, or need not have it."""
        self._execute("delete_delivery", record_id=record_id)

    # Closing

    def finish(self) -> None:
        """Closes the history of this transaction with its link; the last thing before it commits."""
        if self._events:
            self._execute("set_link", seq=self._seq, link=make_link(self._head, self._events))

    def _note(self, record_id: str, status: str, action: str, revision: int) -> None:
        """A change that leaves the record's text as it is."""
        payload = self._fetch("find_last_payload", record_id=record_id)
        if not payload:
            raise StoreCorruptError(f"The history of {record_id} is missing in {self._database.path}. Run `diarist verify --all`.")
        facts = rows.payload_facts(payload[0][0]) | {"status": status, "updated_at": self._at, "revision": revision}
        seq = self._log(record_id, status, action, revision, rows.make_payload(facts), None)
        self._execute("set_status", id=record_id, status=status, updated_at=rows.to_micros(self._at), revision=revision, seq=seq)

    def _log(self, record_id: str, status: str, action: str, revision: int, payload: bytes | None, search: bytes | None) -> int:
        """Writes the history event of one change, which is its change-log row too; returns its number."""
        self._seq += 1
        salt = self._random_bytes(SALT_BYTES)
        op = "put" if status in ("active", "superseded") else "remove"
        commitment = commit(salt, payload or b"")
        event = Event(self._seq, rows.to_micros(self._at), self._actor, record_id, action, op, revision, commitment)
        self._events.append(event)
        self._add("add_event", self._seq, {"link": None, **event._asdict()})
        if payload is not None:  # the salt of an erasure is thrown away: its commitment looks like any other's
            self._add("add_payload", self._seq, {"seq": self._seq, "salt": salt, "payload": payload, "search": search})
        return self._seq

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        return self._database.fetch(self._queries[name], {"tenant": self._tenant, **parameters})

    def _add(self, name: str, key: Hashable, parameters: Mapping[str, object]) -> None:
        """Runs a statement whose answer nobody asks for, at the latest before one that could depend on it. `key`: its row's own."""
        if name.startswith(_ADDING):
            self._guard.check_texts(parameters)
        self._database.defer(self._queries[name], {"tenant": self._tenant, **parameters}, self._queries.find(name + "_many"), key)

    def _execute(self, name: str, **parameters: object) -> int:
        if name in _ON_CORRECTIONS:
            self._any_corrections = None
        if name.startswith(_ADDING) and name != "add_dirty":  # of a session that is there, or that is about to go
            self._guard.check_texts(parameters)
        return self._database.execute(self._queries[name], {"tenant": self._tenant, **parameters})
