"""The whole loop: a hook shows a past fix, the agent follows it, the worker reads that off the transcript, and the rank moves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from builders import START, ClaudeSession
from diarist.app.backlog import read_backlog
from diarist.bootstrap import open_memory

ERROR = "ModuleNotFoundError: No module named 'parcel_units'"
FIX = "python -m pip install parcel-units"


class Client:
    """Claude Code in one session: fires hooks of its own accord and writes its transcript."""

    def __init__(self, number: int, folder: Path, environ: dict[str, str]) -> None:
        self.session = ClaudeSession(number, cwd=str(folder), start=START + timedelta(days=number))
        self.folder, self.environ = folder, environ
        self.transcripts = Path(environ["HOME"]) / ".claude" / "projects" / "parcel"

    def fire(self, event: str, **fields: Any) -> str:
        path = self.session.write(self.transcripts)
        told = {"session_id": self.session.id, "transcript_path": str(path), "cwd": str(self.folder), "hook_event_name": event, **fields}
        command = [sys.executable, "-m", "diarist", "hook", event, "--client", "claude-code"]
        done = subprocess.run(command, input=json.dumps(told).encode(), capture_output=True, env=self.environ, cwd=self.folder, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


def test_a_fix_that_was_shown_and_followed_gains_and_one_that_misled_loses(home: Path, environ: dict[str, str], diarist: Any) -> None:
    environ["DIARIST_IDLE_SECONDS"] = "1"
    folder = home / "work" / "parcel"
    folder.mkdir(parents=True)
    trace = f"Traceback (most recent call last):\n{ERROR}"

    first = Client(1, folder, environ)
    first.session.prompt("The label job does not start. Make it start.").bash("python -m parcel.label", trace, 1)
    first.session.bash(FIX, "Successfully installed").bash("python -m parcel.label", "12 labels").reply("It starts.")
    first.fire("SessionEnd", reason="other")
    worked_off(home)
    entry = json.loads(diarist("diary", "list", "--json").stdout)[0]["id"]

    second = Client(2, folder, environ)
    second.fire("SessionStart", source="resume")
    second.session.prompt("Print the labels").bash("python -m parcel.label", trace, 1)
    told = second.fire("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{trace}")
    assert entry in told
    second.session.reply(f"A past run ({entry}) installed it.").bash(FIX, "Successfully installed")
    second.session.bash("python -m parcel.label", "12 labels").reply("Printed.")
    second.fire("SessionEnd", reason="other")
    worked_off(home)

    shown = diarist("diary", "show", entry).stdout
    assert "shown 1 time to 1 session" in shown
    assert "cited in 1, followed in 1, its error gone in 1, left in 0; helped 1, misled 0" in shown
    assert "useful so far: 1 session for it, 0 against (score × 1.02)" in shown
    with open_memory(home / ".local" / "share" / "diarist", read_only=True) as memory:
        (effect,) = memory.worth(entry).effects
        assert (effect.session, effect.followed, effect.points) == (f"claude-code:{second.session.id}", "command", 2)
        assert [(use.surface, use.place) for use in memory.uses(entry)] == [("hook:tool", 1)]

    assert diarist("feedback", entry, "harmful").returncode == 0
    told = diarist("feedback", entry).stdout
    assert "said: harmful" in told
    assert "1 session for it, 1 against (score × 1.00)" in told


def worked_off(home: Path) -> None:
    """Waits until the worker that the hooks started has nothing left to do."""
    end = time.monotonic() + 60
    while read_backlog(home / ".local" / "share" / "diarist").events:
        assert time.monotonic() < end, "the worker did not finish in a minute"
        time.sleep(0.2)
