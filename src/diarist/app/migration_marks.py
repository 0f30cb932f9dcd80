"""What tells that a store was taken over: a record in the same transaction as its data, and the files that the origins look for."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from diarist.app.projecting import project_events
from diarist.app.records import state_record
from diarist.errors import InvalidInputError
from diarist.model.ids import make_id
from diarist.model.record import Record
from diarist.model.redacted import Redacted

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

MARKER = ".burin-session-store-migrated-v1.json"
MARKER_SCHEMA = "harn.pattern_learning.migration.v1"
LOG = "events.jsonl"


def probe(path: Path) -> str:
    """What a look at a path says: "missing", "file", "denied", "other" (no plain file) or "error"."""
    try:
        return "file" if stat.S_ISREG(path.stat().st_mode) else "other"
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except PermissionError:
        return "denied"
    except OSError:
        return "error"


# --- the record -----------------------------------------------------------------------------------------------------------


def mark_id(source: str) -> str:
    """Id of the record that tells that a source (its path, or the digest of what it holds) was taken over, wherever to."""
    return make_id("migration", "burin", source)


def digest_of(files: Sequence[Path]) -> str:
    """SHA-256 (64 hex digits) of what the files hold. Raises InvalidInputError where one cannot be read."""
    made = hashlib.sha256()
    try:
        for file in files:
            made.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    except OSError as error:
        raise InvalidInputError(f"{error.filename} cannot be read: {error.strerror or error}") from error
    return made.hexdigest()


def make_mark(box: Toolbox, known: str, scope: Redacted, namespace: str) -> Record:
    """The record with this id, for the transaction that writes the data."""
    body = json.dumps({"source": known, "migrated_at": box.now().isoformat()}).encode()
    return state_record(known, body, namespace=namespace, title="migration of a Burin store", at=box.now(), project=scope)


# --- the files ------------------------------------------------------------------------------------------------------------


def marker_path(box: Toolbox, namespace: str) -> Path:
    """Where the marker of a namespace lies."""
    return box.settings.workspace / "memory" / Path(*namespace.split("/")) / MARKER


def write_files(box: Toolbox, scope: Redacted, namespace: str, harn_root: Path | None) -> None:
    """Writes the marker, and with `harn_root` Harn's own tree, as far as they are not there. Safe to do again.

    Raises StoreFullError, InvalidInputError where a file cannot be written or read.
    """
    marker = marker_path(box, namespace)
    if probe(marker) == "missing":
        _write_marker(box, marker)
    if harn_root is None:
        return
    folder = harn_root / "memory" / Path(*namespace.split("/"))
    if probe(folder / MARKER) == "missing":  # else that Harn took the store over itself
        add_to_log(box, folder / LOG, list(project_events(box, scope, namespace)))
        _write_marker(box, folder / MARKER)


def add_to_log(box: Toolbox, file: Path, events: Sequence[bytes]) -> int:
    """Puts those events behind a log whose ids it does not hold yet, atomically; how many. What stands there stays, byte by byte.

    Raises InvalidInputError where it cannot be read.
    """
    try:
        before = file.read_bytes()
    except FileNotFoundError:
        before = b""
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror or error}") from error
    known = {_id_of(line) for line in before.splitlines()}
    new = [event for event in events if _id_of(event) not in known]
    if new:
        gap = b"" if not before or before.endswith(b"\n") else b"\n"  # a torn last line must not swallow the next one
        box.publisher().put(file, before + gap + b"".join(new), mode=0o600)
    return len(new)


def _id_of(line: bytes) -> str:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return str(event.get("id", "")) if isinstance(event, dict) else ""


def _write_marker(box: Toolbox, marker: Path) -> None:
    told = {"schema": MARKER_SCHEMA, "migrated_at": box.now().isoformat().replace("+00:00", "Z")}
    box.publisher().put(marker, json.dumps(told).encode() + b"\n", mode=0o600)
