"""Environments that hold what Diarist is measured beside: made from PyPI where they are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

NEWEST = (3, 14)


class Environment(NamedTuple):
    """Its interpreter; `problem`: why there is none, empty where there is."""

    python: Path
    problem: str = ""


def find_environment(
    folder: Path, name: str, packages: Sequence[str], oldest: tuple[int, int] = (3, 11), *, bare: Sequence[str] = ()
) -> Environment:
    """The environment `folder/name`, made with these packages where it is missing. `bare`: those installed without dependencies."""
    python = folder.resolve() / name / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if python.exists():
        return Environment(python)
    problem = f"needs Python {oldest[0]}.{oldest[1]}, and there is none here"
    for base in _interpreters(oldest):
        problem = _make(base, python, packages, bare)
        if not problem:
            break
    return Environment(python, problem)


def _make(base: str, python: Path, packages: Sequence[str], bare: Sequence[str]) -> str:
    """Makes the environment that `python` is of, with an interpreter; returns why that did not work, empty where it did."""
    home = python.parent.parent
    alone = [each for each in packages if each.partition("==")[0] in bare]
    rest = [each for each in packages if each not in alone]
    try:
        subprocess.run([base, "-m", "venv", str(home)], check=True, capture_output=True, text=True)
        for arguments in (rest, ["--no-deps", *alone] if alone else []):
            if arguments:
                subprocess.run([str(python), "-m", "pip", "install", "--quiet", *arguments], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        shutil.rmtree(home, ignore_errors=True)
        last = (str(error.stderr).strip().splitlines() or ["pip failed"])[-1]
        return f"does not install here: {last[:160]}"
    return ""


def _interpreters(oldest: tuple[int, int]) -> Iterator[str]:
    """Our own, then newer and older ones that are on PATH or below pyenv's folder, the newest first."""
    if sys.version_info[:2] >= oldest:
        yield sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(NEWEST[1], oldest[1] - 1, -1):
        found = [shutil.which(f"python3.{minor}"), *sorted(map(str, pyenv.glob(f"3.{minor}.*/bin/python3")), reverse=True)]
        yield from (name for name in found if name and not subprocess.run([name, "-c", ""], capture_output=True).returncode)
