"""Start-up: what a cold process loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"click", "rich", "msgspec", "tantivy", "mcp", "starlette", "uvicorn", "jinja2"}
HEAVY |= {"hyperscan", "zstandard", "yaml", "numpy", "psycopg", "httpx2"}


def loaded(*arguments: str, code: str = "") -> set[str]:
    """Top-level modules that a fresh interpreter loads for a command line or a piece of code."""
    command = [sys.executable, "-X", "importtime", *(["-c", code] if code else ["-m", "diarist", *arguments])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {name.split(".", 1)[0] for name in names}


def test_the_version_loads_no_library_at_all() -> None:
    """Not even the command line's own."""
    assert not loaded("--version") & HEAVY


def test_importing_the_package_has_no_effect_and_loads_nothing() -> None:
    """Names are fetched when they are used."""
    assert not loaded(code="import diarist") & (HEAVY | {"dataclasses", "logging", "asyncio"})


@pytest.mark.parametrize("name", ["redact", "RedactStream", "open_memory", "to_json", "Memory"])
def test_every_public_name_is_there(name: str) -> None:
    """What the package promises it has."""
    import diarist

    assert name in diarist.__all__
    assert getattr(diarist, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As for any module."""
    import diarist

    with pytest.raises(AttributeError, match="nothing_like_it"):
        diarist.nothing_like_it  # noqa: B018 - the access is what is tested
