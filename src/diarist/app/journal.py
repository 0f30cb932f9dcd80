"""`log/diarist.log`: what happened, as ids and counts, never as text. Rotated; losing it loses nothing."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

MAX_BYTES = 1 << 20
KEPT = 3


def log(workspace: Path, at: datetime, event: str, **fields: str | int | float | None) -> None:
    """Appends one JSON line. Never raises: a full disk must not fail what is being logged."""
    path = workspace / "log" / "diarist.log"
    line = json.dumps({"at": at.isoformat(timespec="milliseconds"), "event": event, **fields}, sort_keys=True) + "\n"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _rotate(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(line)


def _rotate(path: Path) -> None:
    try:
        if path.stat().st_size < MAX_BYTES:
            return
    except FileNotFoundError:
        return
    for number in range(KEPT, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        newer = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
        with suppress(FileNotFoundError):
            newer.replace(older)
