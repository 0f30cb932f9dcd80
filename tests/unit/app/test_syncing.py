"""Taking over published diaries: Bernstein's nine fields, our own files, and everything odd that such a folder holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diarist
from diarist.app.memory import Memory
from diarist.model.record import RecordFilter

BERNSTEIN: dict[str, Any] = {
    "created_at": "2026-11-20T10:00:00+09:00",
    "failed": ["Pinned the old driver"],
    "rationale": "The server speaks a newer protocol.",
    "redaction_hash": "a" * 64,
    "schema_version": 1,
    "tags": ["Driver", "driver", "postgres"],
    "task_id": "task-7",
    "tried": ["Pinned the old driver", "Upgraded the driver"],
    "worked": ["Upgraded the driver"],
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace."""
    with diarist.open_memory(tmp_path / "ws") as opened:
        yield opened


@pytest.fixture
def diaries(tmp_path: Path) -> Path:
    """Where Bernstein keeps its diaries."""
    folder = tmp_path / ".sdd" / "runtime" / "diaries"
    folder.mkdir(parents=True)
    return folder


def put(folder: Path, name: str, value: object) -> None:
    """Writes a file as JSON, or as the bytes given."""
    (folder / name).write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def test_a_bernstein_diary_is_listed_found_and_has_no_transcript_to_verify(memory: Memory, diaries: Path, tmp_path: Path) -> None:
    """Its fields keep their meaning; times are UTC; tags are lower-case and once each."""
    put(diaries, "task-7.json", BERNSTEIN)
    report = memory.sync(tmp_path / ".sdd", "demo")
    assert (report.added, report.problems) == (1, [])
    entry = memory.get_entry("task-7")
    assert entry.tried == ("Pinned the old driver", "Upgraded the driver")
    assert entry.tags == ("driver", "postgres")
    assert entry.created_at.isoformat() == "2026-11-20T01:00:00+00:00"
    assert entry.outcome == "unknown"
    found = memory.verify("task-7")
    assert found.ok
    assert found.notes == ("no transcript to verify against",)
    assert memory.sync(tmp_path / ".sdd", "demo").unchanged == 1


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("number", 42, "holds int"),
        ("null", None, "holds NoneType"),
        ("array", [1], "holds list"),
        ("text-list", {**BERNSTEIN, "tried": "abc"}, "tried is not a list of texts"),
        ("null-rationale", {**BERNSTEIN, "rationale": None}, "rationale is not a text"),
        ("version", {**BERNSTEIN, "schema_version": 99}, "schema_version 99"),
        ("bool-version", {**BERNSTEIN, "schema_version": True}, "schema_version True"),
        ("infinity", json.dumps({**BERNSTEIN, "schema_version": float("inf")}).encode(), "schema_version inf"),
        ("yesterday", {**BERNSTEIN, "created_at": "yesterday"}, "created_at"),
        ("year-one", {**BERNSTEIN, "created_at": "0001-01-01T00:00:00+09:00"}, "created_at"),
        ("no-task", {**BERNSTEIN, "task_id": "  "}, "task_id"),
        ("latin", b'{"task_id": "\xff"}', "not UTF-8"),
        ("broken", b'{"task_id": ', "not valid JSON"),
        ("deep", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "not valid JSON"),
        ("empty", b"", "not valid JSON"),
    ],
)
def test_odd_files_are_named_and_the_good_ones_taken(
    memory: Memory, diaries: Path, tmp_path: Path, name: str, value: object, reason: str
) -> None:
    """One bad file never kills a run."""
    put(diaries, f"{name}.json", value)
    put(diaries, "task-7.json", BERNSTEIN)
    report = memory.sync(tmp_path / ".sdd", "demo")
    assert report.added == 1
    (problem,) = report.problems
    assert reason in problem.reason
    assert name in problem.path


def test_folders_and_dangling_links_among_the_files(memory: Memory, diaries: Path, tmp_path: Path) -> None:
    """Named like any other bad file."""
    (diaries / "folder.json").mkdir()
    (diaries / "gone.json").symlink_to(tmp_path / "nowhere")
    assert len(memory.sync(tmp_path / ".sdd", "demo").problems) == 2


def test_a_missing_tree_is_empty(memory: Memory, tmp_path: Path) -> None:
    """Nothing is made."""
    report = memory.sync(tmp_path / ".sdd", "demo")
    assert (report.read, report.problems) == (0, [])
    assert not (tmp_path / ".sdd").exists()


def test_secrets_in_a_synced_file_are_masked_everywhere(memory: Memory, diaries: Path, tmp_path: Path) -> None:
    """Also in the task id and the tags."""
    secret = "ghp_" + "".join(chr(65 + (number * 7) % 26) for number in range(36))
    put(diaries, "leak.json", {**BERNSTEIN, "task_id": f"task {secret}", "tried": [f"export TOKEN={secret}"], "tags": [secret]})
    memory.sync(tmp_path / ".sdd", "demo")
    assert secret.encode() not in b"".join(memory.export(RecordFilter()))
    assert secret.lower().encode() not in b"".join(memory.export(RecordFilter()))


def test_a_teammates_entry_comes_in_whole_and_never_over_a_local_one(memory: Memory, tmp_path: Path) -> None:
    """Published by one workspace, taken over by another; a changed file is refused."""
    entry = memory.add_entry(task_id="t1", transcript="User: Build it\nAssistant: Built.", agent="codex", project="demo")
    (published,) = (tmp_path / "ws").rglob("runtime/diaries/t1.json")
    root = published.parent.parent.parent
    with diarist.open_memory(tmp_path / "other") as other:
        assert other.sync(root, "demo").added == 1
        assert other.get_entry("t1") == entry
        assert other.get("t1").trust == "import"
        published.write_text(published.read_text().replace("Build it", "Break it"))
        assert "hash does not fit" in other.sync(root, "demo").problems[0].reason
    assert memory.sync(root, "demo").added == 0
    assert memory.get("t1").trust == "host"
