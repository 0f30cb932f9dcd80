"""`diarist stats`: what the workspace holds, in numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from builders import ClaudeSession, fixed_test_session
from diarist.bootstrap import open_memory
from diarist.model.use import Told


def test_stats_count_runs_errors_tokens_and_use(home: Path, diarist: Any) -> None:
    workspace = home / ".local" / "share" / "diarist"
    open_error = (
        ClaudeSession(9).prompt("Start the press").bash("press start", "bash: press: command not found", 127).reply("It is not there.")
    )
    with open_memory(workspace) as memory:
        fixed = memory.ingest([fixed_test_session(1).write(home / "t"), open_error.write(home / "t")]).entries[0].id
        memory.note_use([Told([fixed], "claude-code:elsewhere", 0.0, "shown", "hook:prompt")])
        memory.feedback(fixed, "helpful")
    told = json.loads(diarist("stats", "--days", "3650", "--json").stdout)
    assert (told["entries"], sum(told["outcomes"].values())) == (2, 2)
    assert (told["errors_solved"], told["errors_open"]) == (1, 1)
    assert told["tokens"] > 0
    assert told["usefulness"]["total"]["helped"] == 1
    assert told["usefulness"]["best"][0]["id"] == fixed
    shown = diarist("stats", "--days", "3650").stdout
    assert "errors: 1 with a fix, 1 without" in shown
    assert "1 shown by hook:prompt to 1" in shown
    assert f"{fixed}  score × 1.02" in shown


def test_stats_of_an_empty_workspace(home: Path, diarist: Any) -> None:
    open_memory(home / ".local" / "share" / "diarist").close()
    done = diarist("stats")
    assert done.returncode == 0
    assert "0 runs in 30 days" in done.stdout
    assert "nothing was shown to an agent yet" in done.stdout
