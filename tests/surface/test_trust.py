"""`correct`, `backup`, `restore`, `verify` and `doctor --repair` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import fixed_test_session
from conftest import Run

QUESTION = "how does the narwhal deploy go through the gate"


@pytest.fixture
def workspace(diarist: Run, home: Path, environ: dict[str, str]) -> Path:
    """A workspace with one session and one note."""
    folder = home / "ws"
    environ["DIARIST_HOME"] = str(folder)
    assert diarist("ingest", "--yes", str(fixed_test_session(1).write(home / "in"))).returncode == 0
    body = home / "note.md"
    body.write_text("The narwhal deploy goes through the green gate.")
    assert diarist("note", "add", "--title", "Narwhal gate", str(body)).returncode == 0
    return folder


def note_id(diarist: Run) -> str:
    found = json.loads(diarist("search", "narwhal", "--kind", "note", "--json").stdout)
    hits = found["results"] if isinstance(found, dict) else found
    return str(hits[0]["id"])


def test_a_correction_is_told_and_taken_back(diarist: Run, workspace: Path) -> None:
    assert workspace.exists()
    note = note_id(diarist)
    done = diarist("correct", note, "--replaced", "The narwhal deploy goes through the blue gate.", "--why", "moved", "--json")
    assert done.returncode == 0, done.stderr
    told = diarist("recall", QUESTION).stdout
    assert "blue gate" in told
    assert "green gate" not in told
    assert diarist("correct", json.loads(done.stdout)["correction"], "--undo").returncode == 0
    assert "green gate" in diarist("recall", QUESTION).stdout


def test_a_correction_says_one_thing(diarist: Run, workspace: Path) -> None:
    assert workspace.exists()
    note = note_id(diarist)
    for wrong in ([], ["--retracted", "--replaced", "x"], ["--then", "x", "--retracted"], ["--until", "soon"]):
        assert diarist("correct", note, *wrong).returncode == 2
    assert diarist("correct", note, "--retracted").returncode == 0
    assert "green gate" not in diarist("recall", QUESTION).stdout


def test_a_backup_is_checked_and_restored(diarist: Run, workspace: Path, home: Path) -> None:
    assert diarist("backup", home / "b.backup").returncode == 0
    assert "is whole" in diarist("backup", "--verify", home / "b.backup").stdout
    assert diarist("restore", home / "b.backup").returncode == 2, "there is a workspace already"
    done = diarist("--workspace", home / "look", "restore", home / "b.backup", "--json")
    assert json.loads(done.stdout)["records"] >= 2
    assert "green gate" in diarist("--workspace", home / "look", "recall", QUESTION).stdout
    assert diarist("pause").returncode == 0
    assert diarist("restore", home / "b.backup", "--replace").returncode == 0
    assert "green gate" in diarist("recall", QUESTION).stdout
    assert json.loads(diarist("status", "--json").stdout)["health"] == "paused", "a restore resumes nothing"
    assert diarist("resume").returncode == 0
    (home / "b.backup").write_bytes(b"noise")
    assert diarist("backup", "--verify", home / "b.backup").returncode == 1
    assert workspace.exists()


def test_verify_all_names_the_first_break(diarist: Run, workspace: Path, home: Path) -> None:
    assert diarist("verify", "--anchor", home / "anchor.json").returncode == 0
    done = diarist("verify", "--all", "--against", home / "anchor.json")
    assert (done.returncode, "everything is what was written" in done.stdout) == (0, True)
    published = next(workspace.rglob("diaries/*.json"))
    published.write_text(published.read_text().replace("parser", "parsex"))
    done = diarist("verify", "--all", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"]) == (1, False)
    assert published.name in told["first"]
    assert diarist("verify").returncode == 2


def test_doctor_repairs(diarist: Run, workspace: Path) -> None:
    assert "nothing to repair" in diarist("doctor", "--repair").stdout
    for path in (workspace / "projects").rglob("*.md"):
        path.unlink()
    done = diarist("doctor", "--repair", "--json")
    assert done.returncode == 0
    assert "published files" in json.loads(done.stdout)["done"][0]
    assert diarist("doctor").returncode == 0
