"""All or nothing, one writer at a time, and readers see what is committed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from diarist.model.record import Part, Record, RecordFilter, SearchText, Tombstone
from diarist.ports import Store


class ShipwreckError(Exception):
    pass


@pytest.mark.parametrize("error", [ShipwreckError, KeyboardInterrupt])
def test_an_exception_undoes_everything(
    store: Store,
    make_record: Callable[..., Record],
    make_search: Callable[..., SearchText],
    make_part: Callable[..., Part],
    noon: datetime,
    error: type[BaseException],
) -> None:
    def write_and_fail() -> None:
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.put_record(make_record(), make_search())
            transaction.put_part(make_part())
            transaction.put_tombstone(Tombstone(kind="value", hash="ab", at=noon, actor="mate"))
            transaction.put_publication("kh-1", "hub", "a.md")
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert store.last_seq() == 0
    assert store.count_records(RecordFilter()) == 0
    assert list(store.get_history()) == []
    assert store.get_changes(0) == []
    assert store.list_dirty() == []
    assert store.list_tombstones() == []
    with store.transaction(actor="mate", at=noon) as transaction:
        assert transaction.put_record(make_record(), make_search())
    assert store.check_history() == []


def test_a_transaction_reads_its_own_writes(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_record(make_record(), make_search())
        assert store.get_record("kh-0000000000000001") is not None
        assert store.find_ids("task-1") == ["kh-0000000000000001"]


def test_transactions_do_not_nest(store: Store, noon: datetime) -> None:
    with (
        store.transaction(actor="mate", at=noon),
        pytest.raises(RuntimeError, match="already"),
        store.transaction(actor="mate", at=noon),
    ):
        pass


def test_an_empty_transaction_leaves_no_trace(store: Store, noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon):
        pass
    assert store.last_seq() == 0
    assert store.check_history() == []


def test_other_threads_see_only_what_is_committed(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    written, looked = threading.Event(), threading.Event()

    def look() -> tuple[int, int]:
        written.wait(10)
        during = store.count_records(RecordFilter())
        looked.set()
        return during, store.last_seq()

    with ThreadPoolExecutor(1) as pool:
        seen = pool.submit(look)
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.put_record(make_record(), make_search())
            written.set()
            looked.wait(0.2)  # a store with one connection makes the reader wait; then it sees the committed state
        during, last = seen.result(10)
    assert (during, last) in {(0, 0), (0, 1), (1, 1)}
    assert store.count_records(RecordFilter()) == 1


def test_threads_that_write_at_once_lose_nothing(store: Store, put: Callable[..., Record]) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: put(store, number), range(80)))
    assert store.count_records(RecordFilter()) == 80
    assert store.last_seq() == 80
    assert [event.seq for event in store.get_history()] == list(range(1, 81))
    assert store.check_history() == []


def test_stores_that_write_at_once_lose_nothing(open_again: Callable[[], Store], put: Callable[..., Record]) -> None:
    def write(start: int) -> None:
        mine = open_again()
        for number in range(start, start + 25):
            put(mine, number)
        mine.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, (0, 25, 50, 75)))
    store = open_again()
    assert store.count_records(RecordFilter()) == 100
    assert store.check_history() == []
    store.close()


def test_a_store_that_is_open_sees_what_another_commits(open_again: Callable[[], Store], put: Callable[..., Record]) -> None:
    first, second = open_again(), open_again()
    put(first, 1)
    put(second, 2, body="theirs")
    put(first, 2, body="mine")
    assert [record.id[-1] for record in second.list_records(RecordFilter(), sort="created_at")] == ["1", "2"]
    kept = second.get_record("kh-0000000000000002")
    assert kept is not None
    assert (kept.revision, kept.body) == (2, b'"mine"')
    assert second.check_history() == first.check_history() == []
    first.close()
    second.close()


def test_a_closed_store_is_not_used(store: Store) -> None:
    store.close()
    with pytest.raises(RuntimeError, match="closed"):
        store.last_seq()
