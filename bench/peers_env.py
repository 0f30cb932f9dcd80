"""Environments that hold what Diarist is measured beside: made from PyPI where they are missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
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
    base = _interpreter(oldest)
    if base is None:
        return Environment(python, f"needs Python {oldest[0]}.{oldest[1]}, and there is none here")
    alone = [each for each in packages if each.partition("==")[0] in bare]
    rest = [each for each in packages if each not in alone]
    try:
        subprocess.run([base, "-m", "venv", str(folder / name)], check=True, capture_output=True)
        for arguments in (rest, ["--no-deps", *alone] if alone else []):
            if arguments:
                subprocess.run([str(python), "-m", "pip", "install", "--quiet", *arguments], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        shutil.rmtree(folder / name, ignore_errors=True)
        last = (str(error.stderr).strip().splitlines() or ["pip failed"])[-1]
        return Environment(python, f"does not install here: {last[:160]}")
    return Environment(python)


def _interpreter(oldest: tuple[int, int]) -> str | None:
    if sys.version_info[:2] >= oldest:
        return sys.executable
    for minor in range(NEWEST[1], oldest[1] - 1, -1):
        name = shutil.which(f"python3.{minor}")
        if name and not subprocess.run([name, "-c", ""], capture_output=True).returncode:
            return name
    return None
