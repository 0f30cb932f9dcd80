"""Tenants share a database and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime

from diarist.model.record import Part, Record, RecordFilter, SourceState, Tombstone
from diarist.model.use import Use
from diarist.ports import Store


def fill(
    store: Store, put: Callable[..., Record], make_part: Callable[..., Part], make_source: Callable[..., SourceState], at: datetime
) -> None:
    record = put(store, 1, body="theirs")
    with store.transaction(actor="mate", at=at) as transaction:
        transaction.put_part(make_part())
        transaction.put_source(make_source())
        transaction.put_tombstone(Tombstone(kind="value", hash="ab", at=at, actor="mate"))
        transaction.put_publication(record.id, "hub", "a.md")
        transaction.add_use(Use(record.id, "sailor:s1", at, "shown"))


def test_a_tenant_sees_nothing_of_another(
    open_again: Callable[..., Store],
    put: Callable[..., Record],
    make_part: Callable[..., Part],
    make_source: Callable[..., SourceState],
    noon: datetime,
) -> None:
    with closing(open_again("them")) as them, closing(open_again("us")) as us:
        fill(them, put, make_part, make_source, noon)
        record_id = "kh-0000000000000001"
        for nothing in (
            us.get_record(record_id),
            us.get_search_text(record_id),
            us.get_source("k1"),
            us.get_publication(record_id, "hub"),
            us.find_publication("hub", "a.md"),
            *us.find_ids("kh-"),
            *us.get_hits([1]),
            *us.get_records([1]),
            *us.get_changes(0),
            *us.list_records(RecordFilter(include_inactive=True)),
            *us.get_history(),
            *us.list_dirty(),
            *us.list_sessions(),
            *us.get_parts("sailor", "session-1"),
            *us.list_sources(),
            *us.list_uses(),
            *us.list_scopes(),
        ):
            assert nothing is None
        assert us.count_records(RecordFilter(tag="sail")) == us.last_seq() == 0
        assert us.list_tombstones() == []
        assert us.tombstone_key() != them.tombstone_key()


def test_the_same_ids_live_side_by_side(
    open_again: Callable[..., Store],
    put: Callable[..., Record],
    make_part: Callable[..., Part],
    make_source: Callable[..., SourceState],
    noon: datetime,
) -> None:
    with closing(open_again("them")) as them, closing(open_again("us")) as us:
        fill(them, put, make_part, make_source, noon)
        fill(us, put, make_part, make_source, noon)
        ours = put(us, 1, body="ours")
        assert (ours.seq, us.last_seq(), them.last_seq()) == (2, 2, 1)
        with us.transaction(actor="mate", at=noon) as transaction:
            transaction.erase_record(ours.id)
            transaction.delete_part("sailor", "session-1", "main-file")
        kept = them.get_record(ours.id)
        assert kept is not None
        assert kept.body == b'"theirs"'
        assert them.get_publication(ours.id, "hub") == "a.md"
        assert len(them.get_parts("sailor", "session-1")) == len(them.list_uses()) == 1
        assert us.check_history() == them.check_history() == us.check_storage() == []
