"""Many records in one call: what one by one would have given, however odd the texts are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from diarist.errors import InvalidInputError
from diarist.model.record import Part, Record, RecordFilter, SearchText
from diarist.ports import Store

Make = Callable[..., Record]
MakeSearch = Callable[..., SearchText]
ODD = ["", "NULL", "null", '"', "\\", "a,b", "{a}", "{}", "'", " ", "\t", "\n", "\0", "a\0b", "é", "\U0001f980"]
ODD += ["%s", ":x", "\\N", '\\"', "()"]


def test_records_of_one_call_are_as_if_each_had_come_alone(
    open_again: Callable[..., Store], make_record: Make, make_search: MakeSearch, noon: datetime
) -> None:
    together, alone = open_again("a"), open_again("b")
    flags = [None, True, False]
    records = [make_record(n, title=odd, task_id=odd, tags=(odd, "x"), verified=flags[n % 3]) for n, odd in enumerate(ODD, 1)]
    with together.transaction(actor="mate", at=noon) as transaction:
        assert transaction.put_records([(record, make_search(1), "") for record in records]) == [True] * len(records)
    for record in records:
        with alone.transaction(actor="mate", at=noon) as transaction:
            transaction.put_record(record, make_search(1))
    for store in (together, alone):
        assert [record.title for record in store.list_records(RecordFilter(), sort="id")] == ODD
        assert store.check_history() == []
    assert list(together.list_records(RecordFilter(), sort="id")) == list(alone.list_records(RecordFilter(), sort="id"))
    assert [together.get_search_text(record.id) for record in records] == [make_search(1)] * len(records)
    together.close()
    alone.close()


def test_a_record_that_comes_twice_is_changed_twice(store: Store, make_record: Make, make_search: MakeSearch, noon: datetime) -> None:
    first, other, second = make_record(1), make_record(2), make_record(1, body="newer")
    with store.transaction(actor="mate", at=noon) as transaction:
        wanted = [(each, make_search(1), action) for each, action in ((first, ""), (other, "observe"), (second, ""), (second, ""))]
        assert transaction.put_records(wanted) == [True, True, True, False]
    kept = store.get_record(first.id)
    assert kept is not None
    assert (kept.revision, kept.body) == (2, second.body)
    assert [event.action for event in store.get_history()] == ["create", "observe", "update"]
    texts = {seq: search for seq, (_, search) in store.get_indexed([1, 2, 3]).items()}
    assert texts == {1: None, 2: make_search(1), 3: make_search(1)}, "that of an earlier change is gone"
    assert store.check_history() == []


def test_what_was_written_is_read_in_the_same_transaction(store: Store, make_record: Make, make_search: MakeSearch, noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_records([(make_record(n), make_search(n), "") for n in range(1, 4)])
        assert store.get_record(make_record(2).id) is not None
        transaction.set_status(make_record(2).id, "retracted", action="")
        transaction.put_publication(make_record(1).id, "diary", "a.json")
        assert store.find_publication("diary", "a.json") == make_record(1).id
    assert store.list_names_of([make_record(n).id for n in range(5)]) == {(make_record(1).id, "diary"): "a.json"}
    assert store.list_holders("diary", ["a.json", "b.json"]) == {"a.json": make_record(1).id}
    assert store.list_holders("hub", ["a.json"]) == {}
    assert store.count_records(RecordFilter()) == 2


def test_a_call_that_fails_leaves_nothing(store: Store, make_record: Make, make_search: MakeSearch, noon: datetime) -> None:
    with pytest.raises(InvalidInputError), store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_records([(make_record(1), make_search(1), ""), (make_record(2, title="\ud800"), make_search(2), "")])
    assert (store.count_records(RecordFilter()), store.last_seq()) == (0, 0)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_records([(make_record(1), make_search(1), "")])
    assert store.check_history() == []


def test_more_than_can_wait_at_once(
    store: Store, make_record: Make, make_search: MakeSearch, make_part: Callable[..., Part], noon: datetime
) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        for number in range(1, 701):
            transaction.put_part(make_part(session=f"s{number}"), changed=False)
            transaction.clear_dirty("sailor", f"s{number}")
        transaction.put_records([(make_record(number), make_search(number), "") for number in range(1, 1201)])
    assert store.count_records(RecordFilter()) == 1200
    assert len(list(store.list_sessions())) == 700
    assert store.check_history() == []
