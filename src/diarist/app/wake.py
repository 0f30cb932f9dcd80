"""Starts the worker, once: whoever gets the lock starts it and hands the lock on. Loads next to nothing, for hooks.

The lock belongs to an open file, not to a process: the worker inherits the descriptor on which its starter took it, so there
is no moment in which two workers could start, however many hooks fire at once, and the lock goes when the worker goes.
"""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import sys

from diarist.app.spool import make_private

LOCK_NAME = "worker.lock"


def wake(workspace: str) -> bool:
    """Starts a worker for the workspace unless one is at work. It is detached, of low priority, and has no standard streams."""
    descriptor = take_lock(workspace)
    if descriptor is None:
        return False
    try:
        command = [sys.executable, "-P", "-m", "diarist", "worker", "--workspace", workspace, "--lock", str(descriptor)]
        # What Diarist itself starts must never be captured by Diarist.
        _start(command, descriptor, {**os.environ, "DIARIST_DISABLE": "1"})
    finally:
        os.close(descriptor)
    return True


def take_lock(workspace: str) -> int | None:
    """A descriptor that holds the worker's lock as long as it, or a copy of it, is open. None where another holds it."""
    folder = os.path.join(workspace, "spool")
    make_private(folder)
    descriptor = os.open(os.path.join(folder, LOCK_NAME), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        descriptor = _above_streams(descriptor)
        try_lock(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> None:
        """Locks an open file. Raises OSError where another holds it."""
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _above_streams(descriptor: int) -> int:
        return descriptor

    def _start(command: list[str], descriptor: int, environ: dict[str, str]) -> None:
        # A lock does not pass to a child here: it is let go, and the worker takes it or ends.
        import subprocess

        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        null = subprocess.DEVNULL
        subprocess.Popen(command[:-2], stdin=null, stdout=null, stderr=null, env=environ, close_fds=True, creationflags=flags)  # noqa: S603

else:
    import fcntl

    def try_lock(descriptor: int) -> None:
        """Locks an open file. Raises OSError where another holds it."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _above_streams(descriptor: int) -> int:
        """A number that the null device will not be put on in the child, whatever streams the client closed."""
        if descriptor > 2:
            return descriptor
        higher: int = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
        os.close(descriptor)
        return higher

    def _start(command: list[str], descriptor: int, environ: dict[str, str]) -> None:
        os.set_inheritable(descriptor, True)
        null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        try:
            os.posix_spawn(command[0], command, environ, file_actions=null, setsid=True)
        except NotImplementedError:  # an old C library: at least out of the client's process group
            os.posix_spawn(command[0], command, environ, file_actions=null, setpgroup=0)
