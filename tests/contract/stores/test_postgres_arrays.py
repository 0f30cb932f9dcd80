"""Columns of many rows arrive in PostgreSQL as they left, whatever stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.errors import InvalidInputError
from diarist.stores.postgres import PostgresDatabase
from postgres_server import Server

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\U0010fffe")) | st.sampled_from(
    ("", "NULL", "null", '"', "\\", '\\"', "{}", "a,b", "\0", "a\0\\0b", " ", "\n", "ü")
)
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)


@pytest.fixture(scope="module")
def database(postgres: Server) -> Iterator[PostgresDatabase]:
    with closing(PostgresDatabase(postgres.make_database(), tenant="us")) as made:
        yield made


@given(st.lists(TEXTS | st.none()), st.lists(NUMBERS | st.none()), st.lists(st.binary() | st.none()))
def test_lists_come_back_as_they_were_sent(
    database: PostgresDatabase, texts: list[str | None], numbers: list[int | None], data: list[bytes | None]
) -> None:
    for kind, values in (("text", texts), ("bigint", numbers), ("bytea", data)):
        assert [row[0] for row in database.fetch(f"SELECT * FROM unnest(:values::{kind}[])", {"values": values})] == values


@given(st.lists(st.floats(allow_nan=False) | st.none()))
def test_fractions_come_back_to_the_last_bit(database: PostgresDatabase, values: list[float | None]) -> None:
    assert [row[0] for row in database.fetch("SELECT * FROM unnest(:values::float8[])", {"values": values})] == values


def test_half_of_a_surrogate_pair_is_refused(database: PostgresDatabase) -> None:
    with pytest.raises(InvalidInputError):
        database.fetch("SELECT * FROM unnest(:values::text[])", {"values": ["whole", "\ud800"]})
