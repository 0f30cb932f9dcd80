"""What an injecting hook loads: a fresh process for every prompt, so every module counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import diarist

HEAVY = {
    "msgspec",
    "click",
    "rich",
    "typing_extensions",
    "inspect",
    "dataclasses",
    "logging",
    "asyncio",
    "mcp",
    "yaml",
    "zstandard",
    "hyperscan",
}
RUN = """\
User: The import does not run.
$ python load.py
Traceback (most recent call last):
  File "load.py", line 1, in <module>
ModuleNotFoundError: No module named 'parcels'
[exit code 1]
Assistant: Installing what is missing.
$ pip install parcels
[exit code 0]
$ python load.py
done
[exit code 0]
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Of a process whose workspace holds a run that fixed an error."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.add_entry(task_id="t1", transcript=RUN, project=str(tmp_path / "shop"))
    return {**os.environ, "DIARIST_HOME": str(tmp_path / "ws"), "DIARIST_IDLE_SECONDS": "1"}


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("UserPromptSubmit", {"prompt": "why does the parcels import not run"}),
        ("SessionStart", {"source": "startup"}),
        ("PostToolUseFailure", {"tool_name": "Bash", "error": "ModuleNotFoundError: No module named 'parcels'"}),
    ],
)
def test_an_injecting_hook_speaks_and_loads_no_heavy_module(
    environ: dict[str, str], tmp_path: Path, event: str, fields: dict[str, str]
) -> None:
    told = {"session_id": "s1", "transcript_path": str(tmp_path / "t.jsonl"), "cwd": str(tmp_path / "shop"), "hook_event_name": event}
    command = [sys.executable, "-X", "importtime", "-m", "diarist", "hook", event, "--client", "claude-code"]
    done = subprocess.run(command, input=json.dumps({**told, **fields}).encode(), env=environ, capture_output=True, check=True, timeout=60)
    assert b"kh-" in done.stdout
    names = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if line.startswith("import time:")}
    assert not names & HEAVY
