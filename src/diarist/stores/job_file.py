"""What became of background work that was done inline: the last run of each job, in a small file of the workspace."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from diarist.model.job import JobState
from diarist.stores.file_lock import alone

if TYPE_CHECKING:
    from diarist.model.redacted import Redacted

NAME = "jobs.json"
MOST = 10_000
"""Jobs that are remembered; those that ended longest ago go first."""


class FileBoard:
    """The port `JobBoard` where there is no queue. `only`: the one project whose jobs are seen; None: all."""

    def __init__(self, workspace: Path, *, only: str | None = None) -> None:
        self._path = workspace / NAME
        self._only = only

    def note(self, state: JobState) -> None:
        """Takes the place of what was known of that job, while no other process or thread does. A full disk loses the note, not the job."""
        with contextlib.suppress(OSError), alone(self._path.with_name(f".{NAME}.lock")):
            known = {each.id: each for each in self._read()} | {state.id: state}
            kept = sorted(known.values(), key=_age)[-MOST:]
            draft = self._path.with_name(f".{NAME}.{os.getpid()}.{threading.get_ident()}.tmp")
            try:
                draft.write_bytes(msgspec.json.encode(kept))
                draft.replace(self._path)
            finally:
                draft.unlink(missing_ok=True)

    def list_jobs(self) -> list[JobState]:
        """The last run of each job, sorted by id. A file that cannot be read is nothing known: it is made anew."""
        return sorted((each for each in self._read() if self._only is None or each.project == self._only), key=lambda each: each.id)

    def queue(self, job: str, project: Redacted) -> bool:
        """False: nobody else does it."""
        del job, project
        return False

    def cancel(self, job: str, project: Redacted) -> bool:
        """False: nothing waits here."""
        del job, project
        return False

    def _read(self) -> list[JobState]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[JobState])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return []


def _age(state: JobState) -> float:
    at = state.ended_at or state.started_at
    return at.timestamp() if at else 0.0
