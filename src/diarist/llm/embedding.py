"""Embeddings over HTTP: any OpenAI-compatible `/embeddings` endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diarist.errors import ModelError
from diarist.llm.http import ask
from diarist.model.redacted import Redacted

BATCH = 32
"""Texts of one request."""
MAX_ANSWER_BYTES = 32 << 20


class HttpEmbedder:
    """Implements `ports.Embedder`. `prefix` is put before each text, as some models want it ("query: "); timeout in seconds a request."""

    def __init__(self, base_url: str, model: str, key: str, *, prefix: str = "", timeout: float = 30.0) -> None:
        self.name = model
        self.dimensions = 0
        """0 before the first answer."""
        self._url = base_url.rstrip("/") + "/embeddings"
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        self._prefix = prefix
        self._timeout = timeout

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        """One vector a text, in their order. Raises ModelError, whose message holds neither a text nor the key."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._ask(texts[start : start + BATCH])
        return vectors

    def _ask(self, texts: Sequence[Redacted]) -> list[list[float]]:
        body = {"model": self.name, "input": [self._prefix + text for text in texts], "encoding_format": "float"}
        answer = ask(self._url, body, self._headers, timeout=self._timeout, most=MAX_ANSWER_BYTES)
        try:
            vectors = [_vector(row["embedding"]) for row in sorted(answer["data"], key=lambda row: int(row["index"]))]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError("the embeddings service gave an answer of another shape") from error
        sizes = {len(vector) for vector in vectors} | ({self.dimensions} if self.dimensions else set())
        if len(vectors) != len(texts) or len(sizes) != 1 or 0 in sizes:
            raise ModelError("the embeddings service gave vectors of another number or size than asked for")
        (self.dimensions,) = sizes
        return vectors


def _vector(numbers: Any) -> list[float]:
    if not isinstance(numbers, list):
        raise TypeError("not a list")
    return [float(number) for number in numbers]
