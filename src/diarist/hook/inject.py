"""Injection: looks up what past sessions know, prints it as the client's schema asks, and tells the spool what was shown.

Opens the store for reading only; never brings the index up to date and never waits for a lock.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diarist.app import spool
from diarist.app.backlog import claim_shown
from diarist.errors import DiaristError
from diarist.hook.payload import folder_of, session_of, text_of
from diarist.hook.reply import can_inject, reply

if TYPE_CHECKING:
    from diarist.model.hit import ContextPack

SHORTEST_ASKED = 6
"""A shorter prompt ("yes", "go on") asks for nothing that could be looked up."""
MAX_ASKED = 20_000
"""Characters of a prompt or an error that are looked at."""


def inject(kind: str, event: str, client: str, workspace: str, payload: dict[str, Any]) -> None:
    """Prints context for this event, or nothing."""
    asked = _asked(kind, payload)
    if asked is None or not can_inject(client, kind) or not _has_store(workspace):
        return
    session = session_of(payload)
    pack = _brief(kind, workspace, asked, folder_of(payload))
    ids = [hit.id for hit in pack.items]
    if not pack.text or not claim_shown(workspace, session, kind, ids):
        return
    os.write(1, reply(client, text_of(payload, "hook_event_name") or event, pack.text))
    told = {"kind": "used", "use": "shown", "event": event[:60], "client": client, "session": session}
    spool.add_event(workspace, {**told, "surface": f"hook:{kind}", "ids": " ".join(ids)})


def _has_store(workspace: str) -> bool:
    return bool(os.environ.get("DIARIST_DATABASE_URL")) or (Path(workspace) / "diarist.db").exists()


def _asked(kind: str, payload: dict[str, Any]) -> str | None:
    """What to look up; None for nothing: a session that goes on with what it was told, an empty prompt, a command that succeeded."""
    if kind == "start":
        return None if text_of(payload, "source") == "resume" else ""
    if kind == "prompt":
        prompt = text_of(payload, "prompt", "userPrompt", "initialPrompt").strip()
        return prompt[:MAX_ASKED] if len(prompt) >= SHORTEST_ASKED and not prompt.startswith("/") else None
    from diarist.hook.failing import failed_output

    output = failed_output(payload)
    if output is None:
        return None
    text = output.text if len(output.text) <= MAX_ASKED else output.text[: MAX_ASKED // 4] + "\n" + output.text[-3 * MAX_ASKED // 4 :]
    return text if output.certain or _tells_errors(text) else None


def _tells_errors(text: str) -> bool:
    from diarist.text.fingerprint import errors_in

    return bool(errors_in(text))


def _brief(kind: str, workspace: str, asked: str, cwd: str) -> ContextPack:
    from diarist.app.projects import resolve_project
    from diarist.bootstrap import open_memory
    from diarist.model.hit import ContextPack

    with contextlib.suppress(DiaristError), open_memory(workspace, read_only=True) as memory:
        return memory.brief(kind, asked, project=resolve_project(cwd), cwd=cwd)
    return ContextPack("", ())
