"""Records: written whole or not at all, found again, never half changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from diarist.errors import InvalidInputError, NotFoundError
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.ports import Store


def ids(store: Store, sort: str = "-created_at", limit: int | None = None, **where: Any) -> list[str]:
    return [record.id[-2:] for record in store.list_records(RecordFilter(**where), sort=sort, limit=limit)]


def test_a_record_comes_back_as_it_was_written(store: Store, put: Callable[..., Record], make_record: Callable[..., Record]) -> None:
    written = make_record(
        7,
        body={"tïtle": "naïve ✓ 😀", "lines": "a\nb\r\n"},
        namespace="deck",
        workflow="voyage",
        verified=False,
        title="Naïve ✓ 😀",
        tags=("β", "alpha", "a,b"),
        trust="person",
        created_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    )
    kept = put(
        store,
        7,
        body={"tïtle": "naïve ✓ 😀", "lines": "a\nb\r\n"},
        namespace="deck",
        workflow="voyage",
        verified=False,
        title="Naïve ✓ 😀",
        tags=("β", "alpha", "a,b"),
        trust="person",
        created_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    )
    assert {name: getattr(kept, name) for name in kept.__struct_fields__ if name != "seq"} == {
        name: getattr(written, name) for name in written.__struct_fields__ if name != "seq"
    }
    assert kept.seq == store.last_seq() == 1


@pytest.mark.parametrize("verified", [None, True, False])
def test_verified_keeps_its_three_values(store: Store, put: Callable[..., Record], verified: bool | None) -> None:
    assert put(store, verified=verified).verified is verified


def test_times_come_back_in_utc(store: Store, put: Callable[..., Record]) -> None:
    east = datetime(2026, 1, 1, 8, tzinfo=timezone(timedelta(hours=8)))
    kept = put(store, created_at=east)
    assert kept.created_at == east
    assert kept.created_at.utcoffset() == timedelta(0)
    assert store.check_history() == []


@pytest.mark.parametrize("at", [datetime(1969, 7, 20, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_any_time_of_the_calendar_can_be_kept(store: Store, put: Callable[..., Record], at: datetime) -> None:
    assert put(store, created_at=at).created_at == at


def test_an_unknown_id_is_no_record(store: Store) -> None:
    assert store.get_record("kh-aaaaaaaaaaaaaaaa") is None
    assert store.get_search_text("kh-aaaaaaaaaaaaaaaa") is None


def test_the_search_text_is_kept_beside_the_record(
    store: Store, put: Callable[..., Record], make_search: Callable[..., SearchText]
) -> None:
    assert store.get_search_text(put(store, 3).id) == make_search(3)


def test_writing_the_same_again_changes_nothing(
    store: Store, put: Callable[..., Record], make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    kept = put(store)
    with store.transaction(actor="mate", at=noon) as transaction:
        assert not transaction.put_record(make_record(title="Another title, the same body"), make_search())
    assert store.get_record(kept.id) == kept
    assert store.last_seq() == 1
    assert len(list(store.get_history())) == 1


def test_a_changed_body_replaces_and_counts_up(store: Store, put: Callable[..., Record]) -> None:
    first = put(store)
    second = put(store, body={"mended": True}, title="Mended", tags=("knot",))
    assert (first.revision, second.revision) == (1, 2)
    assert (second.title, second.tags, second.seq) == ("Mended", ("knot",), 2)
    assert ids(store, tag="sail") == []
    assert ids(store, tag="knot") == ["01"]


def test_a_changed_status_alone_is_a_change(store: Store, put: Callable[..., Record]) -> None:
    put(store)
    assert put(store, status="superseded").revision == 2


def test_a_digest_that_is_not_the_bodys_is_refused(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    record = make_record()
    forged = Record(**{name: getattr(record, name) for name in record.__struct_fields__} | {"body": b"{}"})
    with pytest.raises(InvalidInputError, match="digest"), store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_record(forged, make_search())
    assert store.last_seq() == 0


def test_a_time_without_zone_is_refused(store: Store, put: Callable[..., Record]) -> None:
    with pytest.raises(InvalidInputError, match="time zone"):
        put(store, created_at=datetime(2026, 1, 1))  # noqa: DTZ001
    assert store.count_records(RecordFilter()) == 0


def test_half_a_surrogate_pair_is_refused_and_nothing_is_written(store: Store, put: Callable[..., Record]) -> None:
    with pytest.raises(InvalidInputError, match="Unicode"):
        put(store, title="broken \ud83d")
    assert store.count_records(RecordFilter()) == 0
    put(store)
    assert store.check_history() == []


def test_the_body_is_kept_byte_for_byte(store: Store, put: Callable[..., Record]) -> None:
    kept = put(store, body="line one\nline two\n\n")
    assert kept.body == b'"line one\\nline two\\n\\n"'


# Status


def test_a_retracted_record_leaves_lists_but_can_be_read(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    kept = put(store)
    later = noon + timedelta(hours=1)
    with store.transaction(actor="captain", at=later) as transaction:
        assert transaction.set_status(kept.id, "retracted", action="forget")
        assert not transaction.set_status(kept.id, "retracted", action="forget")
    gone = store.get_record(kept.id)
    assert gone is not None
    assert (gone.status, gone.revision, gone.updated_at, gone.body) == ("retracted", 2, later, kept.body)
    assert ids(store) == []
    assert ids(store, include_inactive=True) == ["01"]
    assert store.check_history() == []


def test_a_record_can_be_restored(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    kept = put(store)
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.set_status(kept.id, "retracted", action="forget")
        transaction.set_status(kept.id, "active", action="restore")
    assert ids(store) == ["01"]
    assert [(change.op, change.seq) for change in store.get_changes(0)] == [("put", 1), ("remove", 2), ("put", 3)]


def test_the_status_of_nothing_cannot_be_set(store: Store, noon: datetime) -> None:
    with pytest.raises(NotFoundError, match="kh-none"), store.transaction(actor="mate", at=noon) as transaction:
        transaction.set_status("kh-none", "retracted", action="forget")


def test_an_unknown_status_is_refused(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    kept = put(store)
    with pytest.raises(InvalidInputError, match="sunk"), store.transaction(actor="mate", at=noon) as transaction:
        transaction.set_status(kept.id, "sunk", action="sink")


# Finding by id


def test_ids_are_found_by_id_task_id_and_prefix(store: Store, put: Callable[..., Record]) -> None:
    put(store, 1, task_id="fix-login")
    put(store, 2, task_id="fix-logout")
    put(store, 3, task_id="fix-login")
    put(store, 4, task_id="fix")
    put(store, 5, kind="note", task_id="")
    assert store.find_ids("kh-0000000000000002") == ["kh-0000000000000002"]
    assert store.find_ids("fix-login") == ["kh-0000000000000001", "kh-0000000000000003"]
    assert store.find_ids("fix-logo") == ["kh-0000000000000002"]
    assert store.find_ids("fix") == ["kh-0000000000000004"], "an exact match wins over prefixes"
    assert store.find_ids("fi") == [f"kh-000000000000000{n}" for n in (1, 2, 3, 4)]
    assert store.find_ids("kh-", ("note",)) == ["kh-0000000000000005"]
    assert store.find_ids("nothing") == store.find_ids("") == []


def test_a_task_id_that_looks_like_a_pattern_is_taken_literally(store: Store, put: Callable[..., Record]) -> None:
    put(store, 1, task_id="50%_done")
    put(store, 2, task_id="500_done")
    put(store, 3, task_id="TASK-é😀x")
    assert store.find_ids("50%") == ["kh-0000000000000001"]
    assert store.find_ids("TASK-é😀") == ["kh-0000000000000003"]
    assert store.find_ids("task") == [], "case counts"


def test_inactive_records_are_not_found_by_id(store: Store, put: Callable[..., Record]) -> None:
    put(store, 1, status="retracted")
    assert store.find_ids("task-1") == []


# Lists


def test_lists_narrow_by_every_field(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    put(store, 2, project="island")
    put(store, 3, agent="cook")
    put(store, 4, workflow="voyage")
    put(store, 5, outcome="failed")
    put(store, 6, tags=("Sail", "knot"))
    put(store, 7, kind="note")
    put(store, 8, session_id="s", task_id="t")
    assert ids(store, project="island") == ["02"]
    assert ids(store, agent="cook") == ["03"]
    assert ids(store, workflow="voyage") == ["04"]
    assert ids(store, outcome="failed") == ["05"]
    assert ids(store, tag="Sail") == ["06"]
    assert ids(store, kinds=("note",)) == ["07"]
    assert ids(store, kinds=("note", "entry"), tag="knot", project="harbour") == ["06"]
    assert ids(store, session_id="s") == ids(store, task_id="t") == ["08"]
    assert ids(store, since=noon + timedelta(minutes=7)) == ["08", "07"]
    assert ids(store, before=noon + timedelta(minutes=3)) == ["02", "01"]
    assert ids(store, since=noon + timedelta(minutes=2), before=noon + timedelta(minutes=4)) == ["03", "02"]
    assert ids(store, project="") == []
    assert store.count_records(RecordFilter(agent="sailor")) == 7
    assert store.count_records(RecordFilter(tag="sail", kinds=("entry",))) == 6


def test_lists_sort_both_ways_and_by_id_where_equal(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 3, created_at=noon, title="b", updated_at=noon)
    put(store, 1, created_at=noon, title="B", updated_at=noon + timedelta(1))
    put(store, 2, created_at=noon + timedelta(1), title="a", updated_at=noon - timedelta(1))
    assert ids(store) == ["02", "01", "03"]
    assert ids(store, sort="created_at") == ["01", "03", "02"]
    assert ids(store, sort="title") == ["01", "02", "03"]
    assert ids(store, sort="-title") == ["03", "02", "01"]
    assert ids(store, sort="-updated_at") == ["01", "03", "02"]
    assert ids(store, sort="task_id") == ["01", "02", "03"]
    assert ids(store, sort="outcome") == ["01", "02", "03"]


@pytest.mark.parametrize("sort", ["body", "created_at DESC; DROP TABLE records", "", "--created_at"])
def test_an_unknown_order_is_refused(store: Store, sort: str) -> None:
    with pytest.raises(InvalidInputError, match="sorted"):
        list(store.list_records(RecordFilter(), sort=sort))


def test_lists_stop_at_their_limit(store: Store, put: Callable[..., Record]) -> None:
    for number in range(1, 6):
        put(store, number)
    assert ids(store, limit=2) == ["05", "04"]
    assert ids(store, limit=0) == []


def test_long_lists_come_whole_while_the_store_changes(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        for number in range(1000):
            transaction.put_record(make_record(number), make_search())
    listed = []
    for count, record in enumerate(store.list_records(RecordFilter(), sort="created_at")):
        listed.append(record.id)
        if count == 10:
            with store.transaction(actor="mate", at=noon) as transaction:
                transaction.erase_record("kh-0000000000000900")
                transaction.put_record(make_record(901, body="new"), make_search())
                transaction.put_record(make_record(2000), make_search())
    assert listed == [f"kh-{number:016d}" for number in range(1000) if number != 900]


def test_bodies_come_with_the_digest_of_what_they_are_while_the_store_changes(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    """In the order asked for; each as it was when the list was begun or as it is now, and without what was erased meanwhile."""
    written = {record.id: record for record in map(make_record, range(500))}
    with store.transaction(actor="mate", at=noon) as transaction:
        for record in written.values():
            transaction.put_record(record, make_search())
    new = make_record(401, body="new")
    listed = []
    for count, each in enumerate(store.list_bodies(RecordFilter(), sort="created_at")):
        listed.append(each)
        if count == 10:
            with store.transaction(actor="mate", at=noon) as transaction:
                transaction.erase_record("kh-0000000000000400")
                transaction.put_record(new, make_search())
    assert [record_id for record_id, _, _ in listed] == [f"kh-{number:016d}" for number in range(500) if number != 400]
    for record_id, digest, body in listed:
        assert (digest, body) in [(each.digest, each.body) for each in (written[record_id], new)]


# By number of a change


def test_records_are_found_by_any_of_their_changes(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    put(store, 2)
    new = put(store, 1, body="new")
    assert {seq: record.id[-1] for seq, record in store.get_records([1, 2, 3, 99]).items()} == {1: "1", 2: "2", 3: "1"}
    assert store.get_records([1])[1] == new
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(new.id)
    assert list(store.get_records([1, 2, 3, 4])) == [2]


def test_the_index_is_fed_with_texts_and_with_bodies_of_what_may_tell_of_others(
    store: Store, put: Callable[..., Record], noon: datetime
) -> None:
    entry, note = put(store, 1), put(store, 2, kind="note")
    found = store.get_indexed([1, 2, 99])
    assert found.keys() == {1, 2}
    assert found[1] == (msgspec.structs.replace(entry, body=b""), store.get_search_text(entry.id))
    assert found[2] == (note, store.get_search_text(note.id))
    changed = put(store, 1, body="new")
    assert store.get_indexed([1]) == {1: (msgspec.structs.replace(changed, body=b""), None)}, "its text comes with its newest change"
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(note.id)
    assert list(store.get_indexed([2, 3])) == [3]
    assert store.get_indexed([]) == {}


def test_hits_keep_the_order_asked_for_and_tell_what_a_list_shows(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1, verified=True, tags=("sail", "knot"))
    put(store, 2)
    put(store, 3)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.set_status("kh-0000000000000003", "retracted", action="forget")
    found = store.get_hits([2, 99, 3, 1])
    assert [(hit.seq, hit.id) for hit in found] == [(2, "kh-0000000000000002"), (1, "kh-0000000000000001")]
    hit = found[1]
    assert (hit.kind, hit.title, hit.project, hit.agent, hit.outcome, hit.verified) == (
        "entry",
        "Mend sail 1",
        "harbour",
        "sailor",
        "completed",
        True,
    )
    assert (hit.created_at, hit.tags, hit.status) == ("2026-03-04T12:01:00Z", ("sail", "knot"), "active")
    assert (hit.errors, hit.fixes, hit.text) == ("canvas torn", "sewn", "please mend sail 1")


def test_hits_and_records_of_nothing_are_nothing(store: Store) -> None:
    assert store.get_hits([]) == []
    assert store.get_records([]) == {}


@pytest.mark.parametrize("wanted", ["kh-\x00", "' OR 1=1 --", "%", "_", "\U0010ffff", "x" * 100_000])
def test_any_text_can_be_looked_for(store: Store, put: Callable[..., Record], wanted: str) -> None:
    put(store)
    assert store.find_ids(wanted) == []
    assert store.get_record(wanted) is None
    assert ids(store, project=wanted) == ids(store, tag=wanted) == []


def test_looking_for_what_is_no_text_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="Unicode"):
        store.find_ids("half \udcff")
