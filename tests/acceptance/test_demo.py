"""`diarist demo`: what a newcomer sees first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Run = Callable[..., CompletedProcess[str]]


def test_the_demo_imports_prints_the_diary_and_finds_a_past_fix(diarist: Run, tmp_path: Path, home: Path) -> None:
    """Twice, from any folder; the second time nothing is new. Nothing is left behind in the home folder."""
    first = diarist("demo", "--keep", tmp_path / "kept", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "4 entries new or changed; 1 secret masked" in first.stdout
    assert first.stdout.count("kh-") >= 5
    found = first.stdout.split("3. Tonight", 1)[1]
    assert "ledgerline" in found
    assert "tomllib" in found
    assert "maple" not in first.stdout
    again = diarist("demo", "--keep", tmp_path / "kept")
    assert "0 entries new or changed" in again.stdout
    assert diarist("demo").returncode == 0
    assert list(home.iterdir()) == []


def test_what_the_demo_tells_is_what_happened(diarist: Run, tmp_path: Path) -> None:
    """Outcomes follow from the checks in the sessions: three got there, the first arm64 build did not."""
    import json

    diarist("demo", "--keep", tmp_path / "kept")
    listed = json.loads(diarist("--workspace", tmp_path / "kept", "diary", "list", "--json", "--sort", "created_at").stdout)
    outcomes = [(row["outcome"] in ("completed", "recovered"), row["verified"]) for row in listed]
    assert outcomes == [(True, True), (True, True), (False, False), (True, True)]
    assert diarist("--workspace", tmp_path / "kept", "diary", "verify", "--all").returncode == 0
