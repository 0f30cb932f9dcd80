"""Parts of sessions, sources, tombstones, published names, and the usefulness ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from diarist.model.record import Part, Record, SourceState, Tombstone
from diarist.model.use import Scope, Use
from diarist.ports import Store


def test_parts_come_back_whole_and_sorted(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    parts = [
        make_part(key="b", role="subagent", first_at=None, info=b'{"a":1}', capture=b'{"seen":3}', rules_version="3"),
        make_part(key="a"),
    ]
    with store.transaction(actor="mate", at=noon) as transaction:
        for part in parts:
            transaction.put_part(part)
    assert store.get_parts("sailor", "session-1") == [parts[1], parts[0]]
    assert store.get_parts("sailor", "session-2") == store.get_parts("cook", "session-1") == []


def test_a_part_replaces_the_one_with_its_key(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part(steps=1))
        transaction.put_part(make_part(steps=2, chunks=()))
    assert store.get_parts("sailor", "session-1") == [make_part(steps=2, chunks=())]


def test_a_session_is_dirty_until_it_is_cleared(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part("s2"))
        transaction.put_part(make_part("s1"))
        transaction.put_part(make_part("s1", key="other"))
    assert store.list_dirty() == [("sailor", "s1"), ("sailor", "s2")]
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.clear_dirty("sailor", "s1")
        transaction.clear_dirty("sailor", "unknown")
    assert store.list_dirty() == [("sailor", "s2")]
    assert list(store.list_sessions()) == [("sailor", "s1"), ("sailor", "s2")]


def test_a_session_that_lost_a_part_is_dirty(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part("s1"))
        transaction.clear_dirty("sailor", "s1")
        transaction.delete_part("sailor", "s1", "main-file")
        transaction.delete_part("sailor", "s2", "never there")
    assert store.list_dirty() == [("sailor", "s1")]
    assert list(store.list_sessions()) == []


def test_a_source_comes_back_as_it_was(store: Store, make_source: Callable[..., SourceState], noon: datetime) -> None:
    source = make_source()
    assert store.get_source(source.key) is None
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_source(source)
    assert store.get_source(source.key) == source
    changed = make_source(size=20, problem="cut off")
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_source(changed)
    assert list(store.list_sources()) == [changed]


def test_all_sources_are_listed_in_order(store: Store, make_source: Callable[..., SourceState], noon: datetime) -> None:
    keys = [f"k{number:04d}" for number in range(1000)]
    with store.transaction(actor="mate", at=noon) as transaction:
        for key in reversed(keys):
            transaction.put_source(make_source(key))
    assert [source.key for source in store.list_sources()] == keys


def test_a_tombstone_stays_as_it_was_set(store: Store, noon: datetime) -> None:
    for at in (noon, noon + timedelta(1)):
        with store.transaction(actor="captain", at=at) as transaction:
            transaction.put_tombstone(Tombstone(kind="value", hash="ab", at=at, actor="captain"))
    assert store.list_tombstones() == [Tombstone(kind="value", hash="ab", at=noon, actor="captain")]


def test_a_published_name_is_fixed_by_the_first(store: Store, noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_publication("kh-1", "hub", "a.md")
        transaction.put_publication("kh-1", "hub", "b.md")
        transaction.put_publication("kh-1", "diary", "c.json")
    assert store.get_publication("kh-1", "hub") == "a.md"
    assert store.find_publication("hub", "a.md") == "kh-1"
    assert store.find_publication("hub", "b.md") is store.find_publication("hub", "c.json") is None
    assert store.get_publication("kh-2", "hub") is None


def test_the_workspace_has_a_secret_that_stays(open_again: Callable[[], Store]) -> None:
    first, second = open_again(), open_again()
    assert len(first.tombstone_key()) == 32
    assert first.tombstone_key() == second.tombstone_key()
    first.close()
    second.close()


def test_uses_are_kept_once_and_only_of_records_that_are_there(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first, second = put(store, 1).id, put(store, 2).id
    shown = Use(first, "sailor:s1", noon, "shown")
    helped = Use(first, "sailor:s1", noon + timedelta(minutes=1), "helped")
    other = Use(second, "sailor:s2", noon, "shown")
    with store.transaction(actor="mate", at=noon) as transaction:
        assert [transaction.add_use(use) for use in (helped, shown, shown, other)] == [True, True, False, True]
        assert not transaction.add_use(Use("kh-none", "sailor:s1", noon, "shown"))
    assert store.list_uses(first) == [shown, helped]
    assert store.list_uses() == [helped, shown, other]
    assert store.list_uses(limit=1) == [helped]
    assert store.check_history() == []
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(first)
    assert store.list_uses() == [other]


def test_scopes_count_what_is_active(store: Store, put: Callable[..., Record]) -> None:
    put(store, 1)
    put(store, 2)
    put(store, 3, kind="note")
    put(store, 4, project="island")
    put(store, 5, project="island", status="retracted")
    assert store.list_scopes() == [
        Scope("harbour", "entry", "sailor", 2),
        Scope("harbour", "note", "sailor", 1),
        Scope("island", "entry", "sailor", 1),
    ]
