"""The façade's verbs for background work. `Memory` inherits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from diarist.app.jobs import Workspace
    from diarist.app.toolbox import Toolbox
    from diarist.model.job import JobState


class JobVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox

    if TYPE_CHECKING:  # of the classes beside this one

        def _writable(self) -> None: ...

    def jobs(self) -> list[JobState]:
        """What the background work is at, each job of each project once, sorted by id. Only the tenant's own. Raises StoreError."""
        from diarist.app.jobs import list_jobs

        return list_jobs(self._box)

    def tidy(self) -> dict[str, int]:
        """What a workspace needs now and then; see `app.tidying`. Counts of what was done."""
        from diarist.app.tidying import tidy

        self._writable()
        return tidy(self._box)

    def retry_job(self, wanted: str) -> JobState:
        """Has a job of `jobs` done now, by the next free worker; where there is no queue, at once, here. How it stands afterwards.

        Raises
        ------
        NotFoundError
            There is no such job.
        StoreError
            The server is away.
        """
        from diarist.app.jobs import retry_job

        self._writable()
        return retry_job(cast("Workspace", self), wanted)  # every `JobVerbs` is a part of a `Memory`

    def cancel_job(self, wanted: str) -> JobState:
        """Takes a job out of the queue; it comes again when it is next due. One that runs ends, and is not tried again if it fails.

        Raises
        ------
        NotFoundError
            There is no such job, or it neither waits nor runs.
        """
        from diarist.app.jobs import cancel_job

        self._writable()
        return cancel_job(self._box, wanted)
