"""`diarist worker`: started by hooks, detached; may be run by hand to see what it does."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from diarist.cli.common import json_option, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from diarist.app.memory import Memory
    from diarist.app.worker import Worker
    from diarist.config import Settings

LOG_BYTES = 1 << 20
LOG_FILES = 3
EMBED_SECONDS = 15.0
"""For so long at a time records are embedded, before sessions are looked for that became due."""


@click.command("worker")
@click.option("--workspace", "own", metavar="PATH", hidden=True)
@click.option("--lock", type=int, hidden=True, help="A descriptor that holds the worker's lock already.")
@click.option("--queue", is_flag=True, help="Work off the background jobs of a hub on PostgreSQL, for ever; run any number of these.")
@click.option("--once", is_flag=True, help="Work off what is due and end, without waiting for sessions to become idle.")
@click.option("--status", is_flag=True, help="Show a hub's background jobs: what waits, runs, failed, and when each is due again.")
@click.option("--retry", metavar="JOB", help="Have a job of --status done now.")
@click.option("--cancel", metavar="JOB", help="Take a job out of the queue, this once.")
@json_option
@click.pass_context
def worker_command(
    ctx: click.Context,
    /,
    own: str | None,
    lock: int | None,
    queue: bool,
    once: bool,
    status: bool,
    retry: str | None,
    cancel: str | None,
    as_json: bool,
) -> int:
    """Import the sessions that hooks reported, then end. Hooks start it when it is needed; one at a time.

    With --queue: what a hub does in the background (deliveries, embeddings, synthesis, mining), from the queue in its database.
    """
    if status or retry or cancel:
        from diarist.cli.jobs import tell_jobs

        return tell_jobs(ctx, retry, cancel, as_json=as_json)
    if as_json:
        raise click.UsageError("--json goes with --status, --retry or --cancel")
    if queue:
        return _work_off_queue(own or ctx.find_root().obj["workspace"], once)
    from diarist.app.wake import take_lock
    from diarist.app.worker import program_mark
    from diarist.config import load_settings

    mark = program_mark()
    settings = load_settings(own or ctx.find_root().obj["workspace"])
    workspace = settings.workspace
    background = lock is not None
    held = lock if lock is not None else take_lock(str(workspace))
    if held is None:
        say("A worker is at work already; `diarist status` shows what it does.")
        return 0
    signal.signal(signal.SIGTERM, _leave)
    os.environ["DIARIST_DISABLE"] = "1"  # whatever is started from here must not be captured
    if background:
        _step_back(workspace)
    with _log(workspace, echo=not background) as write, _shown(workspace):
        if once:
            _worker(settings, write).step()
            return 0
        return _work(workspace, held, _worker(settings, write), lambda: program_mark() != mark)


def _leave(*_: object) -> None:
    """Asked to end: what is at work is given up in good order, as by Ctrl-C."""
    raise SystemExit(128 + signal.SIGTERM)


def _work_off_queue(workspace: str | None, once: bool) -> int:
    import asyncio

    from diarist.bootstrap import DATABASE_URL, open_memory
    from diarist.errors import UsageError

    url = os.environ.get(DATABASE_URL, "")
    if not url:
        raise UsageError(f"--queue is for a hub on PostgreSQL: set {DATABASE_URL}. `diarist serve` on SQLite does these jobs itself.")
    try:
        from diarist.queueing import work
    except ImportError as error:
        raise UsageError(f"the queue needs the extra `postgres`: pip install 'diarist[postgres]' ({error}).") from error

    asyncio.run(work(url, lambda tenant: open_memory(workspace, tenant=tenant), wait=not once))
    return 0


def _worker(settings: Settings, write: _Log) -> Worker:
    from diarist.app.worker import Timing, Worker

    def open_memory() -> Memory:
        from diarist.bootstrap import open_memory as opened

        return opened(settings.workspace)

    embed = EMBED_SECONDS if settings.get("vectors.service") else 0.0
    return Worker(settings.workspace, open_memory, write, Timing(idle=settings.get("capture.idle_seconds"), embed=embed))


def _work(workspace: Path, held: int, worker: Worker, changed: Callable[[], bool]) -> int:
    from diarist.app.backlog import read_backlog
    from diarist.app.wake import take_lock

    lock: int | None = held
    while lock is not None:
        if worker.run(changed) == "changed":
            worker.say("restarting: the program was replaced")
            _restart(workspace, lock)
        before = len(read_backlog(workspace).events)
        os.close(lock)
        # A hook that came between the last look and this found the lock taken: look once more.
        lock = take_lock(str(workspace)) if len(read_backlog(workspace).events) > before else None
    return 0


def _restart(workspace: Path, lock: int) -> None:
    """Goes on as the new version, in this process and with its lock."""
    os.set_inheritable(lock, True)
    command = [sys.executable, "-P", "-m", "diarist", "worker", "--workspace", str(workspace), "--lock", str(lock)]
    os.execv(sys.executable, command)  # noqa: S606 - our own program again


def _step_back(workspace: Path) -> None:
    """Out of the way of whoever works on this machine, and out of the folder the hook ran in."""
    os.chdir(workspace)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(15)


@contextlib.contextmanager
def _shown(workspace: Path) -> Iterator[None]:
    """Tells `diarist status` which process is at work."""
    from diarist import __version__

    path = workspace / "spool" / "worker.json"
    path.write_text(json.dumps({"pid": os.getpid(), "since": time.time(), "version": __version__}), encoding="ascii")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


class _Log:
    """`log/diarist.log`, rotated. Ids and counts, never text."""

    def __init__(self, path: Path, *, echo: bool) -> None:
        self._path = path
        self._echo = echo

    def __enter__(self) -> _Log:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, message: str) -> None:
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} worker[{os.getpid()}] {message}\n"
        self._rotate()
        with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(line)
        if self._echo:
            say(message)

    def _rotate(self) -> None:
        try:
            if self._path.stat().st_size < LOG_BYTES:
                return
        except OSError:
            return
        for number in range(LOG_FILES - 1, 0, -1):
            older = self._path.with_name(f"{self._path.name}.{number}")
            newer = self._path if number == 1 else self._path.with_name(f"{self._path.name}.{number - 1}")
            with contextlib.suppress(FileNotFoundError):
                newer.replace(older)


def _log(workspace: Path, *, echo: bool) -> _Log:
    return _Log(workspace / "log" / "diarist.log", echo=echo)
