"""What the store asks of a database driver: to run statements, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Mapping[str, object]
T = TypeVar("T")

NOT_UNICODE = "a text is not valid Unicode (it holds half of a surrogate pair)"
"""Message of the InvalidInputError that every driver raises for such a text; no database keeps one."""


class Database(Protocol):
    """One driver. Its own errors are translated to `errors.StoreError` before they leave it.

    Inside a `transaction` or `snapshot`, the same thread's statements all belong to it.
    """

    @property
    def dialect(self) -> str:
        """Names the vocabulary `sql/<dialect>.sql`."""
        ...

    @property
    def misfits(self) -> tuple[type[Exception], ...]:
        """Errors of the driver that say that a row's values are not what its table takes."""
        ...

    @property
    def path(self) -> str:
        """Names the database in messages."""
        ...

    @property
    def read_only(self) -> bool:
        """Nothing can be written through it."""
        ...

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one query."""
        ...

    def snapshot(self, work: Callable[[], T]) -> T:
        """Runs `work`, whose queries all see one state. It may be run more than once."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """One writer at a time: the lock is taken at once. Commits when left normally, rolls back on any exception."""
        ...

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Runs one statement of the open transaction; returns the number of rows it changed."""
        ...

    def defer(self, sql: str, parameters: Parameters, bulk: str, key: Hashable) -> None:
        """Runs one statement of the open transaction, at the latest before the next one whose answer could depend on it.

        `bulk`: the same for many rows, its parameters arrays ("": there is none). `key`: tells the statement's row from others.
        """
        ...

    def define(self, sql: str) -> bool:
        """Runs one statement that changes how rows are found, outside of any transaction; False where the role may not."""
        ...

    def check_pages(self) -> list[str]:
        """Faults of the stored form itself, one line each."""
        ...

    def compact(self) -> None:
        """Writes the stored form anew, so that nothing of what was deleted is left in free space or in logs."""
        ...

    def listen(self, seconds: float) -> set[str]:
        """Waits until some tenant's change log has grown, for so long at most; names the tenants it heard of."""
        ...

    def close(self) -> None:
        """Closes all connections."""
        ...
