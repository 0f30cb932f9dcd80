"""Embeddings are made of redacted texts, follow every change, and search says how it really found things."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import ClaudeSession, fixed_test_session
from diarist.app.memory import Memory
from diarist.bootstrap import open_memory
from diarist.errors import UsageError
from embeddings import serve_embeddings, settings
from stub_server import StubServer, stub_server
from unit.stages.redact.secrets_made import Maker

Open = Callable[..., Memory]


@pytest.fixture
def server() -> Iterator[StubServer]:
    with stub_server() as running:
        serve_embeddings(running)
        yield running


@pytest.fixture
def open_with(server: StubServer, tmp_path: Path) -> Iterator[Open]:
    """Opens the one workspace, with vectors unless other settings say otherwise. No worker is started."""
    opened = []

    def make(**more: str) -> Memory:
        environ = {"HOME": str(tmp_path), "USER": "kim", "DIARIST_DISABLE": "1", **settings(server, **more)}
        opened.append(open_memory(tmp_path / "ws", environ=environ))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def titles(hits: list[Any]) -> list[str]:
    return [hit.title for hit in hits]


def test_a_record_that_shares_no_word_is_found_by_meaning(open_with: Open) -> None:
    memory = open_with()
    memory.add_note(title="Parking", body="Every automobile has a fixed place.")
    memory.add_note(title="Lunch", body="Soup at noon.")
    assert titles(memory.search("where do cars go")) == []
    assert memory.embed_pending().records == 2
    found = memory.search("cars", mode="hybrid", explain=True)
    assert found[0].title == "Parking"
    assert found.mode == "hybrid"
    assert found.mode_reason == "words and words-64 by reciprocal-rank fusion"
    assert "not found by words, place 1 by meaning" in found[0].reasons
    assert titles(memory.search("cars", mode="bm25")) == []


def test_the_default_is_words_alone_and_the_setting_changes_it(open_with: Open) -> None:
    memory = open_with()
    memory.add_note(title="Parking", body="Every automobile has a fixed place.")
    memory.embed_pending()
    plain = memory.search("automobile")
    assert (plain.mode, plain.mode_reason) == ("bm25", "search.mode is bm25")
    assert open_with(DIARIST_SEARCH_MODE="hybrid").search("automobile").mode == "hybrid"
    with pytest.raises(UsageError, match="no search mode 'magic'"):
        memory.search("automobile", mode="magic")


def test_words_alone_are_never_used_in_silence(open_with: Open, server: StubServer) -> None:
    memory = open_with()
    memory.add_note(title="Parking", body="Every automobile has a fixed place.")
    before = memory.search("automobile", mode="hybrid")
    assert (before.mode, titles(before)) == ("bm25", ["Parking"])
    assert before.mode_reason == "hybrid was wanted, but words-64 has embedded no record yet"
    memory.embed_pending()
    memory.add_note(title="Lunch", body="Soup at noon.")
    assert memory.search("automobile", mode="hybrid").mode_reason.endswith("; 1 records are not embedded yet")
    server.answer = (503, b"")
    down = memory.recall("automobile place", mode="hybrid")
    assert (down.mode, down.mode_reason) == ("bm25", "hybrid was wanted, but the model service answered 503")
    assert down.items
    none = open_with(DIARIST_VECTORS="").search("automobile", mode="hybrid")
    assert none.mode_reason == "hybrid was wanted, but no embedding model is set (vectors.service)"
    odd = open_with(DIARIST_VECTORS="oracle").search("automobile", mode="hybrid")
    assert "there is no 'oracle'" in odd.mode_reason
    error = memory.search_error("KeyError: 'width'")
    assert (error.mode, error.mode_reason) == ("bm25", "errors are looked up by their fingerprints and words")


def test_filters_and_phrases_hold_for_what_is_found_by_meaning(open_with: Open) -> None:
    memory = open_with()
    for project in ("shop", "press"):
        memory.add_note(title=f"Parking of the {project}", body="Every automobile has a fixed place.", project=project, tags=[project])
    memory.embed_pending()
    assert titles(memory.search("cars project:press", mode="hybrid")) == ["Parking of the press"]
    assert titles(memory.search("cars tag:shop", mode="hybrid")) == ["Parking of the shop"]
    assert titles(memory.search('cars "of the shop"', mode="hybrid"))[0] == "Parking of the shop"
    assert titles(memory.search("cars", mode="hybrid", kinds=["entry"])) == []


def test_a_text_that_changes_is_embedded_anew_and_one_that_is_forgotten_is_not_found(open_with: Open) -> None:
    memory = open_with()
    note = memory.add_note(title="Parking", body="Every automobile has a fixed place.").id
    memory.embed_pending()
    memory.edit_note(note, body="Soup at noon.", title="Lunch")
    assert memory.embedding_status()["waiting"] == 1
    assert titles(memory.search("cars", mode="hybrid")) == []
    memory.embed_pending()
    assert titles(memory.search("soup", mode="hybrid")) == ["Lunch"]
    with memory._box.store.transaction(actor="kim", at=memory._box.now()) as tx:
        tx.erase_record(note)
    assert memory.embedding_status()["vectors"] == 0
    assert titles(memory.search("soup", mode="hybrid")) == []


def test_another_model_embeds_everything_anew(open_with: Open) -> None:
    memory = open_with()
    memory.add_note(title="Parking", body="Every automobile has a fixed place.")
    memory.embed_pending()
    other = open_with(DIARIST_VECTORS_MODEL="words-65")
    status = other.embedding_status()
    assert (status["model"], status["records"], status["waiting"], status["others"]) == ("words-65", 0, 1, 1)
    assert other.embed_pending().records == 1
    assert (other.embedding_status()["others"], other.embedding_status()["records"]) == (0, 1)


def test_no_secret_reaches_the_model(open_with: Open, server: StubServer, tmp_path: Path) -> None:
    """Neither out of a transcript nor in a question."""
    memory = open_with()
    secret = Maker(11).stripe()
    session = ClaudeSession(4).prompt(f"Use {secret} for the payment test").bash("make pay", "ok").reply("Paid.")
    memory.ingest([session.write(tmp_path / "t"), fixed_test_session(5).write(tmp_path / "t")])
    assert memory.embed_pending().records >= 2
    memory.search(f"who used {secret}", mode="hybrid")
    sent = json.dumps([body for _, _, body in server.asked])
    assert secret not in sent
    assert "REDACTED" in sent
    assert "payment test" in sent


def test_a_cap_holds_and_a_service_that_fails_is_told(open_with: Open, server: StubServer, tmp_path: Path) -> None:
    config = tmp_path / ".config" / "diarist"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[vectors]\ndaily_tokens = 20\n", encoding="utf-8")
    memory = open_with()
    memory.add_note(title="Parking", body="Every automobile has a fixed place.")
    assert memory.embed_pending().problem == ""
    memory.add_note(title="Lunch", body="Soup at noon, and then again in the evening for all who stayed.")
    capped = memory.embed_pending()
    assert (capped.records, capped.left) == (0, 1)
    assert "vectors.daily_tokens" in capped.problem
    (config / "config.toml").write_text("[vectors]\ndaily_tokens = 0\n", encoding="utf-8")
    server.answer = (500, b"")
    assert open_with().embed_pending().problem == "the model service answered 500"
    server.answer = (200, b"")
    assert open_with().embed_pending() == (1, 0, "")


def test_no_time_means_one_batch_and_the_newest_come_first(open_with: Open, server: StubServer) -> None:
    memory = open_with()
    for number in range(20):
        memory.add_note(title=f"Note {number}", body="Something.")
    done = memory.embed_pending(0)
    assert (done.records, done.left) == (16, 4)
    assert server.asked[0][2]["input"][0].startswith("Note 19")
    assert open_with(DIARIST_VECTORS="").embed_pending().problem == "no embedding model is set (vectors.service)"
