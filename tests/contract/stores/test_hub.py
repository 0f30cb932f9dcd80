"""The hub's keys and kept answers, on every store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from diarist.model.access import Answer, ApiKey
from diarist.model.record import Record
from diarist.model.use import EntryCount
from diarist.ports import Store
from diarist.stores import open_store
from old_stores import write_old_store


def make_key(number: int, at: datetime, **more: object) -> ApiKey:
    return ApiKey(f"key-{number}", f"{number:064x}", f"name {number}", "local", None, "write", "me", at)._replace(**more)  # type: ignore[arg-type]


def test_a_key_is_found_by_its_hash_and_comes_back_as_it_was(store: Store, noon: datetime) -> None:
    keys = [make_key(1, noon), make_key(2, noon + timedelta(hours=1), opens="them", project="p", expires_at=noon + timedelta(days=1))]
    with store.transaction(actor="me", at=noon) as tx:
        for key in reversed(keys):
            tx.add_api_key(key)
    assert store.list_api_keys() == keys
    assert store.find_api_key(keys[1].hash) == keys[1]
    assert store.find_api_key("0" * 64) is None


def test_a_key_is_revoked_once_and_its_use_is_noted(store: Store, noon: datetime) -> None:
    with store.transaction(actor="me", at=noon) as tx:
        tx.add_api_key(make_key(1, noon))
        tx.touch_api_key("key-1", noon)
        assert [tx.revoke_api_key("key-1", noon), tx.revoke_api_key("key-1", noon), tx.revoke_api_key("key-2", noon)] == [
            True,
            False,
            False,
        ]
    [key] = store.list_api_keys()
    assert (key.used_at, key.revoked_at, key.is_good(noon)) == (noon, noon, False)


def test_the_first_answer_under_a_key_stays_until_it_is_old(store: Store, noon: datetime) -> None:
    first, second = Answer("a", 200, b"{}", noon), Answer("b", 201, b"[]", noon)
    with store.transaction(actor="me", at=noon) as tx:
        tx.put_answer("key-1", "k", first)
        tx.put_answer("key-1", "k", second)
        tx.put_answer("key-2", "k", second)
    assert store.find_answer("key-1", "k") == first
    assert store.find_answer("key-2", "k") == second
    with store.transaction(actor="me", at=noon) as tx:
        assert tx.delete_answers(noon) == 0
        assert tx.delete_answers(noon + timedelta(seconds=1)) == 2
    assert store.find_answer("key-1", "k") is None


def test_tenants_share_no_keys_and_no_answers(open_again: Callable[..., Store], noon: datetime) -> None:
    with closing(open_again("them")) as them, closing(open_again("us")) as us:
        with them.transaction(actor="mate", at=noon) as tx:
            tx.add_api_key(make_key(1, noon))
            tx.put_answer("key-1", "k", Answer("a", 200, b"{}", noon))
        assert us.list_api_keys() == []
        assert us.find_api_key(make_key(1, noon).hash) is None
        assert us.find_answer("key-1", "k") is None


def test_entries_are_counted_by_day_project_agent_and_outcome(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    put(store, 2)
    put(store, 3, outcome="failed", created_at=noon + timedelta(days=1))
    put(store, 4, project="quay", created_at=noon - timedelta(days=9))
    put(store, 5, kind="note")
    assert store.count_entries(noon - timedelta(days=1)) == [
        EntryCount("2026-03-04", "harbour", "sailor", "completed", 2),
        EntryCount("2026-03-05", "harbour", "sailor", "failed", 1),
    ]
    assert [row.project for row in store.count_entries(noon - timedelta(days=30), "quay")] == ["quay"]


def test_a_store_of_schema_2_gets_the_hubs_tables_and_keeps_what_it_has(tmp_path: Path, noon: datetime) -> None:
    write_old_store(tmp_path, "INSERT INTO workspaces VALUES ('local', 'name', x'00')")
    with closing(open_store(tmp_path)) as store:
        assert store.workspace_id() == "name"
        with store.transaction(actor="me", at=noon) as tx:
            tx.add_api_key(make_key(1, noon))
        assert len(store.list_api_keys()) == 1
