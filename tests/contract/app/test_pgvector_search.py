"""Search by meaning where PostgreSQL compares the vectors: the same hits in the same order as where this process does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diarist.app.memory import Memory
from diarist.bootstrap import DATABASE_URL, open_memory
from embeddings import serve_embeddings, settings
from stub_server import stub_server

if TYPE_CHECKING:
    from postgres_server import Server

NOTES = {
    "Parking": "Every automobile has a fixed place.",
    "Lunch": "Soup at noon.",
    "Payment": "The invoice goes out on the first of the month.",
    "Fleet": "Three cars and one boat.",
}


@pytest.fixture
def open_at(tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    """Opens a workspace on the database with this address ("": a file of its own), with vectors from a service of the test's own."""
    with ExitStack() as stack:
        service = stack.enter_context(stub_server())
        serve_embeddings(service)

        def opened(url: str) -> Memory:
            environ = {"HOME": str(tmp_path), "USER": "kim", "DIARIST_DISABLE": "1", DATABASE_URL: url, **settings(service)}
            return stack.enter_context(open_memory(tmp_path / ("there" if url else "here"), environ=environ))

        yield opened


def fill(memory: Memory) -> None:
    memory.add_notes([{"title": title, "body": body, "project": "shop"} for title, body in NOTES.items()])
    assert memory.embed_pending().records == len(NOTES)


def test_the_database_compares_and_the_hits_are_the_same(postgres_with_vectors: Server, open_at: Callable[[str], Memory]) -> None:
    url = postgres_with_vectors.make_database()
    postgres_with_vectors.run("CREATE EXTENSION vector", url)
    here, there = open_at(""), open_at(url)
    fill(here)
    fill(there)
    for query in ("cars", "rechnung", "soup", "boat automobile"):
        expected, found = here.search(query, mode="hybrid"), there.search(query, mode="hybrid")
        assert [hit.title for hit in found] == [hit.title for hit in expected]
        assert found.mode == "hybrid"
        assert found.mode_reason == "words and words-64 by reciprocal-rank fusion, compared by pgvector (exact)"
        assert expected.mode_reason == "words and words-64 by reciprocal-rank fusion"
    assert [hit.title for hit in there.search("cars", mode="hybrid", project="elsewhere")] == []
    assert (there.embedding_status()["compared"], here.embedding_status()["compared"]) == ("pgvector", "this process")


def test_what_is_not_embedded_yet_is_counted_anew(postgres_with_vectors: Server, open_at: Callable[[str], Memory]) -> None:
    url = postgres_with_vectors.make_database()
    postgres_with_vectors.run("CREATE EXTENSION vector", url)
    memory = open_at(url)
    fill(memory)
    memory.add_note(title="Trains", body="Two trains an hour.", project="shop")
    assert memory.search("cars", mode="hybrid").mode_reason.endswith("; 1 records are not embedded yet")
    assert memory.embed_pending().records == 1
    assert memory.search("cars", mode="hybrid").mode_reason.endswith("(exact)")


def test_a_database_without_the_extension_is_read_by_this_process(postgres_with_vectors: Server, open_at: Callable[[str], Memory]) -> None:
    memory = open_at(postgres_with_vectors.make_database())
    fill(memory)
    found = memory.search("cars", mode="hybrid")
    assert found.mode_reason == "words and words-64 by reciprocal-rank fusion"
    assert {hit.title for hit in found} >= {"Parking", "Fleet"}
