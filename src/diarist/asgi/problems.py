"""What went wrong, as RFC 9457 tells it (`application/problem+json`)."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import msgspec

from diarist.errors import (
    AccessError,
    AmbiguousIdError,
    ConflictError,
    DiaristError,
    IndexUnavailableError,
    InvalidInputError,
    NotFoundError,
    ReadOnlyError,
    RedactionError,
    ReviewError,
    StoreAwayError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    UsageError,
)

CONTENT_TYPE = "application/problem+json"
TITLES = {
    400: "The request cannot be understood",
    401: "A key is needed",
    403: "The key does not reach so far",
    404: "Nothing is there",
    405: "That cannot be done here",
    409: "It is not what it was",
    413: "The request is too large",
    415: "That media type is not taken",
    421: "This server does not answer for that host",
    422: "A value cannot be taken",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not now",
    507: "No space is left",
}
_STATUS: tuple[tuple[type[DiaristError], int], ...] = (
    (AccessError, 403),
    (ConflictError, 409),
    (AmbiguousIdError, 409),
    (NotFoundError, 404),
    (ReviewError, 409),
    (ReadOnlyError, 403),
    (StoreLockedError, 503),
    (StoreAwayError, 503),
    (StoreFullError, 507),
    (IndexUnavailableError, 503),
    (RedactionError, 422),
    (InvalidInputError, 422),
    (UsageError, 422),
)


_PLACES: tuple[tuple[type[DiaristError], str], ...] = (
    (StoreLockedError, "another writer holds the store; try again"),
    (StoreAwayError, "the database cannot be reached; try again"),
    (StoreFullError, "no space is left where the store lies; nothing was half written"),
    (ReadOnlyError, "the store cannot be written here; the server's log says more"),
    (StoreError, "the server's log says more"),
    (IndexUnavailableError, "the search index cannot be used; the server's log says more"),
)
"""What clients are told instead of messages that name files, hosts and databases: those are for who runs the server."""
log = logging.getLogger("diarist.http")


class Problem(Exception):  # noqa: N818 - RFC 9457's own word
    """Ends a request. `more`: further members of the answer."""

    def __init__(self, status: int, detail: str = "", headers: dict[str, str] | None = None, **more: Any) -> None:
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.more = more
        super().__init__(detail)


class Told(NamedTuple):
    """A problem as it is sent."""

    status: int
    body: bytes
    headers: dict[str, str]


def tell(problem: Problem) -> Told:
    """The answer's status, body and headers."""
    told = {"type": "about:blank", "title": TITLES.get(problem.status, "It did not work"), "status": problem.status}
    if problem.detail:
        told["detail"] = problem.detail
    headers = {"content-type": CONTENT_TYPE, "cache-control": "no-store", **problem.headers}
    return Told(problem.status, msgspec.json.encode({**told, **problem.more}), headers)


def problem_of(error: Exception) -> Problem:
    """What an error means to a client. One that nobody foresaw tells nothing of itself."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, DiaristError):
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        told = next((words for kind, words in _PLACES if isinstance(error, kind)), "") or str(error)
        more = {"candidates": error.candidates[:20]} if isinstance(error, AmbiguousIdError) else {}
        if told != str(error):
            log.warning("store", extra={"told": {"error": type(error).__name__, "detail": str(error)}})
        return Problem(status, told, {"retry-after": "2"} if status == 503 else None, **more)
    if isinstance(error, msgspec.ValidationError):
        return Problem(422, str(error))
    if isinstance(error, msgspec.DecodeError):
        return Problem(400, "the body is not JSON")
    if isinstance(error, RecursionError):
        return Problem(422, "a value is nested too deep")
    return Problem(500, "the server's log says more")
