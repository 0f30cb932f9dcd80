"""Cerebrum's hub over HTTP: `POST /v1/kb/edit` with `x-api-key`."""

from __future__ import annotations

from collections.abc import Mapping

from diarist.errors import HubError

LATER = frozenset({408, 425, 429})
"""Refusals that another try may turn; so may every 5xx."""


class HttpHub:
    """Implements `ports.HubClient`. `timeout` is in seconds."""

    def __init__(self, url: str, key: str = "", timeout: float = 10.0) -> None:
        self._url = url.rstrip("/") + "/v1/kb/edit"
        self._headers = {"x-api-key": key} if key else {}
        self._timeout = timeout

    def put(self, document: Mapping[str, object]) -> None:
        """One document. Raises HubError, whose message holds neither its text nor the key."""
        import httpx2

        try:
            response = httpx2.post(self._url, json=dict(document), headers=self._headers, timeout=self._timeout)
        except httpx2.InvalidURL as error:
            raise HubError("MOTHER_AI_URL is not an address", retry=False) from error
        except httpx2.HTTPError as error:
            raise HubError(f"the hub could not be reached ({type(error).__name__})", retry=True) from error
        if response.status_code // 100 != 2:
            status = response.status_code
            raise HubError(f"the hub answered {status}", retry=status in LATER or status >= 500)
