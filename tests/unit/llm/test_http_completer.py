"""Models over HTTP, against a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from diarist.errors import ModelError
from diarist.llm import HttpCompleter
from diarist.model.redacted import derived
from stub_server import StubServer, stub_server


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A model service on loopback."""
    with stub_server() as running:
        yield running


def completer(server: StubServer, dialect: str = "openai", key: str = "k-1") -> HttpCompleter:
    """One that asks the stub."""
    return HttpCompleter(dialect, server.url, "small-model", key, timeout=2)


def test_an_openai_compatible_service_is_asked_and_read(server: StubServer) -> None:
    """Path, key, body and usage as that interface has them."""
    answer = {"choices": [{"message": {"content": "It was the clock."}}], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}
    server.answer = (200, json.dumps(answer).encode())
    assert completer(server).complete(derived("Why?"), max_tokens=9) == ("It was the clock.", 7, 5)
    path, headers, body = server.asked[0]
    assert path == "/chat/completions"
    assert headers["authorization"] == "Bearer k-1"
    assert (body["model"], body["max_tokens"]) == ("small-model", 9)


def test_anthropics_service_is_asked_and_read(server: StubServer) -> None:
    """Blocks of text are joined."""
    answer = {"content": [{"type": "text", "text": "A"}, {"type": "other"}, {"type": "text", "text": "B"}], "usage": {"input_tokens": 3}}
    server.answer = (200, json.dumps(answer).encode())
    assert completer(server, "anthropic").complete(derived("Why?"), max_tokens=9) == ("AB", 3, 0)
    assert server.asked[0][1]["x-api-key"] == "k-1"


@pytest.mark.parametrize(
    "answer", [(500, b"oops"), (302, b""), (200, b"not json"), (200, b"[]"), (200, b'{"choices": []}'), (200, b"x" * (2 << 20))]
)
def test_whatever_goes_wrong_is_a_model_error_without_prompt_or_key(server: StubServer, answer: tuple[int, bytes]) -> None:
    """Statuses, redirects, other shapes, endless answers."""
    server.answer = answer
    with pytest.raises(ModelError) as caught:
        completer(server, key="key-that-is-secret").complete(derived("the prompt"), max_tokens=9)
    assert "key-that-is-secret" not in str(caught.value)
    assert "the prompt" not in str(caught.value)


def test_a_key_of_other_letters_is_a_model_error_without_the_key(server: StubServer) -> None:
    with pytest.raises(ModelError) as caught:
        completer(server, key="schlüssel").complete(derived("the prompt"), max_tokens=9)
    assert "schl" not in str(caught.value)


def test_a_service_that_is_not_there_is_a_model_error() -> None:
    """Nothing listens on port 9 of loopback."""
    with pytest.raises(ModelError, match="could not be reached"):
        HttpCompleter("openai", "http://127.0.0.1:9", "m", "", timeout=1).complete(derived("x"), max_tokens=1)


def test_an_unknown_dialect_is_named() -> None:
    """With those there are."""
    with pytest.raises(ModelError, match="openai, anthropic"):
        HttpCompleter("other", "http://127.0.0.1", "m", "")
