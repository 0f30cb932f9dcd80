"""`diarist erase` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import residue
from builders import fixed_test_session
from conftest import Run

VALUE = "GRAMPUS-4711"


@pytest.fixture
def workspace(diarist: Run, home: Path, environ: dict[str, str]) -> Path:
    """A workspace with one session that tells of the value."""
    folder = home / "ws"
    environ["DIARIST_HOME"] = str(folder)
    path = fixed_test_session(1).bash(f"deploy --to {VALUE}", f"{VALUE} refused", 1).write(home / "in")
    assert diarist("ingest", "--yes", str(path)).returncode == 0
    return folder


def test_a_preview_erases_nothing_and_names_everything(diarist: Run, workspace: Path) -> None:
    entry = json.loads(diarist("diary", "list", "--json").stdout)[0]["id"]
    done = diarist("erase", entry, "--dry-run")
    assert done.returncode == 0
    assert entry in done.stdout
    assert "observation" in done.stdout
    assert residue.find(workspace, [VALUE])


def test_without_somebody_to_ask_it_needs_yes(diarist: Run, workspace: Path) -> None:
    entry = json.loads(diarist("diary", "list", "--json").stdout)[0]["id"]
    done = diarist("erase", entry)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert diarist("erase", entry, "--yes").returncode == 0
    assert residue.find(workspace, [VALUE]) == []


def test_a_value_comes_from_standard_input_and_is_audited(diarist: Run, workspace: Path) -> None:
    """The receipt says that nothing is left; an audit of everything says the same afterwards, and found it before."""
    assert diarist("erase", "--audit", "--value", "-", stdin=VALUE + "\n").returncode == 1
    done = diarist("erase", "--value", "-", "--yes", "--json", stdin=VALUE + "\n")
    receipt = json.loads(done.stdout)
    assert (done.returncode, receipt["residue"], receipt["values"]) == (0, [], 1)
    assert VALUE not in done.stdout
    assert residue.find(workspace, [VALUE]) == []
    assert diarist("erase", "--audit").returncode == 0
    assert receipt["id"] in diarist("erase", "--list").stdout


def test_bad_wishes_are_bad_usage(diarist: Run, workspace: Path) -> None:
    for arguments in ([], ["--session", "nothing-like-it"], ["--since", "soon"]):
        assert diarist("erase", *arguments, "--yes").returncode == 2
    assert diarist("erase", "kh-aaaaaaaaaaaaaaaa", "--yes").returncode == 1
    assert diarist("erase", "--value", "-", "--yes", stdin="\n").returncode == 2
