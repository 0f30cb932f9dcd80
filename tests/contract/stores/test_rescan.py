"""What a rescan needs: to rewrite what is kept, to forget what it said before, and to leave nothing behind."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from diarist.errors import ReadOnlyError
from diarist.model.record import Part, Record, SearchText
from diarist.model.redacted import derived
from diarist.model.use import Use
from diarist.ports import Store
from diarist.stores import open_store, open_vault

ID = "kh-0000000000000001"


def test_a_record_can_be_rewritten_though_its_body_is_the_same(
    store: Store, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    for title, rewrite in (("sail with a secret", False), ("sail", False), ("sail", True)):
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.put_record(make_record(title=title), make_search(), action="rescan" if rewrite else "", rewrite=rewrite)
    kept = store.get_record(ID)
    assert kept is not None
    assert (kept.title, kept.revision) == ("sail", 2)
    assert [event.action for event in store.get_history()] == ["create", "rescan"]
    assert store.check_history() == []


def test_forgotten_payloads_are_gone_and_history_says_so(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    for body in ("harpoon", "whale", "boat"):
        put(store, 1, body=body)
    put(store, 2, body="harpoon")
    with store.transaction(actor="captain", at=noon + timedelta(1)) as transaction:
        assert transaction.forget_payloads(ID, [1, 3, 4, 99]) == 1
    events = list(store.get_history(ID))
    assert [(event.action, event.payload is None) for event in events] == [
        ("create", True),
        ("update", False),
        ("update", False),
        ("rescan", False),
    ]
    kept = store.get_record(ID)
    assert kept is not None
    assert kept.body == b'"boat"'
    assert kept.seq == events[-1].seq
    assert store.check_history() == []
    assert b"harpoon" in (next(store.get_history("kh-0000000000000002")).payload or b"")


def test_forgetting_nothing_does_nothing(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    with store.transaction(actor="captain", at=noon) as transaction:
        assert transaction.forget_payloads(ID, [1]) == 0
        assert transaction.forget_payloads(ID, []) == 0
        assert transaction.forget_payloads("kh-none", [1]) == 0
    assert store.last_seq() == 1


def test_what_was_forgotten_can_be_forgotten_again_and_the_record_erased(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    for body in ("harpoon", "whale", "boat"):
        put(store, 1, body=body)
    for seqs in ([1], [1, 2]):
        with store.transaction(actor="captain", at=noon) as transaction:
            assert transaction.forget_payloads(ID, seqs) == 1
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.erase_record(ID)
    assert store.check_history() == []
    assert all(event.payload is None for event in store.get_history(ID))


def test_a_payload_that_goes_missing_later_is_a_break(tmp_path: Path, put: Callable[..., Record], noon: datetime) -> None:
    """Only what lies before the rescan may be missing."""
    store = open_store(tmp_path)
    for body in ("harpoon", "boat"):
        put(store, 1, body=body)
    with store.transaction(actor="captain", at=noon) as transaction:
        transaction.forget_payloads(ID, [1])
    put(store, 1, body="net")
    put(store, 1, body="rope")
    assert store.check_history() == []
    store.close()
    connection = sqlite3.connect(tmp_path / "diarist.db", isolation_level=None)
    connection.execute("DELETE FROM history_payloads WHERE seq = 4")
    connection.close()
    store = open_store(tmp_path)
    assert store.check_history() == [f"event 4 ({ID}): its payload is missing, and it was not erased"]
    store.close()


def test_history_is_given_from_a_change_on(store: Store, put: Callable[..., Record]) -> None:
    for number in (1, 2, 1, 2, 1):
        put(store, number, body=f"{store.last_seq()}")
    assert [event.seq for event in store.get_history(after=3)] == [4, 5]
    assert [event.seq for event in store.get_history(ID, after=1)] == [3, 5]


def test_a_part_that_tells_the_same_leaves_its_session_clean(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part(rules_version="2"), changed=False)
    assert store.list_dirty() == []
    assert store.get_parts("sailor", "session-1") == [make_part(rules_version="2")]


def test_sessions_of_other_rules_are_listed_once(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        for session, key, version in (("s2", "a", "1"), ("s2", "b", "1"), ("s1", "a", ""), ("s3", "a", "2")):
            transaction.put_part(make_part(session, key, rules_version=version))
    assert store.list_outdated("2") == [("sailor", "s1"), ("sailor", "s2")]
    assert store.list_outdated("1") == [("sailor", "s1"), ("sailor", "s3")]


def test_chunks_are_named_as_long_as_any_part_names_them(store: Store, make_part: Callable[..., Part], noon: datetime) -> None:
    first, second, third = "aa" * 32, "bb" * 32, "cc" * 32
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part("s1", chunks=(first, second)))
        transaction.put_part(make_part("s2", chunks=(second,)))
        transaction.put_part(make_part("s3", chunks=()))
    assert store.find_named_chunks([first, second, third]) == {first, second}
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_part(make_part("s1", chunks=(third,)))
    assert store.find_named_chunks([first, second, third]) == {second, third}
    assert store.find_named_chunks([]) == set()


def test_a_published_file_can_be_given_another_name(store: Store, noon: datetime) -> None:
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_publication(ID, "hub", "harpoon.md")
        transaction.put_publication(ID, "diary", "task.json")
        transaction.move_publication(ID, "hub", "boat.md")
        transaction.move_publication(ID, "other", "nothing.md")
    assert store.list_publications(ID) == [("diary", "task.json"), ("hub", "boat.md")]
    assert store.find_publication("hub", "harpoon.md") is None
    assert store.list_publications("kh-none") == []


def test_a_session_of_the_ledger_can_be_called_otherwise(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    put(store, 1)
    with store.transaction(actor="mate", at=noon) as transaction:
        for session in ("harpoon", "boat", "harpoon too"):
            transaction.add_use(Use(ID, session, noon, "shown"))
        transaction.rename_use_session("harpoon", "boat")
        transaction.rename_use_session("harpoon too", "net")
        transaction.rename_use_session("net", "net")
    assert store.list_use_sessions() == ["boat", "net"]
    assert [use.session for use in store.list_uses(ID)] == ["boat", "net"]


def test_a_store_is_whole_after_it_was_compacted(store: Store, put: Callable[..., Record]) -> None:
    for number in range(20):
        put(store, number)
    store.compact()
    put(store, 20)
    assert store.check_history() == store.check_storage() == []
    assert len(list(store.get_history())) == 21


def test_nothing_of_what_was_erased_is_left_in_the_files(
    tmp_path: Path, make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    """Free pages, gaps within pages, and the log, while the store is still open."""
    with_secret = "harpoon"
    store = open_store(tmp_path)
    for number in range(200):
        with store.transaction(actor="mate", at=noon) as transaction:
            body = f"{with_secret} {number} " * (number % 40)
            transaction.put_record(make_record(number, body=body, title=derived(f"{with_secret} {number}")), make_search())
    for number in range(200):
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.put_record(make_record(number, body="boat"), make_search(), rewrite=True)
            transaction.forget_payloads(f"kh-{number:016d}", [number + 1, number * 2 + 201])
    for number in range(200):
        seqs = [event.seq for event in store.get_history(f"kh-{number:016d}")]
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.forget_payloads(f"kh-{number:016d}", seqs[:1])
    store.compact()
    assert b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir())).count(with_secret.encode()) == 0
    assert store.check_history() == []
    store.close()


def test_a_store_opened_for_reading_is_not_compacted(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    store = open_store(tmp_path, read_only=True)
    with pytest.raises(ReadOnlyError):
        store.compact()
    store.close()


def test_half_written_chunks_are_swept_when_their_writers_must_be_dead(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    chunk = vault.put(b"whole")
    old, young = tmp_path / "vault" / "tmp" / "1-aa", tmp_path / "vault" / "tmp" / "2-bb"
    for path in (old, young):
        path.write_bytes(b"torn")
    os.utime(old, (time.time() - 3600,) * 2)
    vault.sweep()
    assert not old.exists()
    assert young.exists()
    assert vault.get(chunk) == b"whole"
