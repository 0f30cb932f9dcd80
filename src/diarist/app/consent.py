"""What may be captured: a session its user opted out of, a project or a folder that is left alone, stays out of every import.

    DIARIST_DISABLE=1            the session it is set for (a hook leaves a mark in `left-out/`)
    .diarist/ignore              the project: all of it if the file is empty, else working folders that fit its patterns
    capture.ignore_paths         the machine: patterns of working folders and of files, in the user's settings
    capture.ignore_prompts       the machine: regular expressions; a turn whose prompt fits one is withheld
    <private>…</private>         a part of a prompt
    diarist pause                what happens meanwhile

The last three are for `stages.withhold`, which reads the rules made here.
"""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from diarist.app.spool import left_out
from diarist.errors import InvalidInputError
from diarist.model.privacy import WithholdRules

if TYPE_CHECKING:
    from diarist.config import Settings

PAUSES = "pauses.json"


def may_capture(settings: Settings, session: str, cwd: str) -> bool:
    """False where the user keeps this session, its project or its working folder out."""
    if left_out(str(settings.workspace), session):
        return False
    if any(_fits(cwd, pattern, settings.home) for pattern in settings.get("capture.ignore_paths")):
        return False
    return not _project_ignores(cwd)


def withhold_rules(settings: Settings) -> WithholdRules:
    """The rules for texts. Raises InvalidInputError for a pattern that is no regular expression."""
    prompts = []
    for pattern in settings.get("capture.ignore_prompts"):
        try:
            prompts.append(re.compile(pattern, re.IGNORECASE))
        except (re.error, TypeError) as error:
            raise InvalidInputError(f"capture.ignore_prompts: {pattern!r} is no regular expression ({error})") from error
    home = str(settings.home)
    paths = tuple(
        str(pattern).replace("~", home, 1) if str(pattern).startswith("~") else str(pattern)
        for pattern in settings.get("capture.ignore_paths")
    )
    return WithholdRules(paths=paths, prompts=tuple(prompts), pauses=tuple(_pauses(settings.workspace)))


def _fits(cwd: str, pattern: str, home: Path) -> bool:
    """A pattern fits a folder and all below it."""
    text = pattern.replace("~", str(home), 1) if pattern.startswith("~") else pattern
    text = text.rstrip("/\\") or text
    folder = cwd.replace("\\", "/")
    return any(fnmatchcase(part, text.replace("\\", "/")) for part in _upwards(folder))


def _upwards(folder: str) -> list[str]:
    parts = folder.rstrip("/").split("/")
    return ["/".join(parts[:end]) or "/" for end in range(len(parts), 0, -1)]


def _project_ignores(cwd: str) -> bool:
    if not cwd or not Path(cwd).is_absolute():
        return False
    here = Path(cwd)
    for folder in (here, *here.parents):
        try:
            text = (folder / ".diarist" / "ignore").read_text(encoding="utf-8", errors="replace")
        except OSError:
            if (folder / ".git").exists():
                return False
            continue
        patterns = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        below = here.relative_to(folder).as_posix()
        return not patterns or any(fnmatchcase(part, pattern.strip("/")) for pattern in patterns for part in _upwards(below))
    return False


# --- pausing ----------------------------------------------------------------------------------------------------------


def pause(workspace: Path, until: float | None) -> None:
    """Stops capture and recall, until a time (seconds since 1970) or until `resume`. What happens meanwhile is never imported."""
    workspace.mkdir(parents=True, exist_ok=True, mode=0o700)
    resume(workspace)
    spans = _spans(workspace)
    spans.append((time.time(), until))
    _write(workspace, spans)
    (workspace / "paused").write_text("" if until is None else str(int(until)), encoding="ascii")


def resume(workspace: Path) -> bool:
    """Goes on; False where nothing was paused."""
    mark = workspace / "paused"
    if not mark.exists():
        return False
    now = time.time()
    _write(workspace, [(start, now if end is None or end > now else end) for start, end in _spans(workspace)])
    mark.unlink(missing_ok=True)
    return True


def _pauses(workspace: Path) -> list[tuple[datetime, datetime]]:
    """The spans of time in which Diarist was paused, the running one included."""
    far = datetime.max.replace(tzinfo=UTC)
    return [
        (datetime.fromtimestamp(start, UTC), far if end is None else datetime.fromtimestamp(end, UTC)) for start, end in _spans(workspace)
    ]


def _spans(workspace: Path) -> list[tuple[float, float | None]]:
    try:
        told = json.loads((workspace / PAUSES).read_bytes())
    except (OSError, ValueError):
        return []
    pairs = [span for span in told if isinstance(span, list) and len(span) == 2] if isinstance(told, list) else []
    return [(float(start), end if end is None else float(end)) for start, end in pairs]


def _write(workspace: Path, spans: list[tuple[float, float | None]]) -> None:
    draft = workspace / f".{PAUSES}.tmp"
    draft.write_text(json.dumps(spans), encoding="ascii")
    draft.replace(workspace / PAUSES)
