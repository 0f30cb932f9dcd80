"""`diarist hook`, as clients call it: each client's documented payloads go through the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from builders import ClaudeSession
from diarist.app.backlog import read_backlog
from diarist.bootstrap import open_memory

ERROR = "ModuleNotFoundError: No module named 'tomlkit'"


class Hooks:
    """Calls hooks in processes of their own. The worker is kept from starting: its lock is held, as if one were at work."""

    def __init__(self, home: Path, environ: dict[str, str], project: Path) -> None:
        self.workspace = home / ".local" / "share" / "diarist"
        self.environ = environ
        self.project = project

    def fire(self, event: str, client: str, payload: Any, **environ: str) -> subprocess.CompletedProcess[bytes]:
        """One hook; `payload` is sent as it is if it is bytes, else as JSON."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        command = [sys.executable, "-m", "diarist", "hook", event, "--client", client]
        return subprocess.run(command, input=raw, capture_output=True, env={**self.environ, **environ}, cwd=self.project, timeout=60)

    def claude(self, event: str, session: str = "s-1", **fields: Any) -> dict[str, Any]:
        """A payload of Claude Code."""
        common = {"session_id": session, "transcript_path": f"/nowhere/{session}.jsonl", "cwd": str(self.project)}
        return {**common, "hook_event_name": event, "permission_mode": "default", **fields}

    def events(self) -> list[tuple[str, str, str]]:
        """(client, kind, session) of what waits in the spool, oldest first."""
        return [(event.client, event.kind, event.session) for event in read_backlog(self.workspace).events]

    def seed(self) -> str:
        """An earlier session of the project that met ERROR and got past it; returns its entry's id."""
        session = ClaudeSession(3, cwd=str(self.project)).prompt("Read the settings from pyproject.toml")
        session.bash("python -m pytest -q", f"E   {ERROR}\n1 failed", 1)
        session.edit("pyproject.toml", "dependencies = []", 'dependencies = ["tomlkit"]')
        session.bash("python -m pytest -q", "3 passed").reply("The dependency was missing; the tests pass now.")
        path = session.write(self.workspace.parent / "transcripts")
        with open_memory(self.workspace) as memory:
            return memory.ingest([path]).entries[0].id


@pytest.fixture
def hooks(home: Path, environ: dict[str, str]) -> Any:
    from diarist.app.wake import take_lock

    project = home / "work"
    (project / ".git").mkdir(parents=True)
    made = Hooks(home, environ, project)
    lock = take_lock(str(made.workspace))
    assert lock is not None
    yield made
    os.close(lock)


CAPTURED = [
    ("claude-code", "Stop", {"stop_hook_active": False, "last_assistant_message": "secret words", "background_tasks": []}, "stop"),
    ("claude-code", "SubagentStop", {"agent_id": "a1", "agent_transcript_path": "/nowhere/agent-a1.jsonl"}, "subagent"),
    ("claude-code", "PreCompact", {"trigger": "auto", "custom_instructions": "secret words"}, "compact"),
    ("claude-code", "SessionEnd", {"reason": "prompt_input_exit"}, "end"),
    ("codex", "Stop", {"turn_id": "t1", "model": "gpt-5", "last_assistant_message": "secret words"}, "stop"),
    ("codex", "Interrupt", {"turn_id": "t1"}, "stop"),
    ("codex", "SessionEnd", {"reason": "other"}, "end"),
    ("gemini", "AfterAgent", {"prompt": "secret words", "prompt_response": "secret words", "timestamp": "2026-11-02T09:00:00Z"}, "stop"),
    ("gemini", "PreCompress", {"trigger": "manual"}, "compact"),
    ("gemini", "SessionEnd", {"reason": "exit"}, "end"),
]


@pytest.mark.parametrize(("client", "event", "fields", "kind"), CAPTURED)
def test_capture_leaves_ids_and_paths_and_says_nothing(hooks: Hooks, client: str, event: str, fields: dict[str, Any], kind: str) -> None:
    done = hooks.fire(event, client, hooks.claude(event, **fields))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert hooks.events() == [(client, kind, "s-1")]
    spooled = b"".join(path.read_bytes() for path in (hooks.workspace / "spool" / "events").iterdir())
    assert b"secret words" not in spooled
    assert b"/nowhere/s-1.jsonl" in spooled


@pytest.mark.parametrize(
    ("client", "event", "payload", "session"),
    [
        (
            "copilot",
            "agentStop",
            {"sessionId": "c-1", "cwd": "/w", "transcriptPath": "/nowhere/events.jsonl", "stopReason": "end_turn"},
            "c-1",
        ),
        ("copilot", "sessionEnd", {"sessionId": "c-1", "cwd": "/w", "timestamp": 1, "reason": "complete"}, "c-1"),
        ("copilot", "SessionEnd", {"session_id": "c-1", "cwd": "/w", "reason": "user_exit"}, "c-1"),
        ("cursor", "stop", {"conversation_id": "k-1", "generation_id": "g", "workspace_roots": ["/w"], "status": "completed"}, "k-1"),
        ("cursor", "sessionEnd", {"conversation_id": "k-1", "workspace_roots": ["/w"]}, "k-1"),
        ("opencode", "session.idle", {"sessionID": "ses_1", "cwd": "/w"}, "ses_1"),
    ],
)
def test_clients_with_other_spellings_are_understood(hooks: Hooks, client: str, event: str, payload: Any, session: str) -> None:
    assert hooks.fire(event, client, payload).returncode == 0
    backlog = read_backlog(hooks.workspace)
    assert [(event.client, event.session, event.cwd) for event in backlog.events] == [(client, session, "/w")]


@pytest.mark.parametrize(
    "raw",
    [b"", b"null", b"[]", b"{", b'{"session_id": 7}', b"\xff\xfe", b'{"a":' * 5000, b'\xef\xbb\xbf{"session_id": "s"}', b'{"a": NaN}'],
)
@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit", "PostToolUseFailure"])
def test_whatever_comes_in_the_hook_ends_well_and_silent(hooks: Hooks, raw: bytes, event: str) -> None:
    done = hooks.fire(event, "claude-code", raw)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "arguments", [[], ["Nothing"], ["Stop", "--client"], ["--client", "x", "--new-option", "7", "Stop"], ["Stop", "--client=zed"]]
)
def test_an_odd_command_line_ends_well_and_silent(hooks: Hooks, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "diarist", "hook", *arguments]
    done = subprocess.run(command, input=b"{}", capture_output=True, env=hooks.environ, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_workspace_that_cannot_be_written_breaks_nothing(hooks: Hooks, tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.write_text("x", encoding="utf-8")
    done = hooks.fire("Stop", "claude-code", hooks.claude("Stop"), DIARIST_HOME=str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# --- injection --------------------------------------------------------------------------------------------------------


def said(client: str, output: bytes, event: str) -> str:
    """The context in exactly the shape that the client's schema allows."""
    told = json.loads(output)
    if client in ("claude-code", "codex", "gemini"):
        assert list(told) == ["hookSpecificOutput"]
        assert set(told["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        assert told["hookSpecificOutput"]["hookEventName"] == event
        return str(told["hookSpecificOutput"]["additionalContext"])
    name = {"copilot": "additionalContext", "cursor": "additional_context", "opencode": "context"}[client]
    assert list(told) == [name]
    return str(told[name])


FAILED = [
    ("claude-code", "PostToolUseFailure", {"tool_name": "Bash", "error": f"Exit code 1\nE   {ERROR}", "is_interrupt": False}),
    ("codex", "PostToolUse", {"tool_name": "Bash", "tool_response": f"{ERROR}\n"}),
    ("codex", "PostToolUse", {"tool_name": "shell", "tool_response": {"output": f"E   {ERROR}", "metadata": {"exit_code": 1}}}),
    ("gemini", "AfterTool", {"tool_name": "run_shell_command", "tool_response": {"llmContent": f"Output: {ERROR}\nExit Code: 1"}}),
    ("copilot", "postToolUseFailure", {"toolName": "bash", "error": ERROR}),
    ("cursor", "postToolUseFailure", {"tool_name": "Shell", "error_message": ERROR}),
    ("opencode", "PostToolUseFailure", {"tool_name": "bash", "error": f"Exit code 1\n{ERROR}"}),
]


@pytest.mark.parametrize(("client", "event", "fields"), FAILED)
def test_a_failed_command_gets_the_fix_of_the_run_that_found_it(hooks: Hooks, client: str, event: str, fields: dict[str, Any]) -> None:
    entry = hooks.seed()
    done = hooks.fire(event, client, hooks.claude(event, **fields))
    context = said(client, done.stdout, event)
    assert done.returncode == 0
    assert entry in context
    assert "what solved it" in context
    assert context.startswith("<diarist-context>")
    assert context.endswith("</diarist-context>")
    assert len(context) < 2000
    used = [event for event in read_backlog(hooks.workspace).used if event.use == "shown"]
    assert [(event.ids, event.session, event.client) for event in used] == [((entry,), "s-1", client)]


def test_the_same_fix_is_shown_once_a_session(hooks: Hooks) -> None:
    hooks.seed()
    payload = hooks.claude("PostToolUseFailure", tool_name="Bash", error=ERROR)
    assert hooks.fire("PostToolUseFailure", "claude-code", payload).stdout
    assert hooks.fire("PostToolUseFailure", "claude-code", payload).stdout == b""
    assert hooks.fire("PostToolUseFailure", "claude-code", {**payload, "session_id": "s-2"}).stdout


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_name": "Bash", "error": "Exit code 1\nTypeError: x is not a function"},
        {"tool_name": "Read", "error": ERROR},
        {"tool_name": "Bash", "error": ERROR, "is_interrupt": True},
        {"tool_name": "Bash", "tool_response": {"stdout": ERROR, "exit_code": 0}},
        {"tool_name": "Bash", "error": ERROR, "cwd": "/somewhere/else"},
    ],
)
def test_nothing_is_said_where_nothing_fits(hooks: Hooks, fields: dict[str, Any]) -> None:
    hooks.seed()
    done = hooks.fire("PostToolUseFailure", "claude-code", hooks.claude("PostToolUseFailure", **fields))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "copilot", "cursor", "opencode"])
def test_a_new_session_is_told_of_the_last_runs(hooks: Hooks, client: str) -> None:
    entry = hooks.seed()
    environ = {"FAKE": "1"}
    done = hooks.fire("SessionStart", client, hooks.claude("SessionStart", source="startup"), **environ)
    assert done.returncode == 0
    context = said(client, done.stdout, "SessionStart") if done.stdout else ""
    assert entry in context or not context
    assert ("s-1", "start") in [(session, kind) for _, kind, session in hooks.events()]


def test_injection_leaves_the_store_and_the_index_as_they_are(hooks: Hooks) -> None:
    hooks.seed()

    def state() -> dict[str, bytes]:
        spool = hooks.workspace / "spool"
        found = [path for path in hooks.workspace.rglob("*") if path.is_file() and not path.is_relative_to(spool)]
        return {str(path): path.read_bytes() for path in found}

    before = state()
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUseFailure"):
        fields = {"prompt": "read the settings", "tool_name": "Bash", "error": ERROR}
        assert hooks.fire(event, "claude-code", hooks.claude(event, **fields)).returncode == 0
    assert state() == before


def test_injection_works_while_another_process_writes(hooks: Hooks) -> None:
    entry = hooks.seed()
    with open_memory(hooks.workspace) as memory, memory._box.store.transaction(actor="t", at=memory._box.now()):
        payload = hooks.claude("PostToolUseFailure", tool_name="Bash", error=ERROR)
        done = hooks.fire("PostToolUseFailure", "claude-code", payload)
    assert entry.encode() in done.stdout


def test_a_damaged_index_is_silence_and_a_note_for_status(hooks: Hooks) -> None:
    hooks.seed()
    for path in (hooks.workspace / "index").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    payload = hooks.claude("PostToolUseFailure", tool_name="Bash", error=ERROR)
    done = hooks.fire("PostToolUseFailure", "claude-code", payload)
    assert (done.returncode, done.stdout) == (0, b"")


# --- consent ----------------------------------------------------------------------------------------------------------


def test_a_session_that_opted_out_is_not_captured_and_stays_out_of_later_imports(hooks: Hooks) -> None:
    hooks.workspace.mkdir(parents=True, exist_ok=True)
    session = ClaudeSession(5, cwd=str(hooks.project)).prompt("private").bash("ls", "a").reply("done")
    path = session.write(hooks.workspace.parent / "transcripts")
    payload = {**hooks.claude("Stop", session.id), "transcript_path": str(path)}
    assert hooks.fire("Stop", "claude-code", payload, DIARIST_DISABLE="1").stdout == b""
    assert hooks.events() == []
    with open_memory(hooks.workspace) as memory:
        assert memory.ingest([path]).entries == []


def test_a_project_that_opted_out_is_not_captured(hooks: Hooks) -> None:
    (hooks.project / ".diarist").mkdir()
    (hooks.project / ".diarist" / "ignore").touch()
    (hooks.project / "deep" / "down").mkdir(parents=True)
    for cwd in (hooks.project, hooks.project / "deep" / "down"):
        assert hooks.fire("Stop", "claude-code", hooks.claude("Stop", cwd=str(cwd))).returncode == 0
    assert hooks.events() == []


def test_nothing_is_captured_or_shown_during_a_pause(hooks: Hooks, diarist: Any) -> None:
    hooks.seed()
    assert diarist("pause").returncode == 0
    payload = hooks.claude("PostToolUseFailure", tool_name="Bash", error=ERROR)
    assert hooks.fire("PostToolUseFailure", "claude-code", payload).stdout == b""
    hooks.fire("Stop", "claude-code", hooks.claude("Stop"))
    assert hooks.events() == []
    assert json.loads(diarist("status", "--json").stdout)["health"] == "paused"
    assert diarist("resume").returncode == 0
    hooks.fire("Stop", "claude-code", hooks.claude("Stop"))
    assert hooks.events() == [("claude-code", "stop", "s-1")]


def test_the_hook_finds_the_workspace_where_the_settings_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from diarist.config import load_settings
    from diarist.hook.places import workspace_folder

    monkeypatch.setenv("HOME", str(tmp_path))
    cases: list[dict[str, str]] = [
        {},
        {"XDG_DATA_HOME": str(tmp_path / "data")},
        {"DIARIST_HOME": str(tmp_path / "own")},
        {"DIARIST_HOME": "relative/place"},
        {"DIARIST_HOME": "~/in home"},
        {"DIARIST_HOME": "", "XDG_DATA_HOME": ""},
    ]
    for case in cases:
        environ = {"HOME": str(tmp_path), **case}
        assert Path(workspace_folder(environ)) == load_settings(environ=environ).workspace


def test_capture_imports_next_to_nothing(hooks: Hooks) -> None:
    code = (
        "import sys; before = set(sys.modules); sys.argv = ['diarist', 'hook', 'Stop', '--client', 'codex']\n"
        "from diarist.__main__ import main; main(); print(*sorted(set(sys.modules) - before))"
    )
    payload = json.dumps(hooks.claude("Stop")).encode()
    done = subprocess.run([sys.executable, "-c", code], input=payload, capture_output=True, env=hooks.environ, timeout=60)
    loaded = set(done.stdout.decode().split())
    assert hooks.events() == [("codex", "stop", "s-1")]
    assert not loaded & {"json", "re", "typing", "pathlib", "dataclasses", "subprocess", "msgspec", "click", "sqlite3", "logging", "enum"}
