"""Prints a digest of the dependency tables of pyproject.toml, so that a stale lock can be told from a fresh one."""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def digest() -> str:
    """First 16 hex digits of the SHA-256 of what the lock is made from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tables = [project["project"]["dependencies"], project["project"].get("optional-dependencies"), project["dependency-groups"]]
    text = json.dumps([*tables, (ROOT / "requirements" / "build.in").read_text(encoding="utf-8")], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.stdout.write(digest() + "\n")
