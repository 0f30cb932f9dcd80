"""From an event to the transcript files of its session: what the event names, else what the agent's folders hold under its id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diarist.app.backlog import Dirty

MIN_ID = 6
"""A shorter id would fit files of other sessions."""


def locate(session: Dirty, roots: Callable[[], Mapping[str, Sequence[Path]]]) -> list[Path]:
    """Files of a session, its subagents' included. `roots` gives each agent's folders; it is asked only where no event names a file."""
    named = [path for path in session.transcripts() if path.is_file()]
    if not named and len(session.session) >= MIN_ID:
        agents = roots()
        named = sorted(path for root in agents.get(session.client, ()) for path in _bearing(root, session.session))
    return list(dict.fromkeys(path for each in named for path in (each, *_subagents(each))))


def _bearing(root: Path, session: str) -> Iterator[Path]:
    """Files below `root` that bear the session's id in their name, or lie in a folder that does."""
    for folder, _, names in os.walk(root):
        inside = session in Path(folder).name
        yield from (Path(folder, name) for name in names if inside or session in name)


def _subagents(transcript: Path) -> list[Path]:
    """Claude Code keeps the transcripts of a session's subagents in a folder named after it."""
    folder = transcript.with_suffix("") / "subagents"
    return sorted(folder.rglob("*.jsonl")) if folder.is_dir() else []
