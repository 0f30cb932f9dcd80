"""Every error Diarist raises on purpose.

    DiaristError
    ├── UsageError          the call or the command line is wrong (exit code 2)
    ├── NotFoundError       nothing has that id
    ├── AmbiguousIdError    several records start with that prefix; `.candidates` lists them
    ├── InvalidInputError   a value or file cannot be understood
    │   └── ErasedError         it was erased, and must not come back
    ├── RedactionError      a text could not be redacted, so it was dropped
    ├── ReviewError         a proposal cannot be decided so
    │   └── StaleReviewError    what was reviewed has changed since
    ├── AccessError         the caller may not do that
    ├── ConflictError       a document is not what an edit was made on; `.current` is what it is now
    ├── StoreError          the store cannot be read or written
    │   ├── StoreLockedError    another process holds the store for too long
    │   ├── StoreFullError      no space is left, or the folder cannot be written
    │   ├── StoreCorruptError   the database or a vault chunk is damaged
    │   ├── SchemaTooNewError   a newer Diarist wrote this store
    │   └── ReadOnlyError       a write was asked of a store opened for reading
    ├── IndexUnavailableError   the search index cannot be opened; it can be rebuilt
    ├── ModelError              a language model could not be asked, or its answer not be used
    └── HubError                a knowledge hub did not take a document

A message says what is wrong, names the file or value, and says what to do about it. Messages never
quote text from a transcript.
"""

from __future__ import annotations


class DiaristError(Exception):
    """Root of all errors raised on purpose."""


class UsageError(DiaristError, ValueError):
    """The call or the command line is wrong."""


class NotFoundError(DiaristError, LookupError):
    """Nothing has that id."""


class AmbiguousIdError(DiaristError, LookupError):
    """Several records match an id or prefix.

    `candidates` are their `kh-` ids, sorted.
    """

    def __init__(self, wanted: str, candidates: list[str]) -> None:
        self.candidates = sorted(candidates)
        shown = ", ".join(self.candidates[:8]) + (f" and {len(candidates) - 8} more" if len(candidates) > 8 else "")
        super().__init__(f"{wanted!r} fits {len(candidates)} records: {shown}. Give more characters of the id.")


class InvalidInputError(DiaristError, ValueError):
    """A value or file cannot be understood."""


class ErasedError(InvalidInputError):
    """What was to be written was erased, or holds something that was."""


class RedactionError(DiaristError):
    """A text could not be redacted; it was dropped, never kept as it was."""


class ReviewError(DiaristError):
    """A proposal cannot be decided so: it is decided already, or a check before acceptance failed."""


class StaleReviewError(ReviewError):
    """What was reviewed, or the evidence behind it, has changed since. Read it again, then decide."""


class AccessError(DiaristError):
    """The caller may not do that: the key's role or project does not reach so far."""


class ConflictError(DiaristError):
    """A document is not what an edit was made on.

    `current` is its record as it is now, None where it is not there.
    """

    def __init__(self, message: str, current: object = None) -> None:
        self.current = current
        super().__init__(message)


class StoreError(DiaristError):
    """The store cannot be read or written."""


class StoreLockedError(StoreError):
    """Another process holds the store for too long."""


class StoreAwayError(StoreError):
    """The database server cannot be reached, or does not let us in."""


class StoreFullError(StoreError):
    """No space is left, or the folder cannot be written."""


class StoreCorruptError(StoreError):
    """The database or a vault chunk is damaged."""


class SchemaTooNewError(StoreError):
    """A newer Diarist wrote this store."""


class ReadOnlyError(StoreError):
    """A write was asked of a store opened for reading."""


class IndexUnavailableError(DiaristError):
    """The search index cannot be opened. It is derived: `diarist index rebuild` makes it anew."""


class ModelError(DiaristError):
    """A language model could not be asked, or its answer cannot be used. Never carries the prompt or the key."""


class HubError(DiaristError):
    """A knowledge hub did not take a document.

    `retry` tells whether trying later may help.
    """

    def __init__(self, message: str, *, retry: bool) -> None:
        self.retry = retry
        super().__init__(message)
