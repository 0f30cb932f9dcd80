"""The command line: what a user types and reads."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from builders import ClaudeSession, codex_rollout, fixed_test_session

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def projects(home: Path) -> Path:
    """Two sessions where Claude Code leaves them."""
    folder = home / ".claude" / "projects" / "-home-kim-work-parcel"
    fixed_test_session(1).write(folder)
    fixed_test_session(2, module="router").write(folder)
    return folder


def test_ingest_without_arguments_finds_the_usual_folders(diarist: Run, projects: Path, home: Path) -> None:
    """Claude Code's and Codex's, and the next run reads nothing."""
    rollout = home / ".codex" / "sessions" / "2026" / "11" / "02" / "rollout-x.jsonl"
    rollout.parent.mkdir(parents=True)
    rollout.write_text("".join(codex_rollout(1, [("user", "Build it"), ("run", ("make", "ok", 0)), ("say", "Built.")])))
    done = diarist("ingest")
    assert done.returncode == 0, done.stderr
    assert "3 new entries" in done.stdout
    assert "claude-code: 2 files" in done.stderr
    again = json.loads(diarist("ingest", "--json").stdout)
    assert (again["files_read"], again["files_unchanged"], again["created"], again["updated"]) == (0, 3, 0, 0)


def test_folders_of_the_agents_follow_their_variables(diarist: Run, environ: dict[str, str], tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR moves them."""
    environ["CLAUDE_CONFIG_DIR"] = str(tmp_path / "moved")
    fixed_test_session(1).write(tmp_path / "moved" / "projects" / "p")
    assert "1 new entry" in diarist("ingest").stdout


def test_ingest_with_nothing_to_find_says_what_to_do(diarist: Run) -> None:
    """Bad usage, not an empty success."""
    done = diarist("ingest")
    assert done.returncode == 2
    assert "diarist ingest PATH" in done.stderr


def test_a_transcript_comes_through_standard_input(diarist: Run) -> None:
    """`-` is a path like any other."""
    done = diarist("ingest", "-", stdin="".join(fixed_test_session(7).lines()))
    assert "1 new entry" in done.stdout, done.stderr


def test_a_dry_run_writes_nothing(diarist: Run, projects: Path) -> None:
    """It says what would be read."""
    assert "Would read 2 files" in diarist("ingest", "--dry-run", projects).stdout
    assert json.loads(diarist("diary", "list", "--json").stdout) == []


def test_filters_of_ingest_take_some_and_leave_the_rest_for_later(diarist: Run, projects: Path, tmp_path: Path) -> None:
    """What was left out is read by the next run without the filter."""
    ClaudeSession(9, cwd="/home/kim/work/other").prompt("Hello").reply("Hi.").write(projects)
    assert "1 new entry" in diarist("ingest", "--project", "/home/kim/work/other", projects).stdout
    assert "2 new entries" in diarist("ingest", projects).stdout
    assert diarist("ingest", "--agent", "codex", projects).returncode == 0


def test_list_show_and_prefixes(diarist: Run, projects: Path) -> None:
    """Ids, task ids and beginnings of either; ambiguity lists the candidates."""
    diarist("ingest", projects)
    listed = json.loads(diarist("diary", "list", "--json").stdout)
    assert len(listed) == 2
    ident, task = listed[0]["id"], listed[0]["task_id"]
    for wanted in (ident, ident[:9], task, task[:34]):
        assert json.loads(diarist("diary", "show", wanted, "--json").stdout)["id"] == ident
    shared = diarist("diary", "show", "kh-")
    assert shared.returncode == 1
    assert all(row["id"] in shared.stderr for row in listed)
    missing = diarist("diary", "show", "../../etc/passwd")
    assert missing.returncode == 1
    assert "nothing has the id" in missing.stderr
    text = diarist("diary", "show", ident).stdout
    assert "outcome: recovered" in text
    markdown = diarist("diary", "show", ident, "--format", "markdown").stdout
    assert markdown.startswith("---\n")
    assert "## What was done" in markdown


def test_whatever_search_finds_can_be_shown(diarist: Run) -> None:
    note = json.loads(diarist("note", "add", "-", "--title", "Gate", "--json", stdin="Deploys go through the blue gate.").stdout)["id"]
    shown = diarist("diary", "show", note[:12])
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(f"Gate\n{note}  note")
    assert "Deploys go through the blue gate." in shown.stdout
    assert json.loads(diarist("diary", "show", note, "--json").stdout)["kind"] == "note"
    assert diarist("diary", "show", note, "--format", "markdown").stdout == "Deploys go through the blue gate.\n"


def test_list_filters_and_sorts(diarist: Run, projects: Path) -> None:
    """Every filter narrows; an unreadable time is bad usage."""
    diarist("ingest", projects)

    def count(*arguments: str) -> int:
        return len(json.loads(diarist("diary", "list", "--json", *arguments).stdout))

    assert count("--agent", "claude-code") == 2
    assert count("--agent", "codex") == 0
    assert count("--outcome", "recovered") == 2
    assert count("--outcome", "failed") == 0
    assert count("--since", "2026-11-02T10:30:00") == 1
    assert count("--limit", "1") == 1
    titles = [row["title"] for row in json.loads(diarist("diary", "list", "--json", "--sort", "title").stdout)]
    assert titles == sorted(titles)
    bad = diarist("diary", "list", "--since", "soon")
    assert bad.returncode == 2
    assert "--since" in bad.stderr


def test_search_finds_by_words_and_by_error(diarist: Run, projects: Path) -> None:
    """The main job."""
    diarist("ingest", projects)
    hits = json.loads(diarist("search", "--json", "router tests").stdout)
    assert "router" in hits[0]["title"]
    by_error = json.loads(diarist("search", "--json", "--error", "-", stdin="E   KeyError: 'width_1'\n").stdout)
    assert "parser" in by_error[0]["title"]
    assert diarist("search").returncode == 2


def test_add_verify_and_what_a_forger_changes(diarist: Run, tmp_path: Path) -> None:
    """A forged bullet, tag or hash is found and named."""
    failing = "$ make\nmake: *** No rule to make target 'all'. Stop.\n[exit code 2]\n"
    transcript = f"User: Fix the build\n{failing}Assistant: Added a default target.\n$ make\nok\n[exit code 0]\n"
    added = json.loads(diarist("diary", "add", "-", "--task-id", "task 42/a", "--project", "demo", "--json", stdin=transcript).stdout)
    assert json.loads(diarist("diary", "verify", "task 42/a", "--json").stdout)[0]["ok"] is True
    (published,) = (tmp_path / "home").rglob("runtime/diaries/*.json")
    assert published.name == "task%2042%2Fa.json"
    assert stat.S_IMODE(published.stat().st_mode) == 0o600
    assert diarist("diary", "verify", published).returncode == 0
    for name, value in (("worked", ["It was easy."]), ("tags", ["forged"]), ("redaction_hash", "0" * 64)):
        forged = tmp_path / f"{name}.json"
        forged.write_text(json.dumps({**json.loads(published.read_text()), name: value}))
        done = diarist("diary", "verify", forged)
        assert done.returncode == 1
        assert name.replace("_", " ") in done.stdout.replace("_", " ")
    assert added["task_id"] == "task 42/a"


def test_two_transcripts_that_differ_in_masked_text_both_verify(diarist: Run, tmp_path: Path) -> None:
    """The hash is over the redacted form."""
    secrets = ["ghp_" + "".join(chr(97 + (number * step) % 26) for number in range(36)) for step in (5, 7)]
    texts = [f"User: Log in\nAssistant: I used the token {secret} and it worked.\n" for secret in secrets]
    diarist("diary", "add", "-", "--task-id", "t", "--project", "p", stdin=texts[0])
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        assert diarist("diary", "verify", "t", "--transcript", path).returncode == 0
    path.write_text("User: Log in\nAssistant: I used a password.\n")
    assert diarist("diary", "verify", "t", "--transcript", path).returncode == 1


def test_export_is_sorted_and_repeatable(diarist: Run, projects: Path, tmp_path: Path) -> None:
    """Same entries, same bytes."""
    diarist("ingest", projects)
    one = diarist("diary", "export").stdout
    assert one == diarist("diary", "export").stdout
    ids = [json.loads(line)["id"] for line in one.splitlines()]
    assert ids == sorted(ids)
    diarist("diary", "export", "--output", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == one


def test_no_escape_of_a_transcript_reaches_the_terminal(diarist: Run, home: Path) -> None:
    """Titles and bullets may hold anything."""
    session = ClaudeSession(3).prompt("Fix \x1b]0;owned\x07 the \u202etitle\x1b[31m please").reply("Done \x1b[2J.")
    session.write(home / "s")
    diarist("ingest", home / "s")
    for arguments in (("diary", "list"), ("diary", "show", session.id), ("search", "title please")):
        out = diarist(*arguments).stdout
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out


def test_unknown_commands_and_options_are_bad_usage(diarist: Run) -> None:
    """Exit code 2 and a hint, never a traceback."""
    done = diarist("serch", "x")
    assert done.returncode == 2
    assert "Did you mean `diarist search`" in done.stderr
    assert diarist("diary", "list", "--nope").returncode == 2


def test_bernsteins_names_work(diarist: Run, projects: Path) -> None:
    """`knowledge diary list` is `diary list`."""
    diarist("ingest", projects)
    assert diarist("knowledge", "diary", "list").stdout == diarist("diary", "list").stdout


def test_a_closed_pipe_is_no_fault(diarist: Run, projects: Path, environ: dict[str, str], home: Path) -> None:
    """`diarist diary export | head -1`."""
    import subprocess
    import sys

    diarist("ingest", projects)
    line = f"'{sys.executable}' -m diarist diary export | head -c 10"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environ, cwd=home, timeout=60)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_workspace_is_the_users_alone(diarist: Run, projects: Path, home: Path) -> None:
    """Folders 0700, files 0600."""
    diarist("ingest", projects)
    workspace = home / ".local" / "share" / "diarist"
    for path in (workspace, *workspace.rglob("*")):
        if path.name.endswith((".lock",)) or "index" in path.parts:
            continue
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, path


def test_a_trail_tells_what_agents_did_and_noted_on_a_workflow(diarist: Run) -> None:
    """In order, runs and notes alike, each with what it says first; other workflows are left out."""
    talk = "user: Mend the sail.\nassistant: The luff of the sail is sewn with waxed thread."
    ran = diarist("diary", "add", "--task-id", "t-1", "--workflow", "W-7", "--agent", "mender", "-", stdin=talk)
    assert ran.returncode == 0, ran.stderr
    noted = ("note", "add", "-", "--title", "Thread", "--workflow", "W-7", "--agent", "rigger")
    assert diarist(*noted, stdin="Waxed thread lasts.\nMore.").returncode == 0
    assert diarist("note", "add", "-", "--title", "Elsewhere", "--workflow", "W-8", stdin="x").returncode == 0
    told = diarist("trail", "W-7").stdout
    assert told.index("mender") < told.index("rigger")
    assert "Waxed thread lasts." in told
    assert "Elsewhere" not in told
    listed = json.loads(diarist("trail", "W-7", "--json").stdout)
    assert [(each["kind"], each["agent"]) for each in listed] == [("entry", "mender"), ("note", "rigger")]
    changed = diarist("note", "edit", listed[1]["id"], "-", stdin="Tarred thread lasts longer.")
    assert changed.returncode == 0, changed.stderr
    assert "Tarred thread" in diarist("trail", "W-7").stdout
