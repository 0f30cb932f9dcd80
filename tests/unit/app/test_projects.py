"""One project for a repository, whatever folder, worktree or clone a session ran in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from diarist.app.projects import normalise_remote, resolve_project


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/Team/App.git",
        "https://user@example.com/team/app",
        "git@example.com:team/app.git",
        "ssh://git@example.com:2222/team/app/",
        "git://example.com/TEAM/app",
    ],
)
def test_spellings_of_one_remote_agree(url: str) -> None:
    """Protocol, user, port, case and suffix say nothing about the project."""
    assert normalise_remote(url) == "example.com/team/app"


def test_what_is_no_remote_gives_nothing() -> None:
    """A path or a word is left for the other rules."""
    assert normalise_remote("/srv/git/app") == ""
    assert normalise_remote("origin") == ""


def git(folder: Path, *arguments: str) -> None:
    """Runs git with an identity of its own."""
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments], cwd=folder, check=True, capture_output=True, timeout=30
    )


def test_subfolder_worktree_and_clone_agree(tmp_path: Path) -> None:
    """With a remote the remote names the project; without one the main working tree does, for its worktrees too."""
    main = tmp_path / "app"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "start")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    (main / "src").mkdir()
    assert {resolve_project(str(folder)) for folder in (main, main / "src", tmp_path / "tree")} == {str(main)}
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "remote", "add", "origin", "git@example.com:team/app.git")
    assert resolve_project(str(other)) == "example.com/team/app"
    assert resolve_project("/gone", "https://example.com/team/app") == "example.com/team/app"


def test_a_folder_that_is_not_here_is_taken_as_told() -> None:
    """Transcripts come from other machines."""
    assert resolve_project("/home/nobody/x/") == "/home/nobody/x"
    assert resolve_project("C:\\work\\app\\") == "C:\\work\\app"
    assert resolve_project("") == ""
