"""What a benchmark ran on."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("diarist", "msgspec", "tantivy", "hyperscan", "zstandard", "click", "rich", "starlette", "uvicorn", "mcp")


def describe_machine() -> dict[str, str]:
    """Processor, cores, memory, system, load. No names of the machine or its user."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 0),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}, {platform.machine()}",
        "load before": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known",
    }


def describe_versions() -> dict[str, str]:
    """Python, SQLite, and the packages that do the work."""
    found = {"Python": platform.python_version(), "SQLite": sqlite3.sqlite_version}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "not known"


def _memory() -> str:
    if sys.platform == "win32" or "SC_PHYS_PAGES" not in os.sysconf_names:
        return "not known"
    return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
