"""Finding files: each once, nothing followed in circles, everything odd named."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from diarist.app.sources import Source, SourceProblem, find_sources


def files(found: list[Source | SourceProblem]) -> list[str]:
    """Names of the files found."""
    return [each.path.name for each in found if isinstance(each, Source)]


def problems(found: list[Source | SourceProblem]) -> list[SourceProblem]:
    """What could not be read."""
    return [each for each in found if isinstance(each, SourceProblem)]


def test_a_folder_is_walked_in_name_order_and_tool_folders_are_left_alone(tmp_path: Path) -> None:
    """Determinism, and no descent into .git or node_modules."""
    for name in ("b.jsonl", "a.jsonl", ".git/x", "node_modules/y", "sub/c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert files(list(find_sources([tmp_path]))) == ["a.jsonl", "b.jsonl", "c.jsonl"]


def test_a_symlink_loop_ends_and_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    """Links are followed, but never twice to the same place."""
    (tmp_path / "a.jsonl").write_text("{}")
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "copy.jsonl").symlink_to(tmp_path / "a.jsonl")
    assert files(list(find_sources([tmp_path, tmp_path / "a.jsonl"]))) == ["a.jsonl"]


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    """What the user asked for and is not there was lost."""
    (problem,) = problems(list(find_sources([tmp_path / "nope"])))
    assert "no such file" in problem.reason
    assert problem.lost


def test_a_dangling_link_in_a_folder_is_a_note(tmp_path: Path) -> None:
    """Nobody asked for it by name."""
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (problem,) = problems(list(find_sources([tmp_path])))
    assert not problem.lost


def test_pipes_and_sockets_are_not_read(tmp_path: Path) -> None:
    """Opening a FIFO would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        found = problems(list(find_sources([tmp_path])))
    assert len(found) == 2
    assert all("not a regular file" in problem.reason and not problem.lost for problem in found)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    """Unreadable is not empty."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    (problem,) = problems(list(find_sources([tmp_path])))
    assert "no permission" in problem.reason
