"""Fixtures that several kinds of tests use."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from postgres_server import Server

# The same examples on every machine and every run; how fast a machine makes them says nothing about the code.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder of the test's own."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    """The environment of a user who has nothing of Diarist yet."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "USER": "tester", "PYTHONUTF8": "1"}


@pytest.fixture
def diarist(environ: dict[str, str], home: Path) -> Run:
    """Runs the command line in a process of its own: `diarist("diary", "list")`."""

    def run(*arguments: str | Path, stdin: str | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "diarist", *map(str, arguments)]
        options: dict[str, Any] = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 120}
        return subprocess.run(command, input=stdin or "", env=environ, cwd=cwd or home, **options)

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this run's own, started when a test first asks for it."""
    from postgres_server import running_server

    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_with_vectors() -> Iterator[Server]:
    """One whose binaries bring pgvector; the extension is made in a database by whoever wants it there."""
    from postgres_server import running_server

    with running_server(bundled=True) as server:
        yield server


@pytest.fixture(scope="session")
def user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that nobody had before. `mktemp` would look through all those of the run for each of thousands of tests."""
    root = tmp_path_factory.mktemp("users")
    return (root / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def no_user_settings(monkeypatch: pytest.MonkeyPatch, user_folders: Iterator[Path]) -> None:
    """No test reads or writes the settings or the workspace of whoever runs it."""
    folder = next(user_folders)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "DIARIST_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(folder / name.lower()))
