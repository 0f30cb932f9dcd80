"""From an event to the transcript files of its session: what the event names, else what the agent's folders hold under its id."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.app.backlog import Dirty

MIN_ID = 6
"""A shorter id would fit files of other sessions."""
EXPORT_SECONDS = 120
_AGENTS = {"gemini": "gemini-cli"}
"""Agents whose importer bears another name than their client."""
_PLAIN_ID = lazy(r"[A-Za-z0-9_-]{6,200}\Z")


def agent_of(client: str) -> str:
    """The agent whose sessions a client's events tell of."""
    return _AGENTS.get(client, client)


@contextmanager
def located(session: Dirty, workspace: Path, roots: Callable[[], Mapping[str, Sequence[Path]]]) -> Iterator[list[Path]]:
    """Files of a session, its subagents' included, there while the context is open; none where it has left none.

    `roots` gives each agent's folders; it is asked only where no event names a file. Other sessions' files are never among them.
    """
    named = [path for path in session.transcripts() if path.is_file()]
    if named or session.client != "opencode":
        if not named and len(session.session) >= MIN_ID:
            folders = roots().get(agent_of(session.client), ())
            named = sorted(path for root in folders for path in _bearing(root, session.session))
        yield list(dict.fromkeys(path for each in named for path in (each, *_subagents(each))))
        return
    export = _exported(session.session, workspace)
    try:
        yield [export] if export is not None else []
    finally:
        if export is not None:
            export.unlink(missing_ok=True)


def _bearing(root: Path, session: str) -> Iterator[Path]:
    """Files below `root` that bear the session's id in their name, or lie in a folder that does."""
    for folder, _, names in os.walk(root):
        inside = session in Path(folder).name
        yield from (Path(folder, name) for name in names if inside or session in name)


def _subagents(transcript: Path) -> list[Path]:
    """Claude Code keeps the transcripts of a session's subagents in a folder named after it."""
    folder = transcript.with_suffix("") / "subagents"
    return sorted(folder.rglob("*.jsonl")) if folder.is_dir() else []


def _exported(session: str, workspace: Path) -> Path | None:
    """OpenCode keeps all sessions in one database: it is asked for this one. The file has the same name each time."""
    program = shutil.which("opencode")
    if program is None or not _PLAIN_ID.match(session):
        return None
    import subprocess

    folder = workspace / "spool" / "exports"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"opencode-{session}.json"
    with path.open("wb") as file:
        path.chmod(0o600)
        try:
            # What it prints is a transcript: read as data, like any other. The id holds nothing that could be an option.
            command = [program, "export", session]
            null, environ = subprocess.DEVNULL, {**os.environ, "DIARIST_DISABLE": "1"}
            done = subprocess.run(command, stdin=null, stdout=file, stderr=null, env=environ, timeout=EXPORT_SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            done = None
    if done is None or done.returncode != 0 or not path.stat().st_size:
        path.unlink(missing_ok=True)
        return None
    return path
