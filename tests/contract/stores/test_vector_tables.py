"""Embeddings in the store: derived, tagged with their model, gone with the text they were made of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from diarist.model.machinery import Spending
from diarist.model.record import Record
from diarist.ports import Store
from diarist.stages.vectors import pack


def make(store: Store, model: str, at: datetime, limit: int = 10) -> int:
    """Embeds what waits, two passages a record."""
    waiting = store.list_unembedded(model, limit)
    with store.transaction(actor="mate", at=at) as transaction:
        for record_id, seq, text in waiting:
            assert text.title
            assert transaction.put_vectors(model, record_id, seq, [pack([1.0, 2.0]), pack([2.0, 1.0])])
    return len(waiting)


def test_records_wait_until_a_model_has_seen_their_present_text(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first, second = put(store, 1), put(store, 2)
    put(store, 3, kind="observation")
    assert [row[0] for row in store.list_unembedded("m", 10)] == [second.id, first.id], "the newest first"
    assert store.count_unembedded("m") == 2
    assert make(store, "m", noon) == 2
    assert store.count_unembedded("m") == 0
    assert store.count_embeddings() == [("m", 2, 4)]
    assert store.find_vector_end("m")[0] == 4
    put(store, 1, body="another")
    assert [row[0] for row in store.list_unembedded("m", 10)] == [first.id]
    assert {row[0] for row in store.list_vectors("m")} == {second.id}, "what was made of a text goes with it"


def test_what_is_new_can_be_asked_for(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    make(store, "m", noon)
    _, end = store.find_vector_end("m")
    assert store.list_vectors("m", end) == []
    second = put(store, 2)
    make(store, "m", noon)
    assert store.list_vectors("m", end) == [(second.id, pack([1.0, 2.0])), (second.id, pack([2.0, 1.0]))]


def test_a_number_is_never_given_twice(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    """A reader that knows how many there are, and the last number, sees that the last one was made anew."""
    put(store, 1)
    make(store, "m", noon)
    before = store.find_vector_end("m")
    put(store, 1, body="another")
    make(store, "m", noon + timedelta(seconds=1))
    assert store.find_vector_end("m")[0] == before[0]
    assert store.find_vector_end("m")[1] > before[1]


def test_vectors_of_a_text_that_changed_meanwhile_are_not_kept(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first = put(store, 1)
    ((record_id, seq, _),) = store.list_unembedded("m", 10)
    put(store, 1, body="another")
    with store.transaction(actor="mate", at=noon) as transaction:
        assert not transaction.put_vectors("m", record_id, seq, [pack([1.0])])
        assert not transaction.put_vectors("m", "kh-none", seq, [pack([1.0])])
    assert store.list_vectors("m") == []
    assert record_id == first.id


def test_a_record_without_text_is_marked_as_seen(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    ((record_id, seq, _),) = store.list_unembedded("m", 10)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_vectors("m", record_id, seq, [b""])
    assert store.count_unembedded("m") == 0
    assert store.list_vectors("m") == [(record_id, b"")]


def test_a_new_model_starts_anew_and_what_others_made_goes(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    make(store, "old", noon)
    assert store.count_unembedded("new") == 1
    with store.transaction(actor="mate", at=noon) as transaction:
        assert transaction.keep_vectors_of("new") == 2
    assert store.count_embeddings() == []


def test_erasing_a_record_takes_its_vectors_along(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first, second = put(store, 1), put(store, 2)
    make(store, "m", noon)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(first.id)
        transaction.set_status(second.id, "retracted", action="retract")
    assert {row[0] for row in store.list_vectors("m")} == {second.id}
    assert set(store.list_seqs_of([first.id, second.id])) == {second.id}
    assert store.list_ids_by_seq([first.seq, second.seq]) == {first.id, second.id}


def test_what_embedding_costs_is_counted_apart(store: Store, noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.add_spending("2026-11-30", "embed", Spending(1, 500, 0))
        transaction.add_spending("2026-11-30", "reflect", Spending(1, 7, 3))
    assert store.get_spending("2026-11-30") == Spending(1, 7, 3)
    assert store.get_spending_of("2026-11-30", "embed") == Spending(1, 500, 0)
