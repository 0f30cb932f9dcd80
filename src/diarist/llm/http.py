"""One request to a model service, and everything that can go wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from diarist.errors import ModelError

MAX_ANSWER_BYTES = 1 << 20


def ask(url: str, body: Mapping[str, Any], headers: Mapping[str, str], *, timeout: float, most: int = MAX_ANSWER_BYTES) -> Any:
    """Posts `body` as JSON and reads the JSON that comes back, of at most `most` bytes.

    Raises ModelError, whose message holds neither what was sent nor a key. Never asks twice, follows no redirect.
    """
    import httpx2

    try:
        with (
            httpx2.Client(timeout=timeout, follow_redirects=False) as client,
            client.stream("POST", url, json=dict(body), headers=dict(headers)) as response,
        ):
            content = _bounded(response.iter_bytes(), most)
            if response.status_code != 200:
                raise ModelError(f"the model service answered {response.status_code}")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelError(f"the model service could not be reached ({type(error).__name__})") from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelError("the model service gave an answer of another shape") from error


def _bounded(chunks: Any, most: int) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > most:
            raise ModelError("the model service's answer is too long")
    return bytes(content)
