"""Background work of a server, as one table.

A job does what is due in one tenant's workspace. It may be called at any time, twice, or not at all: nothing is lost by that. The
embedded server runs them one after the other; on PostgreSQL `diarist.queueing` hands them to any number of workers. How each went is
noted on the tenant's board, where people see it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import msgspec

from diarist.errors import DiaristError, NotFoundError
from diarist.model.job import JobState
from diarist.model.redacted import Redacted, derived

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.toolbox import Toolbox
    from diarist.model.access import ApiKey
    from diarist.model.use import Scope

EMBED_SECONDS = 50.0
MAX_ERROR = 500
"""Characters of a message that are kept."""


class Workspace(Protocol):
    """What jobs ask of an open `Memory`."""

    _box: Toolbox

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def api_keys(self) -> list[ApiKey]: ...

    def scopes(self) -> list[Scope]: ...

    def due_projects(self) -> list[str]: ...

    def deliver(self) -> object: ...

    def embed_pending(self, seconds: float, /) -> object: ...

    def draft_due_reports(self, *, project: str | None) -> object: ...

    def mine_patterns(self, *, project: str | None) -> Sequence[object]: ...

    def tidy(self) -> object: ...


OpenTenant = Callable[[str], Workspace]


class JobFailedError(DiaristError):
    """A job of the background work went wrong. `cause`: the name of what was raised; the message is redacted."""

    def __init__(self, message: Redacted, cause: str) -> None:
        self.cause = cause
        super().__init__(message)


def _whole(_: Workspace) -> list[str]:
    return [""]


def _projects(memory: Workspace) -> list[str]:
    return sorted({scope.project for scope in memory.scopes()})


class Job(NamedTuple):
    """`minutes`: how often it is due. `scopes`: the projects that it is due for, each a job of its own; [""]: the tenant as a whole."""

    minutes: int
    work: Callable[[Workspace, str], object]
    scopes: Callable[[Workspace], list[str]] = _whole


class Due(NamedTuple):
    """One job for one tenant, or one project of it."""

    job: str
    tenant: str
    project: str = ""


JOBS: dict[str, Job] = {
    "deliver": Job(1, lambda memory, _: memory.deliver()),
    "embed": Job(1, lambda memory, _: memory.embed_pending(EMBED_SECONDS)),
    "synthesize": Job(10, lambda memory, project: memory.draft_due_reports(project=project), lambda memory: memory.due_projects()),
    "mine": Job(60, lambda memory, project: memory.mine_patterns(project=project), _projects),
    "tidy": Job(60, lambda memory, _: memory.tidy()),
}


def run_job(opened: OpenTenant, due: Due, attempt: int = 0) -> None:
    """Does one job and notes how it went. `attempt`: which try it is; 0: one more than those that failed before.

    Raises
    ------
    JobFailedError
        It went wrong; who called decides whether it is tried again.
    """
    try:
        memory = opened(due.tenant)
    except (DiaristError, OSError) as error:  # without a workspace there is no board to note it on
        raise JobFailedError(derived(type(error).__name__), type(error).__name__) from None
    with memory:
        do_job(memory, due, attempt)


def do_job(memory: Workspace, due: Due, attempt: int = 0) -> None:
    """The same in a workspace that is open already. Raises JobFailedError, which names the fault and quotes nothing of what was read."""
    box = memory._box
    redact = box.reader().redactor.redact
    board, project = box.jobs(), redact(due.project)
    state = JobState(job=due.job, project=project, phase="running", attempts=attempt or _tries(box, due) + 1, started_at=box.now())
    board.note(state)
    try:
        JOBS[due.job].work(memory, due.project)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is noted, and whoever called decides
        told = redact(_told(error))[:MAX_ERROR]
        board.note(msgspec.structs.replace(state, phase="failed", error=told, ended_at=box.now()))
        raise JobFailedError(Redacted(told), type(error).__name__) from None  # what it says of a text was not redacted
    board.note(msgspec.structs.replace(state, phase="done", attempts=0, ended_at=box.now()))


def plan(opened: OpenTenant, now: datetime, since: datetime | None = None) -> list[Due]:
    """Everything that is due in this minute, or came due after `since`, sorted by tenant and job.

    Tenants are those that some key opens, and the hub's own.
    """
    minute = _minute(now)
    before = minute - 1 if since is None else _minute(since)
    names = [name for name, job in sorted(JOBS.items()) if minute // job.minutes > before // job.minutes]
    if not names:
        return []
    with opened("local") as memory:
        tenants = sorted({"local", *(key.opens for key in memory.api_keys())})
    return [due for tenant in tenants for due in _of_tenant(opened, tenant, names)]


def list_jobs(box: Toolbox) -> list[JobState]:
    """What is known of each job, with the time that it is due again where it neither waits nor runs."""
    now = box.now()
    return [_with_next(state, now) for state in box.jobs().list_jobs()]


def retry_job(memory: Workspace, wanted: str) -> JobState:
    """See `JobVerbs.retry_job`."""
    box = memory._box
    state = _find(box, wanted)
    if not box.jobs().queue(state.job, state.project):
        try:
            do_job(memory, Due(state.job, "", state.project))
        except JobFailedError:
            return _find(box, wanted)  # it says what went wrong
    return _find(box, wanted)


def cancel_job(box: Toolbox, wanted: str) -> JobState:
    """See `JobVerbs.cancel_job`."""
    state = _find(box, wanted)
    if not box.jobs().cancel(state.job, state.project):
        raise NotFoundError(f"the job {wanted!r} neither waits nor runs, so there is nothing to cancel")
    return _find(box, wanted)


def _find(box: Toolbox, wanted: str) -> JobState:
    found = next((state for state in list_jobs(box) if state.id == wanted), None)
    if found is None:
        raise NotFoundError(f"there is no background job {wanted!r}; `diarist worker --status` lists them")
    return found


def _with_next(state: JobState, now: datetime) -> JobState:
    if state.phase in ("queued", "running") or state.next_at is not None or state.job not in JOBS:
        return state
    span = JOBS[state.job].minutes
    return msgspec.structs.replace(state, next_at=datetime.fromtimestamp((_minute(now) // span + 1) * span * 60, UTC))


def _tries(box: Toolbox, due: Due) -> int:
    wanted = JobState(job=due.job, project=Redacted(due.project), phase="queued").id
    return next((state.attempts for state in box.jobs().list_jobs() if state.id == wanted and state.phase == "failed"), 0)


def _told(error: Exception) -> str:
    """Our own words, or the system's; of any other error its name alone, for it may quote a text."""
    if isinstance(error, DiaristError):
        return f"{type(error).__name__}: {error}"
    return f"{type(error).__name__}: {error.strerror}" if isinstance(error, OSError) and error.strerror else type(error).__name__


def _minute(at: datetime) -> int:
    return int(at.timestamp()) // 60


def _of_tenant(opened: OpenTenant, tenant: str, names: list[str]) -> list[Due]:
    scopes: dict[str, list[str]] = {}
    with opened(tenant) as memory:
        for name in names:
            scopes[name] = JOBS[name].scopes(memory)
    return [Due(name, tenant, project) for name in names for project in scopes[name]]
