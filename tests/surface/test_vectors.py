"""Vectors from the command line: made by the worker that a write starts, and told about wherever results are shown."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import fixed_test_session
from diarist.app.backlog import Seen
from diarist.app.worker import Timing, Worker
from diarist.bootstrap import open_memory
from embeddings import serve_embeddings, settings
from stub_server import StubServer, stub_server


@pytest.fixture
def server() -> Iterator[StubServer]:
    with stub_server() as running:
        serve_embeddings(running)
        yield running


def status(diarist: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(diarist("index", "status", "--json").stdout)["embeddings"]
    return told


def test_a_write_is_embedded_within_a_minute_by_itself(diarist: Any, environ: dict[str, str], server: StubServer, home: Path) -> None:
    environ |= settings(server)
    (home / "note.md").write_text("Every automobile has a fixed place.", encoding="utf-8")
    assert diarist("note", "add", "--title", "Parking", home / "note.md").returncode == 0
    end = time.monotonic() + 60
    while status(diarist)["waiting"]:
        assert time.monotonic() < end, "the worker did not embed the note in a minute"
        time.sleep(0.3)
    assert (status(diarist)["model"], status(diarist)["records"]) == ("words-64", 1)
    assert "embeddings of words-64: 1 records, 1 vectors; 0 waiting" in diarist("index", "status").stdout
    found = diarist("search", "cars", "--mode", "hybrid")
    assert "Parking" in found.stdout
    assert found.stderr.strip() == "found by hybrid: words and words-64 by reciprocal-rank fusion"
    (hit,) = json.loads(diarist("search", "cars", "--mode", "hybrid", "--json").stdout)
    assert (hit["mode"], hit["title"]) == ("hybrid", "Parking")
    told = json.loads(diarist("recall", "automobile place", "--mode", "hybrid", "--json").stdout)
    assert (told["mode"], len(told["items"])) == ("hybrid", 1)


def test_without_vectors_it_says_so_and_searches_words(diarist: Any, home: Path) -> None:
    with open_memory(home / ".local" / "share" / "diarist") as memory:
        memory.ingest([fixed_test_session(1).write(home / "t")])
    plain = diarist("search", "parser tests")
    assert (plain.returncode, plain.stderr) == (0, "")
    wanted = diarist("search", "parser tests", "--mode", "hybrid")
    assert "parser tests" in wanted.stdout
    assert wanted.stderr.strip() == "found by bm25: hybrid was wanted, but no embedding model is set (vectors.service)"
    assert json.loads(diarist("recall", "the parser tests fail", "--mode", "hybrid", "--json").stdout)["mode"] == "bm25"
    assert "no embedding model is set" in diarist("index", "status").stdout
    assert "found by bm25: search.mode is bm25" in diarist("search", "parser tests", "--explain").stderr


def test_the_worker_goes_on_until_all_is_embedded_and_tells_what_stopped_it(tmp_path: Path, server: StubServer, home: Path) -> None:
    """It stops at what a service answers, and the next one that is woken tries again."""
    environ = {"HOME": str(home), "DIARIST_DISABLE": "1", **settings(server)}
    workspace = tmp_path / "ws"
    with open_memory(workspace, environ=environ) as memory:
        for number in range(40):
            memory.add_note(title=f"Note {number}", body="Something to embed.")
    said: list[str] = []
    timing = Timing(sleep=lambda _seconds: None, embed=0.0001)
    server.answer = (503, b"")
    worker = Worker(workspace, lambda: open_memory(workspace, environ=environ), said.append, timing)
    assert worker.run() == "done"
    assert "embeddings: the model service answered 503" in Seen(workspace).errors[-1]["message"]
    server.answer = (200, b"")
    worker = Worker(workspace, lambda: open_memory(workspace, environ=environ), said.append, timing)
    assert worker.run() == "done"
    assert said == ["embedded records=16 left=24", "embedded records=16 left=8", "embedded records=8 left=0"]
    with open_memory(workspace, read_only=True, environ=environ) as memory:
        assert memory.embedding_status()["waiting"] == 0
