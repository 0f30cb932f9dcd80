"""Any sequence of writes leaves a store that says what a plain dictionary says, with a history that is whole."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Literal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from diarist.model.record import Record, RecordFilter, SearchText, Status
from diarist.model.redacted import derived
from diarist.ports import Store, Transaction
from diarist.stores import open_store

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
ids = st.sampled_from([f"kh-{letter * 16}" for letter in "abcd"])
statuses: st.SearchStrategy[Literal["active", "retracted", "superseded"]] = st.sampled_from(["active", "retracted", "superseded"])
tags = st.lists(st.sampled_from(["sail", "knot", "", "é"]), max_size=3).map(tuple)
puts = st.tuples(ids, st.binary(max_size=4), statuses, tags)


class StoreMachine(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.store: Store = open_store(None)
        self.known: dict[str, Record] = {}
        self.newest: dict[str, str] = {}
        self.time = NOON

    def teardown(self) -> None:
        self.store.close()

    def _put(self, transaction: Transaction, put: tuple[str, bytes, Status, tuple[str, ...]], known: dict[str, Record]) -> None:
        record_id, body, status, own_tags = put
        record = Record(
            id=record_id,
            kind="note",
            tags=tuple(derived(tag) for tag in own_tags),
            status=status,
            created_at=NOON,
            updated_at=self.time,
            digest=hashlib.sha256(body).hexdigest(),
            body=body,
        )
        old = known.get(record_id)
        changed = old is None or (old.digest, old.status) != (record.digest, record.status)
        assert transaction.put_record(record, SearchText(body=derived(body.hex()))) is changed
        if changed:
            known[record_id] = record
            self.newest[record_id] = "remove" if status == "retracted" else "put"

    @rule(batch=st.lists(puts, min_size=1, max_size=4))
    def put_some(self, batch: list[tuple[str, bytes, Status, tuple[str, ...]]]) -> None:
        with self.store.transaction(actor="mate", at=self.time) as transaction:
            for put in batch:
                self._put(transaction, put, self.known)

    @rule(batch=st.lists(puts, min_size=1, max_size=4))
    def put_some_and_fail(self, batch: list[tuple[str, bytes, Status, tuple[str, ...]]]) -> None:
        newest, known = dict(self.newest), dict(self.known)
        with suppress(InterruptedError), self.store.transaction(actor="mate", at=self.time) as transaction:
            for put in batch:
                self._put(transaction, put, known)
            raise InterruptedError
        self.newest = newest

    @rule(record_id=ids, status=statuses)
    def set_status(self, record_id: str, status: Status) -> None:
        if record_id not in self.known:
            return
        with self.store.transaction(actor="mate", at=self.time) as transaction:
            transaction.set_status(record_id, status, action="set")
        old = self.known[record_id]
        self.known[record_id] = Record(**{name: getattr(old, name) for name in old.__struct_fields__} | {"status": status})
        self.newest[record_id] = "remove" if status == "retracted" else "put"

    @rule(record_id=ids)
    def erase(self, record_id: str) -> None:
        with self.store.transaction(actor="mate", at=self.time) as transaction:
            transaction.erase_record(record_id)
        self.known.pop(record_id, None)
        if record_id in self.newest:
            self.newest[record_id] = "remove"

    @rule(days=st.integers(-3, 3))
    def change_the_clock(self, days: int) -> None:
        self.time += timedelta(days=days)

    @invariant()
    def the_history_is_whole(self) -> None:
        assert self.store.check_history() == []

    @invariant()
    def the_records_are_the_dictionary(self) -> None:
        kept = {record.id: record for record in self.store.list_records(RecordFilter(include_inactive=True))}
        assert {id_: (record.body, record.status, record.tags) for id_, record in kept.items()} == {
            id_: (record.body, record.status, record.tags) for id_, record in self.known.items()
        }
        for tag in ("sail", "knot", "", "é"):
            wanted = {id_ for id_, record in self.known.items() if tag in record.tags and record.status == "active"}
            assert {record.id for record in self.store.list_records(RecordFilter(tag=tag))} == wanted
            assert self.store.count_records(RecordFilter(tag=tag)) == len(wanted)

    @invariant()
    def the_newest_change_of_each_record_says_what_the_index_must_hold(self) -> None:
        changes = self.store.get_changes(0, 10_000)
        assert {change.record_id: change.op for change in changes} == self.newest
        assert [change.seq for change in changes] == list(range(1, self.store.last_seq() + 1))


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)
