"""History: append-only, provable, and silent about what was erased."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from diarist.model.record import Change, Record, RecordFilter, SearchText
from diarist.ports import Store


def test_each_change_is_one_event_and_one_change(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    put(store, 1, body="new", at=noon + timedelta(1))
    with store.transaction(actor="captain", at=noon + timedelta(2)) as transaction:
        transaction.set_status("kh-0000000000000001", "superseded", action="supersede")
    events = list(store.get_history("kh-0000000000000001"))
    assert [(event.seq, event.action, event.actor, event.revision) for event in events] == [
        (1, "create", "mate", 1),
        (2, "update", "mate", 2),
        (3, "supersede", "captain", 3),
    ]
    assert [event.at for event in events] == [noon, noon + timedelta(1), noon + timedelta(2)]
    assert store.get_changes(0) == [Change(seq=seq, record_id="kh-0000000000000001", op="put") for seq in (1, 2, 3)]
    assert store.check_history() == []


def test_the_action_can_be_named(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_record(make_record(), make_search(), action="accept")
    assert [event.action for event in store.get_history()] == ["accept"]


def test_history_holds_every_revision(store: Store, put: Callable[..., Record]) -> None:
    put(store, body="first words")
    put(store, body="second words")
    payloads = [event.payload for event in store.get_history()]
    assert b"first words" in (payloads[0] or b"")
    assert b"second words" in (payloads[1] or b"")


def test_histories_of_records_are_apart_and_the_whole_is_in_order(store: Store, put: Callable[..., Record]) -> None:
    for number in (1, 2, 1, 3, 2):
        put(store, number, body=f"{number} again" if store.get_record(f"kh-{number:016d}") else "new")
    assert [event.record_id[-1] for event in store.get_history()] == ["1", "2", "1", "3", "2"]
    assert [event.seq for event in store.get_history("kh-0000000000000002")] == [2, 5]
    assert list(store.get_history("kh-none")) == []


def test_changes_are_given_from_a_number_on_and_by_the_piece(store: Store, put: Callable[..., Record]) -> None:
    for number in range(1, 8):
        put(store, number)
    assert [change.seq for change in store.get_changes(2, 3)] == [3, 4, 5]
    assert store.get_changes(7) == []
    assert store.last_seq() == 7


def test_equal_texts_have_unequal_commitments(store: Store, put: Callable[..., Record]) -> None:
    put(store, 1, body="one")
    put(store, 1, body="two")
    put(store, 1, body="one")
    assert len({event.commitment for event in store.get_history()}) == 3


def test_an_erased_record_leaves_its_commitments_only(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1, body="harpoon")
    put(store, 1, body="harpoon again")
    put(store, 2)
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.put_publication("kh-0000000000000001", "hub", "2026-03-04-harpoon.md")
        transaction.erase_record("kh-0000000000000001")
    assert store.get_record("kh-0000000000000001") is None
    assert store.get_search_text("kh-0000000000000001") is None
    assert store.get_publication("kh-0000000000000001", "hub") is None
    assert store.find_publication("hub", "2026-03-04-harpoon.md") is None
    events = list(store.get_history("kh-0000000000000001"))
    assert [(event.action, event.payload) for event in events] == [("create", None), ("update", None), ("erase", None)]
    assert all(len(event.commitment) == 64 for event in events)
    assert store.get_changes(3) == [Change(seq=4, record_id="kh-0000000000000001", op="remove")]
    assert [record.id for record in store.list_records(RecordFilter(include_inactive=True))] == ["kh-0000000000000002"]
    assert store.check_history() == []


def test_erasing_nothing_does_nothing(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    for _ in range(2):
        with store.transaction(actor="captain", at=noon) as transaction:
            transaction.erase_record("kh-0000000000000001")
            transaction.erase_record("kh-none")
    assert store.last_seq() == 2


def test_an_erased_id_can_be_written_anew(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1, body="old")
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.erase_record("kh-0000000000000001")
    assert put(store, 1, body="new").revision == 1
    assert store.check_history() == []


def test_a_retracted_record_can_be_erased(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.set_status("kh-0000000000000001", "retracted", action="forget")
        transaction.erase_record("kh-0000000000000001")
    assert store.check_history() == []


def test_a_long_history_is_whole(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    for start in (0, 250, 500):
        with store.transaction(actor="mate", at=noon) as transaction:
            for number in range(start, start + 250):
                transaction.put_record(make_record(number), make_search())
    assert len(list(store.get_history())) == 750
    assert store.check_history() == []


def test_the_clock_may_go_back(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1, at=noon)
    put(store, 2, at=noon - timedelta(days=400))
    assert store.check_history() == []
    assert [event.seq for event in store.get_history()] == [1, 2]
