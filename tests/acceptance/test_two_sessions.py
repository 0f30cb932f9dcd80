"""The whole loop, through hooks alone: what one session finds out, the next one is told, and the ledger shows it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from builders import ClaudeSession
from diarist.app.backlog import read_backlog

ERROR = "ImportError: cannot import name 'parse_weight' from 'parcel.units'"
REMOTE = "git@forge.example:Team/Parcel.git"


def clone(folder: Path) -> Path:
    """A clone of the project: its remote is all that the clones share."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {REMOTE}\n', encoding="utf-8")
    return folder


class Agent:
    """A client that calls its hooks, as Claude Code and Codex do."""

    def __init__(self, client: str, session: ClaudeSession, folder: Path, transcripts: Path, environ: dict[str, str]) -> None:
        self.client = client
        self.session = session
        self.folder = folder
        self.path = transcripts / f"{session.id}.jsonl"
        self.environ = environ

    def hook(self, event: str, **fields: Any) -> str:
        """Fires one hook; returns the context that the client would show the agent."""
        if self.session.records:
            self.session.write(self.path.parent)
        common = {"session_id": self.session.id, "transcript_path": str(self.path), "cwd": str(self.folder), "hook_event_name": event}
        command = [sys.executable, "-m", "diarist", "hook", event, "--client", self.client]
        payload = json.dumps({**common, **fields}).encode()
        done = subprocess.run(command, input=payload, capture_output=True, env=self.environ, cwd=self.folder, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


@pytest.mark.parametrize("second_client", ["claude-code", "codex"])
def test_the_second_session_is_told_how_the_first_one_fixed_the_error(
    home: Path, environ: dict[str, str], diarist: Any, second_client: str
) -> None:
    environ["DIARIST_IDLE_SECONDS"] = "1"
    here, there = clone(home / "work" / "parcel"), clone(home / "elsewhere" / "parcel-copy")
    transcripts = home / ".claude" / "projects" / "parcel"

    first = Agent("claude-code", ClaudeSession(1, cwd=str(here)), here, transcripts, environ)
    assert first.hook("SessionStart", source="startup") == ""
    first.session.prompt("The label job crashes since the last release. Make it run.")
    assert first.hook("UserPromptSubmit", prompt="The label job crashes since the last release. Make it run.") == ""
    trace = f'Traceback (most recent call last):\n  File "{here}/parcel/label.py", line 4, in <module>\n{ERROR}'
    first.session.bash("python -m pytest -q tests/test_label.py", trace, 1)
    assert first.hook("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{trace}", is_interrupt=False) == ""
    first.session.reply("parse_weight was renamed to read_weight in units.py.")
    first.session.edit("parcel/label.py", "from parcel.units import parse_weight", "from parcel.units import read_weight")
    first.session.bash("python -m pytest -q tests/test_label.py", "4 passed in 0.21s")
    first.session.reply("The label job runs again.")
    assert first.hook("Stop", stop_hook_active=False) == ""
    assert first.hook("SessionEnd", reason="prompt_input_exit") == ""
    entry = wait_for_entry(diarist)

    second = Agent(second_client, ClaudeSession(2, cwd=str(there)), there, transcripts, environ)
    second.hook("SessionStart", source="startup")
    second.session.prompt("Print the labels")
    trace = f'Traceback (most recent call last):\n  File "{there}/parcel/label.py", line 9, in <module>\n{ERROR}'
    if second_client == "codex":
        told = second.hook("PostToolUse", tool_name="Bash", tool_response=trace)
    else:
        told = second.hook("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{trace}")
    assert entry in told
    assert "read_weight" in told
    assert len(told) < 2000

    second.session.reply("Renamed.").bash("python -m pytest -q", "4 passed")
    second.hook("SessionEnd", reason="other")
    wait_until(lambda: not read_backlog(home / ".local" / "share" / "diarist").events)
    ledger = json.loads(diarist("feedback", entry, "--json").stdout)
    assert (f"{second_client}:{second.session.id}", "shown") in {(use["session"], use["event"]) for use in ledger}


def wait_for_entry(diarist: Any) -> str:
    """The id of the one entry, once the worker that the hooks started has made it."""
    found: list[Any] = []

    def there() -> bool:
        done = diarist("diary", "list", "--json")
        found[:] = json.loads(done.stdout) if done.returncode == 0 else []
        return bool(found)

    wait_until(there)
    return str(found[0]["id"])


def wait_until(done: Any) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "the worker did not finish in a minute"
        time.sleep(0.2)
