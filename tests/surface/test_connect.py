"""`diarist connect` and `disconnect`, as a user types them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import ClaudeSession

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def files_below(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "copilot", "cursor", "opencode"])
def test_a_dry_run_shows_the_change_and_makes_none(diarist: Run, home: Path, client: str) -> None:
    done = diarist("connect", client, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "+++ " in done.stdout
    assert "diarist" in done.stdout
    assert files_below(home) == {}


def test_connecting_leaves_old_sessions_alone_until_told(diarist: Run, home: Path) -> None:
    ClaudeSession(1).prompt("Old work").bash("make", "ok").reply("Done.").write(home / ".claude" / "projects" / "x")
    done = diarist("connect", "claude-code")
    assert done.returncode == 0, done.stderr
    assert "Here lie 1 file of earlier sessions" in done.stdout
    assert "Nothing was imported now. `diarist ingest --agent claude-code`" in done.stdout
    assert json.loads(diarist("diary", "list", "--json").stdout) == []
    assert "1 new entry" in diarist("connect", "claude-code", "--import").stdout
    assert len(json.loads(diarist("diary", "list", "--json").stdout)) == 1


def test_status_says_who_is_connected_before_anything_was_heard(diarist: Run) -> None:
    assert "No agent is connected" in diarist("status").stdout
    diarist("connect", "codex", "--no-import")
    assert "Codex: connected, nothing was heard yet" in diarist("status").stdout


def test_sessions_that_are_in_the_diary_already_are_not_offered_again(diarist: Run, home: Path) -> None:
    ClaudeSession(1).prompt("Old work").bash("make", "ok").reply("Done.").write(home / ".claude" / "projects" / "x")
    assert diarist("ingest", "--yes").returncode == 0
    done = diarist("connect", "claude-code")
    assert "earlier sessions" not in done.stdout
    assert "`diarist status` tells" in done.stdout


def test_the_list_tells_what_is_connected_and_whether_events_arrive(diarist: Run, home: Path) -> None:
    diarist("connect", "codex", "--no-import")
    subprocess_payload = json.dumps({"session_id": "s-1", "cwd": str(home), "hook_event_name": "Stop"})
    assert diarist("hook", "Stop", "--client", "codex", stdin=subprocess_payload).returncode == 0
    rows = {row["client"]: row for row in json.loads(diarist("connect", "--list", "--json").stdout)}
    assert rows["codex"]["connected"] == ["user"]
    assert rows["codex"]["last_event"]["event"] == "Stop"
    assert rows["gemini"]["connected"] == []
    assert rows["gemini"]["last_event"] is None
    assert "Codex: " in diarist("connect", "--list").stdout


def test_what_the_user_has_to_do_is_said(diarist: Run) -> None:
    assert "trust" in diarist("connect", "codex", "--no-import").stdout


def test_a_project_is_connected_by_itself(diarist: Run, home: Path) -> None:
    project = home / "work" / "parcel"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    assert diarist("connect", "claude-code", "--project", "--instructions", "--no-import", cwd=project / "src").returncode == 0
    assert {".claude/settings.json", ".mcp.json", "CLAUDE.md"} <= set(files_below(project))
    assert not (home / ".claude" / "settings.json").exists()
    assert diarist("disconnect", "claude-code", "--project", cwd=project).returncode == 0
    assert files_below(project) == {}


def test_another_workspace_is_named_in_the_hooks(diarist: Run, home: Path, tmp_path: Path) -> None:
    place = tmp_path / "own place"
    assert diarist("--workspace", place, "connect", "cursor", "--no-import").returncode == 0
    hooks = json.loads((home / ".cursor" / "hooks.json").read_text(encoding="utf-8"))
    assert all(f"--workspace '{place}'" in hook["command"] for group in hooks["hooks"].values() for hook in group)


@pytest.mark.parametrize("arguments", [["connect", "emacs"], ["disconnect"], ["disconnect", "emacs"]])
def test_bad_usage_is_told(diarist: Run, arguments: list[str]) -> None:
    done = diarist(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_purge_leaves_nothing_behind(diarist: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "opus" // mine\n}\n', encoding="utf-8")
    project = home / "work" / "parcel"
    (project / ".git").mkdir(parents=True)
    before = files_below(home)
    for client in ("claude-code", "codex", "gemini", "copilot", "cursor", "opencode"):
        assert diarist("connect", client, "--instructions", "--no-import").returncode == 0
    assert diarist("connect", "gemini", "--project", "--no-import", cwd=project).returncode == 0
    ClaudeSession(1).prompt("Some work").bash("make", "ok").reply("Done.").write(home / "sessions")
    assert diarist("ingest", home / "sessions").returncode == 0
    (home / ".config" / "diarist").mkdir(parents=True)
    (home / ".config" / "diarist" / "config.toml").write_text('actor = "kim"\n', encoding="utf-8")
    assert diarist("backup", home / "sessions" / "all.backup").returncode == 0
    assert diarist("restore", home / "sessions" / "all.backup", "--replace").returncode == 0
    assert list((home / ".local" / "share").glob("diarist.before-*"))

    shown = diarist("disconnect", "--purge", "--dry-run")
    assert "would delete" in shown.stdout
    assert (home / ".local" / "share" / "diarist" / "diarist.db").exists()
    done = diarist("disconnect", "--purge", "--yes")
    assert done.returncode == 0, done.stderr
    left = {name: content for name, content in files_below(home).items() if not name.startswith("sessions/")}
    assert left == before
    assert not (home / ".local" / "share" / "diarist").exists()


def test_a_purge_asks_first(diarist: Run, home: Path) -> None:
    diarist("connect", "codex", "--no-import")
    done = diarist("disconnect", "--purge", stdin="n\n")
    assert done.returncode != 0
    assert (home / ".codex" / "hooks.json").exists()
