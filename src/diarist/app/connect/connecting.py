"""The use case: plan what to change for a client, show it, do it, undo it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from difflib import unified_diff
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from diarist.app.connect.client import Client, Where, instructions_edit
from diarist.app.connect.edits import Edit, read_text, write_text
from diarist.app.connect.program import Program
from diarist.errors import InvalidInputError, UsageError

_CLIENTS = {
    "claude-code": "claude_code:ClaudeCode",
    "codex": "codex:Codex",
    "gemini": "gemini:Gemini",
    "copilot": "copilot:Copilot",
    "cursor": "cursor:Cursor",
    "opencode": "opencode:OpenCode",
}
CLIENTS = tuple(_CLIENTS)


class Change(NamedTuple):
    """One file, before and after; None: it is not there."""

    path: Path
    before: str | None
    after: str | None
    original: str | None
    """What it was before Diarist ever touched it, as far as that can be told."""

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(old, new, str(self.path) if self.before is not None else "/dev/null", str(self.path))
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


class Connection(NamedTuple):
    """What is known of a connection that was made."""

    client: str
    scope: str
    root: str
    files: tuple[str, ...]


def get_client(name: str) -> Client:
    """The client of this name. Raises UsageError for one that is not known."""
    if name not in _CLIENTS:
        raise UsageError(f"there is no client {name!r}; use one of {', '.join(CLIENTS)}")
    module, _, kind = _CLIENTS[name].partition(":")
    client: Client = getattr(import_module(f"diarist.app.connect.{module}"), kind)()
    return client


def plan_connect(workspace: Path, client: Client, where: Where, program: Program, *, instructions: bool) -> list[Change]:
    """What connecting would change; nothing where all is in place. Doing it again changes nothing.

    Raises
    ------
    InvalidInputError
        A settings file cannot be understood; nothing is changed then.
    """
    edits = client.edits(where, program)
    if instructions:
        edits.append(instructions_edit(client.instructions(where)))
    changes = [_plan(workspace, edit, add=True) for edit in edits]
    return [change for change in changes if change.before != change.after]


def plan_disconnect(workspace: Path, client: Client, where: Where, program: Program) -> list[Change]:
    """What disconnecting would change: files get back the bytes they had."""
    edits: list[Edit] = [*client.edits(where, program), instructions_edit(client.instructions(where))]
    changes = [_plan(workspace, edit, add=False) for edit in edits]
    return [change for change in changes if change.before != change.after]


def apply_changes(workspace: Path, changes: Iterable[Change]) -> None:
    """Writes the files, each whole or not at all, and remembers how to get back."""
    empty: list[str] = []
    for change in changes:
        note = _note_path(workspace, change.path)
        made = _note(workspace, change.path).get("made", [])
        if change.after is None:
            change.path.resolve().unlink(missing_ok=True)
            empty += made
        else:
            folders = write_text(change.path, change.after)
            made = made or [str(folder) for folder in folders]
        if change.after == change.original:
            note.unlink(missing_ok=True)
        else:
            _remember(note, change, made)
    for folder in sorted(set(empty), key=len, reverse=True):
        with suppress(OSError):  # somebody else has put something there
            Path(folder).rmdir()


def is_connected(client: Client, where: Where, program: Program) -> bool:
    """True where some file holds our part."""
    for edit in client.edits(where, program):
        text = read_text(edit.path)
        if text is not None and _stripped(edit, text) != text:
            return True
    return False


def noted_files(workspace: Path) -> list[Path]:
    """Files that connections were noted for."""
    folder = workspace / "connect"
    return sorted(Path(json.loads(path.read_bytes())["path"]) for path in folder.glob("*.json")) if folder.is_dir() else []


def _plan(workspace: Path, edit: Edit, *, add: bool) -> Change:
    before = read_text(edit.path)
    original = _original(workspace, edit, before)
    if not add:
        return Change(edit.path, before, original, original)
    try:
        after = edit.add(original or "")
    except ValueError as error:
        raise InvalidInputError(f"{edit.path} cannot be changed: {error}. Nothing was changed.") from error
    return Change(edit.path, before, after, original)


def _original(workspace: Path, edit: Edit, text: str | None) -> str | None:
    """The file without our part: byte for byte as it was if nobody changed it since, else with our part taken out."""
    if text is None:
        return None
    note = _note(workspace, edit.path)
    if note.get("after") == _digest(text):
        if note.get("created"):
            return None
        restored = _undone(text, note.get("pieces", []))
        if _digest(restored) == note.get("before"):
            return restored
    left = _stripped(edit, text)
    if left == text:
        return text
    empty = "".join(left.split()).strip("\ufeff") in ("", "{}")
    return None if empty and note.get("created", True) else left


def _stripped(edit: Edit, text: str) -> str:
    try:
        return edit.strip(text)
    except (ValueError, LookupError) as error:
        raise InvalidInputError(f"{edit.path} cannot be read: {error}. Nothing was changed.") from error


# --- notes: how to get back, without keeping what the file holds ------------------------------------------------------


def _remember(note: Path, change: Change, made: list[str]) -> None:
    """Keeps digests, and where our pieces stand. The file's own text may hold secrets and is not kept."""
    old, new = change.original or "", change.after or ""
    told = {
        "path": str(change.path),
        "created": change.original is None,
        "before": _digest(old),
        "after": _digest(new),
        "pieces": _pieces(old, new),
        "made": made,
    }
    note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = note.with_suffix(".tmp")
    draft.write_text(json.dumps(told), encoding="utf-8")
    draft.replace(note)


def _pieces(old: str, new: str) -> list[tuple[int, int]]:
    """Where in `new` stands what is not in `old`, as (start, length) from left to right. Right if `new` is `old` with insertions."""
    start = _agreeing(old, new)
    end = _agreeing(old[start:][::-1], new[start:][::-1])
    pieces: list[tuple[int, int]] = []
    at_old = start
    for at_new in range(start, len(new) - end):
        if at_old < len(old) - end and old[at_old] == new[at_new]:
            at_old += 1
        elif pieces and sum(pieces[-1]) == at_new:
            pieces[-1] = (pieces[-1][0], pieces[-1][1] + 1)
        else:
            pieces.append((at_new, 1))
    return pieces


def _agreeing(one: str, other: str) -> int:
    """Characters at the beginning that are the same in both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _undone(text: str, pieces: list[list[int]]) -> str:
    for start, length in reversed(pieces):
        text = text[:start] + text[start + length :]
    return text


def _note(workspace: Path, path: Path) -> dict[str, Any]:
    try:
        told = json.loads(_note_path(workspace, path).read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _note_path(workspace: Path, path: Path) -> Path:
    return workspace / "connect" / f"{hashlib.sha256(str(path.absolute()).encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
