"""An embeddings endpoint for tests: texts that share words get vectors that point the same way, and some words mean the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from stub_server import StubServer

SIZE = 64
SAME = {"car": "automobile", "cars": "automobile", "auto": "automobile", "rechnung": "invoice", "bill": "invoice"}


def embed(text: str) -> list[float]:
    """One vector."""
    vector = [0.01] * SIZE
    for word in text.lower().replace(".", " ").split():
        digest = hashlib.sha256(SAME.get(word, word).encode()).digest()
        vector[digest[0] % SIZE] += 1.0
        vector[digest[1] % SIZE] += 1.0
    return vector


def answer(asked: Any) -> bytes:
    """What an OpenAI-compatible endpoint says to a request."""
    rows = [{"index": at, "embedding": embed(text)} for at, text in enumerate(asked["input"])]
    return json.dumps({"data": rows}).encode()


def serve_embeddings(server: StubServer) -> None:
    """Makes the stub such an endpoint."""
    server.reply = answer


def settings(server: StubServer, **more: str) -> dict[str, str]:
    """The environment in which Diarist uses it."""
    return {"DIARIST_VECTORS": "openai", "DIARIST_VECTORS_URL": server.url, "DIARIST_VECTORS_MODEL": "words-64", **more}
