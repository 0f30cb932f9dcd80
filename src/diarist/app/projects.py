"""Which project a session belongs to: one resolver for every surface.

A project is the repository, not the folder: the normalised git remote if there is one, else the main working tree's folder,
else the working directory as told. So worktrees, subfolders and clones agree.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from diarist.text.lazy import lazy

_SCP = lazy(r"^(?:[\w.+-]+@)?([\w.-]+):(?!//)(.+)$")
_URL = lazy(r"^[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)


def resolve_project(cwd: str, repository: str = "") -> str:
    """The project of a session that ran in `cwd`; `repository` is the remote where the transcript tells it. May be empty."""
    if repository and (name := normalise_remote(repository)):
        return name
    return _project_of_folder(cwd) if cwd else ""


def normalise_remote(url: str) -> str:
    """`git@github.com:Team/App.git`, `https://user@github.com/Team/App` → `github.com/team/app`; empty if it is neither.

    Host and path are lower-cased: the big hosts ignore case, and two spellings of one repository must agree.
    """
    text = url.strip()
    match = _URL.match(text) or _SCP.match(text)
    if match is None:
        return ""
    path = match[2].strip("/").removesuffix(".git").strip("/")
    return f"{match[1]}/{path}".lower() if path else ""


@lru_cache(maxsize=4096)
def _project_of_folder(cwd: str) -> str:
    """Reads `.git` itself: a subprocess per folder would cost more than the import."""
    folder = Path(cwd)
    if not folder.is_absolute():
        return _folder_name(cwd)
    try:
        for candidate in (folder, *folder.parents):
            git = candidate / ".git"
            if git.exists():
                common = _common_dir(git)
                return _remote(common) or _tree_name(common)
    except OSError:
        pass
    return _folder_name(cwd)


def _common_dir(git: Path) -> Path:
    """The repository's common directory: for a worktree or submodule `.git` is a file that points to it."""
    if git.is_dir():
        return git
    target = git.read_text(encoding="utf-8", errors="replace").partition("gitdir:")[2].strip()
    actual = (git.parent / target).resolve()
    pointer = actual / "commondir"
    return (actual / pointer.read_text(encoding="utf-8").strip()).resolve() if pointer.exists() else actual


def _remote(common: Path) -> str:
    """The `origin` remote, else the first one."""
    try:
        lines = (common / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.replace(" ", "").startswith("url="):
            found.setdefault(section[9:-2], line.partition("=")[2].strip())
    url = found.get("origin") or next(iter(found.values()), "")
    return normalise_remote(url)


def _tree_name(common: Path) -> str:
    return str(common.parent if common.name == ".git" else common)


def _folder_name(cwd: str) -> str:
    """The folder as told: it may be of another machine, so it is only tidied, never resolved."""
    text = cwd.strip()
    return text if text in ("/", "\\") else text.rstrip("/\\")
