"""Fails when requirements/*.txt were made from other dependency tables than pyproject.toml holds now."""

from __future__ import annotations

import sys

from dependency_digest import ROOT, digest


def main() -> int:
    """0 when both lock files are fresh."""
    stale = [
        name
        for name in ("core", "dev", "server")
        if digest() not in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    ]
    for name in stale:
        sys.stderr.write(f"requirements/{name}.txt is older than pyproject.toml: run scripts/lock\n")
    return int(bool(stale))


if __name__ == "__main__":
    raise SystemExit(main())
