"""Vectors that the database compares itself, where pgvector is: the same order as in this process, and an index above a size."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

import psycopg
import pytest

from diarist.model.record import Record
from diarist.stages.vectors import Table, pack
from diarist.stores import open_server, postgres_schema
from diarist.stores.sql_store import SqlStore

if TYPE_CHECKING:
    from postgres_server import Server

MODEL = "words-8"


@pytest.fixture
def url(postgres_with_vectors: Server) -> str:
    made = postgres_with_vectors.make_database()
    postgres_with_vectors.run("CREATE EXTENSION vector", made)
    return made


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    with closing(open_server(url)) as opened:
        yield opened


def some_vectors(seed: int, count: int, size: int = 8) -> list[list[float]]:
    chance = random.Random(seed)
    return [[chance.gauss(0, 1) for _ in range(size)] for _ in range(count)]


def fill(store: SqlStore, put: Callable[..., Record], at: datetime, records: int, passages: int = 2) -> Table:
    """Records with vectors; the same as a table of this process."""
    table, vectors = Table(8), iter(some_vectors(7, records * passages))
    for number in range(1, records + 1):
        record = put(store, number)
        packed = [pack(next(vectors)) for _ in range(passages)]
        with store.transaction(actor="mate", at=at) as transaction:
            assert transaction.put_vectors(MODEL, record.id, record.seq, packed)
        table.add([(record.id, each) for each in packed])
    return table


def test_the_database_finds_what_this_process_finds(store: SqlStore, put: Callable[..., Record], noon: datetime) -> None:
    table = fill(store, put, noon, 40)
    assert store.compares_vectors()
    for asked in some_vectors(8, 10):
        found, way = store.list_nearest(MODEL, asked, 10, None)
        expected = table.best(asked, 10)
        assert way == "exact"
        assert [record_id for record_id, _ in found] == [record_id for record_id, _ in expected]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=2e-3)


def test_only_what_may_be_found_is_compared(store: SqlStore, put: Callable[..., Record], noon: datetime) -> None:
    table = fill(store, put, noon, 20)
    among = [f"kh-{number:016d}" for number in (3, 5, 9)]
    (asked,) = some_vectors(9, 1)
    found, _ = store.list_nearest(MODEL, asked, 10, among)
    assert [record_id for record_id, _ in found] == [record_id for record_id, _ in table.best(asked, 10, frozenset(among))]
    assert store.list_nearest(MODEL, asked, 10, []) == ([], "exact")


def test_vectors_of_another_size_and_records_without_text_are_passed_over(
    store: SqlStore, put: Callable[..., Record], noon: datetime
) -> None:
    right, other, empty = put(store, 1), put(store, 2), put(store, 3)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_vectors(MODEL, right.id, right.seq, [pack([1.0] * 8)])
        transaction.put_vectors(MODEL, other.id, other.seq, [pack([1.0] * 5)])
        transaction.put_vectors(MODEL, empty.id, empty.seq, [b""])
    ((found, cosine),) = store.list_nearest(MODEL, [1.0] * 8, 5, None)[0]
    assert found == right.id
    assert cosine == pytest.approx(1.0)


def test_a_tenant_sees_its_own_vectors_only(url: str, put: Callable[..., Record], noon: datetime) -> None:
    with closing(open_server(url)) as mine, closing(open_server(url, tenant="other")) as theirs:
        fill(mine, put, noon, 3)
        assert theirs.list_nearest(MODEL, [1.0] * 8, 5, None)[0] == []


def test_above_a_size_an_index_is_used_and_below_it_is_dropped(store: SqlStore, put: Callable[..., Record], noon: datetime) -> None:
    table = fill(store, put, noon, 60)
    assert store.tend_vectors(MODEL, 8, most_exact=200) == ""
    assert "120 vectors" in store.tend_vectors(MODEL, 8, most_exact=100)
    assert store.tend_vectors(MODEL, 8, most_exact=100) == "", "it is there"
    for asked in some_vectors(10, 5):
        found, way = store.list_nearest(MODEL, asked, 10, None)
        assert way == "HNSW"
        expected = [record_id for record_id, _ in table.best(asked, 10)]
        assert len(set(expected) & {record_id for record_id, _ in found}) >= 9
        assert found == sorted(found, key=lambda each: (-each[1], each[0]))
    assert store.list_nearest(MODEL, [1.0] * 8, 5, [f"kh-{3:016d}"])[1] == "exact", "few are compared one by one"
    store.tend_vectors("another", 8, most_exact=100)
    assert store.list_nearest(MODEL, [1.0] * 8, 5, None)[1] == "exact", "an index of a model that is gone goes"


def test_the_plan_reads_the_index(store: SqlStore, put: Callable[..., Record], noon: datetime) -> None:
    fill(store, put, noon, 60)
    store.tend_vectors(MODEL, 8, most_exact=100)
    sql = store._queries.fill("list_near", **store._near_scope(MODEL, 8))

    def look() -> str:
        store._fetch("set_near", reach="100")
        rows = store._database.fetch("EXPLAIN " + sql, {"asked": "[1,1,1,1,1,1,1,1]", "limit": 10})
        return "\n".join(row[0] for row in rows)

    assert "embeddings_near_" in store._database.snapshot(look)


def test_a_database_of_the_first_form_is_brought_up_to_date_with_its_vectors(postgres_with_vectors: Server, noon: datetime) -> None:
    url = postgres_with_vectors.make_database()
    postgres_with_vectors.run("CREATE EXTENSION vector", url)
    packed = pack([3.0, -4.0, 0.5, 0.0, 1.0, 1.0, 1.0, -1.0])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE diarist_schema (version BIGINT NOT NULL PRIMARY KEY)")
        connection.execute(postgres_schema.read_migration(1))
        connection.execute("INSERT INTO diarist_schema VALUES (1)")
        row = ("local", MODEL, "kh-1", 0, 1, 1, packed)
        connection.execute("INSERT INTO embeddings VALUES (%s, %s, %s, %s, %s, %s, %s)", row)
    with closing(open_server(url)) as store:
        assert store.compares_vectors()
        ((found, cosine),) = store.list_nearest(MODEL, [3.0, -4.0, 0.5, 0.0, 1.0, 1.0, 1.0, -1.0], 5, None)[0]
        assert found == "kh-1"
        assert cosine == pytest.approx(1.0, abs=1e-3)
        assert "meaning" not in store.list_columns()["embeddings"], "what the database makes itself is not moved"
        with store.transaction(actor="mate", at=noon):
            pass


def test_without_the_extension_nothing_is_lacking_and_it_may_come_later(
    postgres_with_vectors: Server, put: Callable[..., Record], noon: datetime
) -> None:
    url = postgres_with_vectors.make_database()
    with closing(open_server(url)) as store:
        table = fill(store, put, noon, 5)
        assert not store.compares_vectors()
        assert store.tend_vectors(MODEL, 8, most_exact=1) == ""
    postgres_with_vectors.run("CREATE EXTENSION vector", url)
    with closing(open_server(url)) as store:
        assert store.compares_vectors()
        (asked,) = some_vectors(11, 1)
        found, _ = store.list_nearest(MODEL, asked, 3, None)
        assert [record_id for record_id, _ in found] == [record_id for record_id, _ in table.best(asked, 3)]
