"""Whatever happens to the file: an error that says so, or data that is whole. Never an error of the driver, never a lie."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from diarist.errors import DiaristError, StoreCorruptError, StoreLockedError
from diarist.model.record import RecordFilter
from diarist.stores import open_store
from diarist.stores.sql_store import SqlStore
from diarist.stores.sqlite import open_file

SECRET_TEXT = "the canvas of the mizzen"


def read_everything(store: SqlStore) -> list[str]:
    """All that the store says, and what it finds wrong with itself."""
    list(store.list_records(RecordFilter(include_inactive=True)))
    list(store.list_records(RecordFilter(tag="sail"), sort="title"))
    store.get_hits(range(40))
    store.find_ids("kh-")
    list(store.get_history())
    store.get_changes(0)
    store.tombstone_key()
    return store.check_history() + store.check_storage()


def verdict(folder: Path, *, read_only: bool) -> list[str] | None:
    """What is found wrong; None where an error said so."""
    try:
        with closing(open_store(folder, read_only=read_only)) as store:
            return read_everything(store)
    except DiaristError as error:
        return None if str(folder) in str(error) else [f"no file is named: {error}"]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_truncated_database_is_reported(workspace: Path, read_only: bool) -> None:
    path = workspace / "diarist.db"
    whole = path.read_bytes()
    for length in (99, 100, 2000, 4096, 8192, 20_000, len(whole) - 4096, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert verdict(workspace, read_only=read_only) != [], length


def test_any_flipped_bit_is_an_error_or_a_finding_or_harmless(workspace: Path) -> None:
    path = workspace / "diarist.db"
    whole = path.read_bytes()
    chance = random.Random(4)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        verdict(workspace, read_only=True)


def test_a_flipped_bit_in_what_the_store_says_is_found(tmp_path: Path, write: Callable[..., None]) -> None:
    with closing(open_store(tmp_path)) as store:
        write(store, 0, 8, SECRET_TEXT)
    path = tmp_path / "diarist.db"
    whole = path.read_bytes()
    chance = random.Random(5)
    places = [
        start + chance.randrange(len(word))
        for word in (SECRET_TEXT.encode(), b"Sail 3", b"kh-0000000000000005", b"mate", b"active", b"sail-2")
        for start in find_all(whole, word)
    ]
    assert len(places) > 40
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        assert verdict(tmp_path, read_only=True) != [], place


def find_all(data: bytes, word: bytes) -> Iterator[int]:
    start = data.find(word)
    while start >= 0:
        yield start
        start = data.find(word, start + 1)


# Tampering: a database that is sound, and lies

VOUCHED_FOR = {
    "records": None,
    "history": None,
    "history_payloads": None,
}
REPLACEMENTS = {"INTEGER": 41, "TEXT": "forged", "BLOB": b"forged"}


def columns(folder: Path) -> Iterator[tuple[str, str, object]]:
    with closing(sqlite3.connect(folder / "diarist.db")) as connection:
        for table in VOUCHED_FOR:
            for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
                yield table, name, REPLACEMENTS[kind]


def test_every_forged_column_of_records_and_history_is_found(workspace: Path) -> None:
    path = workspace / "diarist.db"
    whole = path.read_bytes()
    forged = list(columns(workspace))
    assert len(forged) > 30
    for table, name, value in forged:
        path.write_bytes(whole)
        key = "id = 'kh-0000000000000004'" if table == "records" else "seq = (SELECT max(seq) FROM history)"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            changed = connection.execute(f'UPDATE {table} SET "{name}" = ? WHERE {key}', (value,)).rowcount
        assert changed == 1
        assert verdict(workspace, read_only=False) != [], (table, name)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM records WHERE id = 'kh-0000000000000004'", "kh-0000000000000004"),
        ("DELETE FROM history_payloads WHERE seq = 5", "event 5"),
        ("DELETE FROM history WHERE seq = 5", "event 5"),
        ("DELETE FROM history WHERE seq = 20", "record kh-0000000000000019"),
        ("UPDATE history SET link = NULL", "event 20"),
        ("UPDATE history SET seq = 99 WHERE seq = 20", "event 20"),
        ("UPDATE records SET status = 'retracted'", "kh-0000000000000000"),
        ("UPDATE history_payloads SET search = NULL WHERE seq = 5", "kh-0000000000000004"),
        ("UPDATE records SET body_seq = 3, digest = (SELECT digest FROM records r WHERE r.seq = 3) WHERE seq = 4", "kh-0000000000000003"),
        ("UPDATE history SET op = 'remove' WHERE seq = 3", "event 20"),
    ],
)
def test_a_lie_is_found_and_named(workspace: Path, statement: str, told: str) -> None:
    with closing(sqlite3.connect(workspace / "diarist.db", isolation_level=None)) as connection:
        connection.execute(statement)
    with closing(open_store(workspace)) as store:
        found = store.check_history()
    assert any(told in line for line in found), found


def test_an_erased_text_that_is_put_back_is_found(workspace: Path) -> None:
    with closing(open_store(workspace)) as store, closing(sqlite3.connect(workspace / "diarist.db", isolation_level=None)) as connection:
        kept = connection.execute("SELECT * FROM history_payloads WHERE seq = 5").fetchone()
        with store.transaction(actor="mate", at=datetime(2026, 1, 1, tzinfo=UTC)) as transaction:
            transaction.erase_record("kh-0000000000000004")
        assert store.check_history() == []
        connection.execute("INSERT INTO history_payloads VALUES (?, ?, ?, ?, ?)", kept)
        assert store.check_history() == ["event 5 (kh-0000000000000004): its payload is there, though it was erased"]


def test_erased_text_is_nowhere_in_the_file(workspace: Path, write: Callable[..., None]) -> None:
    word = b"mizzen" * 2
    with closing(open_store(workspace)) as store:
        write(store, 100, 103, f"{word.decode()} " * 3000)
    assert word in (workspace / "diarist.db").read_bytes()
    with closing(open_store(workspace)) as store, store.transaction(actor="mate", at=datetime(2026, 1, 1, tzinfo=UTC)) as transaction:
        for number in range(100, 103):
            transaction.erase_record(f"kh-{number:016d}")
    assert word not in (workspace / "diarist.db").read_bytes()
    assert [path.name for path in workspace.iterdir()] == ["diarist.db"]


def test_a_damaged_row_names_the_record(workspace: Path) -> None:
    with closing(sqlite3.connect(workspace / "diarist.db", isolation_level=None)) as connection:
        connection.execute("UPDATE records SET tags = '[oops' WHERE id = 'kh-0000000000000004'")
    with closing(open_store(workspace)) as store, pytest.raises(StoreCorruptError, match="kh-0000000000000004"):
        store.get_record("kh-0000000000000004")


# Locks


def test_a_lock_that_lasts_is_reported_and_reading_goes_on(workspace: Path, write: Callable[..., None]) -> None:
    with closing(sqlite3.connect(workspace / "diarist.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store = SqlStore(open_file(workspace, wait=0.05))
        with pytest.raises(StoreLockedError, match="another process"):
            write(store, 50, 51)
        assert store.count_records(RecordFilter()) == 20
        other.execute("ROLLBACK")
        write(store, 50, 51)
        assert store.count_records(RecordFilter()) == 21
        store.close()
