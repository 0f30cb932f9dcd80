"""Background work, as people see it."""

from __future__ import annotations

from typing import Protocol

from diarist.model.job import JobState
from diarist.model.redacted import Redacted


class JobBoard(Protocol):
    """What the background work of one tenant is at, each job of each project once."""

    def note(self, state: JobState) -> None:
        """Takes the place of what was known of that job. Never raises: a note that is lost is no job lost."""
        ...

    def list_jobs(self) -> list[JobState]:
        """Sorted by id. Raises StoreError."""
        ...

    def queue(self, job: str, project: Redacted) -> bool:
        """Has it done as soon as a worker is free; False where nobody else does it. Raises StoreError."""
        ...

    def cancel(self, job: str, project: Redacted) -> bool:
        """Takes it out of the queue, and keeps one that runs from being tried again; False where neither was so. Raises StoreError."""
        ...
