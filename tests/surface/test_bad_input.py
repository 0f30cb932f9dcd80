"""Bad input through the whole program: named, counted, nothing stored twice or half, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from builders import ClaudeSession, fixed_test_session

Run = Callable[..., CompletedProcess[str]]


def ingest(diarist: Run, *paths: Path) -> tuple[int, dict[str, object], str]:
    """Exit code, report and standard error."""
    done = diarist("ingest", "--json", *paths)
    assert "Traceback" not in done.stderr, done.stderr
    report = json.loads(done.stdout)
    for capture in report["captures"]:
        assert capture["seen"] == capture["kept"] + sum(capture["skipped"].values()) + capture["malformed"]
    return done.returncode, report, done.stderr


def good() -> list[str]:
    """Lines of a session with an entry."""
    return fixed_test_session(1).lines()


CASES: dict[str, tuple[Callable[[list[str]], bytes], bool]] = {
    "broken JSON": (lambda lines: "".join([lines[0], '{"type": "user", \n', *lines[1:]]).encode(), True),
    "two objects on one line": (lambda lines: "".join([lines[0].rstrip("\n") + lines[1], *lines[2:]]).encode(), False),
    "a 50 MB line": (
        lambda lines: "".join([*lines[:2], json.dumps({"type": "progress", "data": "x" * 50_000_000}) + "\n", *lines[2:]]).encode(),
        False,
    ),
    "a byte-order mark": (lambda lines: b"\xef\xbb\xbf" + "".join(lines).encode(), False),
    "CRLF": (lambda lines: "".join(lines).replace("\n", "\r\n").encode(), False),
    "invalid UTF-8": (lambda lines: "".join(lines).encode().replace(b"parser tests", b"parser \xff\xfe tests"), False),
    "NUL bytes": (lambda lines: "".join([lines[0], "\0\0\0\n", *lines[1:]]).encode(), False),
    "lines that are no objects": (lambda lines: "".join([lines[0], "[1]\n", '"text"\n', "17\n", *lines[1:]]).encode(), True),
    "deep nesting": (lambda lines: "".join([lines[0], '{"a":' * 1_000_000 + "1" + "}" * 1_000_000 + "\n", *lines[1:]]).encode(), True),
    "no final newline": (lambda lines: "".join(lines).rstrip("\n").encode(), False),
}


@pytest.mark.parametrize("name", CASES)
def test_damage_costs_only_what_is_damaged(diarist: Run, tmp_path: Path, name: str) -> None:
    """The rest is imported; exit code 1 exactly where a record was lost."""
    damage, lost = CASES[name]
    path = tmp_path / "session.jsonl"
    path.write_bytes(damage(good()))
    code, report, _ = ingest(diarist, path)
    assert code == int(lost)
    assert report["created"] == 1
    assert diarist("diary", "verify", "--all").returncode == 0


def test_a_truncated_end_is_read_when_it_is_whole(diarist: Run, tmp_path: Path) -> None:
    """The writer is not done: nothing is lost, and the next run takes the rest."""
    whole = "".join(good()).encode()
    path = tmp_path / "session.jsonl"
    path.write_bytes(whole[:-120])
    assert ingest(diarist, path)[0] == 0
    path.write_bytes(whole)
    code, report, _ = ingest(diarist, path)
    assert (code, report["updated"]) == (0, 1)
    other = tmp_path / "other"
    other.mkdir()
    (other / "session.jsonl").write_bytes(whole)
    assert ingest(diarist, other)[1]["updated"] == 0


def test_empty_files_and_files_that_are_no_transcripts(diarist: Run, tmp_path: Path) -> None:
    """Left out and counted; in a folder they are nobody's fault."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "empty.jsonl").write_bytes(b"")
    (tmp_path / "t" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    fixed_test_session(1).write(tmp_path / "t")
    code, report, _ = ingest(diarist, tmp_path / "t")
    assert (code, report["created"], report["files_skipped"]) == (0, 1, 2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_named(diarist: Run, tmp_path: Path) -> None:
    """Unreadable is not empty."""
    path = fixed_test_session(1).write(tmp_path)
    path.chmod(0)
    code, _, error = ingest(diarist, path)
    assert code == 1
    assert "no permission" in error


def test_pipes_loops_and_missing_paths(diarist: Run, tmp_path: Path) -> None:
    """None of them hangs or hides the good file beside it."""
    folder = tmp_path / "t"
    fixed_test_session(1).write(folder)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "loop").symlink_to(folder)
    code, report, _ = ingest(diarist, folder)
    assert (code, report["created"]) == (0, 1)
    assert ingest(diarist, folder / "gone.jsonl")[0] == 1


def test_a_session_that_says_nothing_gives_no_entry(diarist: Run, tmp_path: Path) -> None:
    """And the report says so."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"type": "summary", "summary": "x", "leafUuid": "y"}) + "\n")
    code, report, _ = ingest(diarist, path)
    assert (code, report["created"], report["sessions_without_entry"]) == (0, 0, 1)


def test_a_file_that_grows_is_read_on_and_gives_what_one_reading_gives(diarist: Run, tmp_path: Path) -> None:
    """Cut anywhere, also inside a record."""
    whole = "".join(good()).encode()
    path = tmp_path / "a" / "session.jsonl"
    path.parent.mkdir()
    for cut in (200, len(whole) // 3, len(whole) // 2, len(whole) - 1, len(whole)):
        path.write_bytes(whole[:cut])
        ingest(diarist, path)
    grown = diarist("diary", "export").stdout
    fresh = diarist("--workspace", tmp_path / "fresh", "ingest", path)
    assert fresh.returncode == 0
    assert diarist("--workspace", tmp_path / "fresh", "diary", "export").stdout == grown


def test_a_rewritten_file_keeps_what_it_no_longer_holds(diarist: Run, tmp_path: Path) -> None:
    """Agents delete and compact; evidence stays."""
    session = ClaudeSession(5).prompt("First question").reply("First answer").prompt("Second question").reply("Second answer")
    path = session.write(tmp_path)
    ingest(diarist, path)
    path.write_text("".join(session.lines()[2:]))
    ingest(diarist, path)
    transcript = diarist("diary", "show", session.id, "--transcript").stdout
    assert transcript.count("First answer") == 1
    assert transcript.count("Second answer") == 1


def test_a_locked_database_is_waited_for_and_then_named(diarist: Run, environ: dict[str, str], tmp_path: Path, home: Path) -> None:
    """Two writers: the second waits its turn."""
    diarist("ingest", fixed_test_session(1).write(tmp_path / "a"))
    database = home / ".local" / "share" / "diarist" / "diarist.db"
    hold = (
        f"import sqlite3,time; c=sqlite3.connect({str(database)!r}); c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(2)"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    holder.stdout.readline()
    code, report, _ = ingest(diarist, fixed_test_session(2).write(tmp_path / "b"))
    assert (code, report["created"]) == (0, 1)
    holder.wait(timeout=10)
    holder.stdout.close()


def test_ctrl_c_says_how_to_go_on_and_loses_nothing(diarist: Run, environ: dict[str, str], tmp_path: Path) -> None:
    """Exit code 130, no traceback, and the next run completes."""
    for number in range(1, 120):
        fixed_test_session(number, padding=15).write(tmp_path / "t")
    command = [sys.executable, "-m", "diarist", "ingest", "--jobs", "1", str(tmp_path / "t")]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.9)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert "Traceback" not in error
    assert process.returncode in (0, 130)
    assert ingest(diarist, tmp_path / "t")[0] == 0
    assert len(json.loads(diarist("diary", "list", "--json").stdout)) == 119


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("status", 0),
        ("connect --list", 0),
        ("diary list", 0),
        ("search basket", 0),
        ("recall basket", 0),
        ("doctor", 0),
        ("ingest -", 0),
        ("patterns list", 2),
        ("skills list", 2),
        ("synthesize --dry-run", 2),
        ("note add --title Basket -", 2),
        ("sync", 2),
        ("init", 2),
    ],
)
def test_a_folder_that_is_gone_stops_only_what_needs_one(
    diarist: Run, environ: dict[str, str], tmp_path: Path, command: str, code: int
) -> None:
    """An agent removes the folder that a shell or a server stands in; what asks for its project says so in a sentence."""
    session = fixed_test_session(1).write(tmp_path / "t").read_text("utf-8")
    assert ingest(diarist, tmp_path / "t")[0] == 0
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    ran = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), sys.executable, "-m", "diarist", *command.split()],
        env=environ, input=session, capture_output=True, text=True,
    )  # fmt: skip
    assert "Traceback" not in ran.stderr
    assert ran.returncode == code, ran.stderr
    assert ("is not there any more" in ran.stderr) is (code == 2)
