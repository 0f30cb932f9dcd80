"""`diarist export` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import fixed_test_session
from conftest import Run


@pytest.fixture
def filled(diarist: Run, tmp_path: Path) -> Run:
    """A workspace with two sessions in it."""
    for number in (1, 2):
        fixed_test_session(number).write(tmp_path / "in")
    assert diarist("ingest", tmp_path / "in").returncode == 0
    return diarist


def test_sessions_go_to_a_folder_a_file_or_standard_output(filled: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = filled("export", "--format", "atif", "-o", f"{out}/")
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 sessions written" in done.stderr
    names = sorted(path.name for path in out.iterdir())
    assert [name.endswith(".atif.json") for name in names] == [True, True]
    printed = filled("export", "--format", "atif").stdout
    assert printed.splitlines() == [(out / name).read_text("utf-8").rstrip("\n") for name in names]
    assert filled("export", "--format", "otel", "-o", tmp_path / "traces.jsonl").returncode == 0
    assert "resourceSpans" in json.loads((tmp_path / "traces.jsonl").read_text("utf-8").splitlines()[0])


def test_entries_are_written_as_before(filled: Run) -> None:
    assert filled("export").stdout == filled("diary", "export").stdout
    assert len(filled("export", "--format", "jsonl").stdout.splitlines()) == 2
    assert filled("export", "--format", "jsonl", "--sessions").stdout.startswith('{"diarist":"session/1"')


def test_what_cannot_be_exported_is_said(filled: Run, tmp_path: Path) -> None:
    missing = filled("export", "kh-nothing", "--format", "atif")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "kh-nothing" in missing.stderr
    wrong = filled("export", "--format", "atif", "--entries")
    assert wrong.returncode == 2
    assert "cannot be exported" in wrong.stderr
    nowhere = filled("export", "-o", tmp_path / "no" / "such" / "file.jsonl")
    assert nowhere.returncode == 2
    assert "cannot write" in nowhere.stderr
