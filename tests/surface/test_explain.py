"""`diarist ingest --explain`: how a file was understood, without keeping anything."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from builders import ClaudeSession, fixed_test_session
from conftest import Run
from contract.importers.passes import TRANSCRIPTS


def test_format_records_skipped_ones_and_steps_are_shown_and_nothing_is_kept(diarist: Run, home: Path) -> None:
    shown = diarist("ingest", "--explain", TRANSCRIPTS / "swe-agent.traj")
    assert shown.returncode == 0
    for said in (
        "importer: swe-agent (sure: ",
        "records by type: trajectory: other 4",
        "call bash",
        '| {"command":"python -m pytest -q"}',
        "records: 10 seen = 5 kept + 5 skipped + 0 malformed",
        "skipped 2: demo (a demonstration of another task)",
        "calls: 4, with a result: 4",
    ):
        assert said in shown.stdout
    assert list(home.rglob("*.db")) == []


def test_it_says_the_same_of_standard_input_and_as_json(diarist: Run, tmp_path: Path) -> None:
    path = fixed_test_session(1).write(tmp_path)
    told = json.loads(diarist("ingest", "--explain", "--json", path).stdout)
    assert told["importer"] == "claude-code"
    assert told["records"]["assistant/message"] == 4
    (session,) = told["sessions"]
    assert session["capture"]["seen"] == session["capture"]["kept"] == len(path.read_text("utf-8").splitlines())
    assert [each["step"]["kind"] for each in told["steps"]][:2] == ["prompt", "call"]
    piped = json.loads(diarist("ingest", "--explain", "--json", "-", stdin=path.read_text("utf-8")).stdout)
    assert piped["steps"] == told["steps"]


def test_secrets_and_terminal_escapes_are_not_shown(diarist: Run, tmp_path: Path) -> None:
    secret = "ghp_" + secrets.token_hex(18)
    path = ClaudeSession(1).prompt(f"Use the token {secret}.").bash("ls", "\x1b]0;owned\x07fine").reply("Done.").write(tmp_path)
    shown = diarist("ingest", "--explain", path)
    assert secret not in shown.stdout + shown.stderr
    assert "\x1b" not in shown.stdout
    assert "masked: 1 place" in shown.stdout


@pytest.mark.parametrize("content", ['{"a": {"b": [1, 2]}, "type": "thing", "text": "private words"}\n', ""])
def test_what_nobody_knows_is_shown_by_its_shape(diarist: Run, tmp_path: Path, content: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(content, "utf-8")
    shown = diarist("ingest", "--explain", path)
    assert shown.returncode == 1
    assert "not a transcript" in shown.stdout
    assert "private words" not in shown.stdout
    assert ('"text": "<text, 13>"' in shown.stdout) == bool(content)


def test_a_file_that_is_not_there_is_said(diarist: Run, tmp_path: Path) -> None:
    done = diarist("ingest", "--explain", tmp_path / "nothing.jsonl")
    assert (done.returncode, "cannot read" in done.stderr) == (1, True)
    assert diarist("ingest", "--explain").returncode == 2
