"""Parts of sessions, sources, tombstones and published names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from diarist.model.record import Part, SourceState, Tombstone
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
    assert store.has_tombstone("value", "ab")
    assert not store.has_tombstone("source", "ab")
    assert not store.has_tombstone("value", "cd")


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
