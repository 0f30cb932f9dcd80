"""Documents of the hub as files of a folder that people can read without Diarist; in a git repository each edit is a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from diarist.app.documents import path_of
from diarist.app.journal import log
from diarist.errors import StoreError
from diarist.model.codec import from_json
from diarist.model.record import Note
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

GIT_SECONDS = 30.0
AUTHOR_HOST = "diarist.invalid"


def write_document(box: Toolbox, record_id: str, actor: str) -> Path | None:
    """Writes a document's file and commits it. The document itself is safe in the store: what goes wrong here is logged only.

    None where `hub.folder` is not set, or the record is no document.
    """
    folder = str(box.settings.get("hub.folder")).strip()
    record = box.store.get_record(record_id) if folder else None
    if record is None or not path_of(record):
        return None
    root = Path(folder).expanduser()
    target = root.joinpath(*(file_name(part) for part in PurePosixPath(path_of(record)).parts))
    note = from_json(record.body, Note)
    text = note.body if note.body.endswith("\n") else note.body + "\n"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        box.publisher().put(target, text.encode("utf-8", "replace"), mode=0o644)
        if (root / ".git").exists():
            _commit(root, target, f"{path_of(record)}: revision {record.revision}", actor or box.actor)
    except (OSError, StoreError, subprocess.SubprocessError) as error:
        log(box.settings.workspace, box.now(), "hub-folder-failed", id=record_id, error=type(error).__name__)
    return target


def _commit(root: Path, target: Path, message: str, actor: str) -> None:
    """Commits this one file. The repository's own identity commits; the actor is the author."""
    name = " ".join("".join(c if c.isprintable() and c not in "<>" else " " for c in actor).split()) or "diarist"
    author = f"{name} <{file_name(name)}@{AUTHOR_HOST}>"
    identity = ["-c", f"user.name={name}", "-c", f"user.email={file_name(name)}@{AUTHOR_HOST}"]
    relative = str(target.relative_to(root))
    _git(root, "add", "--", relative)
    if _git(root, "diff", "--cached", "--quiet", "--", relative, check=False):
        _git(root, *identity, "commit", "--quiet", "--no-verify", f"--author={author}", "-m", message, "--", relative)


def _git(root: Path, *arguments: str, check: bool = True) -> int:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=check, capture_output=True, timeout=GIT_SECONDS).returncode  # noqa: S603 - fixed program, arguments apart
