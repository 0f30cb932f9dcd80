"""Language models over HTTP: any OpenAI-compatible endpoint, or Anthropic's. A new service is one `Dialect`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from diarist.errors import ModelError
from diarist.llm.http import ask
from diarist.model.completion import Completion
from diarist.model.redacted import Redacted


class Dialect(NamedTuple):
    """How a service is asked and how it answers."""

    path: str
    headers: Callable[[str], dict[str, str]]
    """From the key."""
    body: Callable[[str, str, int], dict[str, Any]]
    """From model, prompt and the most tokens to answer with."""
    read: Callable[[Any], Completion]


def _openai_body(model: str, prompt: str, max_tokens: int) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": max_tokens, "temperature": 0}


def _openai_read(answer: Any) -> Completion:
    usage = answer.get("usage") or {}
    text = answer["choices"][0]["message"]["content"] or ""
    return Completion(text, int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))


def _anthropic_body(model: str, prompt: str, max_tokens: int) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": max_tokens}


def _anthropic_read(answer: Any) -> Completion:
    usage = answer.get("usage") or {}
    text = "".join(block.get("text", "") for block in answer["content"] if block.get("type") == "text")
    return Completion(text, int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))


DIALECTS = {
    "openai": Dialect(
        "/chat/completions",
        lambda key: {"authorization": f"Bearer {key}"} if key else {},
        _openai_body,
        _openai_read,
    ),
    "anthropic": Dialect(
        "/v1/messages",
        lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
        _anthropic_body,
        _anthropic_read,
    ),
}


class HttpCompleter:
    """Implements `ports.Completer`. One request an answer, no retry, a time limit for the whole call, in seconds."""

    def __init__(self, dialect: str, base_url: str, model: str, key: str, timeout: float = 30.0) -> None:
        if dialect not in DIALECTS:
            raise ModelError(f"there is no model service {dialect!r}; there are {', '.join(DIALECTS)}")
        self.name = model
        self._dialect = DIALECTS[dialect]
        self._url = base_url.rstrip("/") + self._dialect.path
        self._key = key
        self._timeout = timeout

    def complete(self, prompt: Redacted, *, max_tokens: int) -> Completion:
        """One answer. Raises ModelError, whose message holds neither prompt nor key."""
        body = self._dialect.body(self.name, prompt, max_tokens)
        answer = ask(self._url, body, self._dialect.headers(self._key), timeout=self._timeout)
        try:
            return self._dialect.read(answer)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError("the model service gave an answer of another shape") from error
