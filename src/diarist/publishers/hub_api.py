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
            sent = httpx2.stream(
                "POST", self._url, json=dict(document), headers=self._headers, timeout=self._timeout, follow_redirects=False
            )
            with sent as response:
                status, kind = response.status_code, response.headers.get("content-type", "")
                begins = next(response.iter_raw(), b"")  # no more of it: an answer may be endless
        except UnicodeEncodeError as error:
            raise HubError("MOTHER_AI_API_KEY holds characters that no key can have", retry=True) from error
        except httpx2.InvalidURL as error:
            raise HubError("MOTHER_AI_URL is not an address", retry=False) from error
        except httpx2.HTTPError as error:
            raise HubError(f"the hub could not be reached ({type(error).__name__})", retry=True) from error
        if status // 100 != 2:
            raise HubError(f"the hub answered {status}", retry=status in LATER or status >= 500)
        if kind.startswith("text/html") or begins.lstrip().startswith(b"<"):  # a sign-in page, another site
            raise HubError("a web page answered instead of the hub; see MOTHER_AI_URL", retry=True)
