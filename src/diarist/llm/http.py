"""One request to a model service, and everything that can go wrong with it."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diarist.errors import ModelError

if TYPE_CHECKING:
    import ssl

MAX_ANSWER_BYTES = 1 << 20


def ask(url: str, body: Mapping[str, Any], headers: Mapping[str, str], *, timeout: float, most: int = MAX_ANSWER_BYTES) -> Any:
    """Posts `body` as JSON and reads the JSON that comes back, of at most `most` bytes.

    Raises ModelError, whose message holds neither what was sent nor a key. Never asks twice, follows no redirect.
    """
    import httpx2

    try:
        with (
            httpx2.Client(timeout=timeout, follow_redirects=False, verify=_certificates()) as client,
            client.stream("POST", url, json=dict(body), headers=dict(headers)) as response,
        ):
            content = _bounded(response.iter_bytes(), most)
            if response.status_code != 200:
                raise ModelError(f"the model service answered {response.status_code}")
    except UnicodeEncodeError as error:
        raise ModelError("the key of the model service holds characters that no key can have") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelError(f"the model service could not be reached ({type(error).__name__})") from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelError("the model service gave an answer of another shape") from error


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust, as the machine has it. Reading that costs more than a request to a model nearby."""
    import httpx2

    return httpx2.create_ssl_context()


def _bounded(chunks: Any, most: int) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > most:
            raise ModelError("the model service's answer is too long")
    return bytes(content)
