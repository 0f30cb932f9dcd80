"""OpenCode: exports, its folder of small JSON files, and its database.

In the folder a session is spread over many files; the session's own file is the one that is read, with all that belong to
it. A message or a part met alone is read with it, so it gives nothing of its own where the session's file is there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from diarist.importers.databases import MAGIC
from diarist.importers.documents import DocumentReading, decode_document, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse, glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.opencode_database import DatabaseReading
from diarist.importers.opencode_messages import add_failure, add_part, note_message, open_session, session_info
from diarist.importers.values import as_dict, as_list, as_str, as_time, dicts
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading

_FIRST = datetime(1, 1, 1, tzinfo=UTC)


class OpenCode:
    """Reads what OpenCode leaves. Where a session is spread over files, their folder says which belong together."""

    name = "opencode"

    def sniff(self, head: bytes, path: Path | None) -> int:
        """An export, a file of the folder, or a database with its name."""
        if head.startswith(MAGIC):
            return 60 if path is not None and path.name.startswith("opencode") else 0
        return _looks(glimpse(head))

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The database and the sessions' own files: messages and parts are read with them, not one by one."""
        base = Path(environ["XDG_DATA_HOME"]) if environ.get("XDG_DATA_HOME") else home / ".local" / "share"
        return [base / "opencode" / "opencode.db", base / "opencode" / "storage" / "session", base / "opencode" / "project"]

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:  # noqa: ARG002 - always read whole
        """Reads an export, a database, or a session's file with those around it."""
        head = stream.read(len(MAGIC))
        stream.seek(-len(head), os.SEEK_CUR)
        if head == MAGIC:
            return DatabaseReading(stream, path)
        return DocumentReading(stream, OpenCodeDocument(path))


class OpenCodeDocument:
    """An export, or one file of the folder."""

    name = "opencode/json"

    def __init__(self, path: Path | None) -> None:
        self._storage = _storage(path) if path is not None else None
        self._folder = path.parent.name if path is not None else ""

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of the session, as far as this file tells them."""
        document = as_dict(document)
        if isinstance(document.get("messages"), list):
            yield from self._export(document, ledger)
        elif "messageID" in document or "type" in document or ("role" in document and "sessionID" in document):
            yield from self._lone(document, ledger)
        else:
            yield from self._session_file(document, ledger)

    def _export(self, document: dict[str, Any], ledger: Ledger) -> Iterator[RawStep]:
        info = as_dict(document.get("info"))
        messages = as_list(document.get("messages"))
        tally, actor = open_session(
            info if info.get("id") else {"id": opening_id(messages[:2]), **info}, _root(info, self._storage), ledger
        )
        session = ledger.current
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            yield from _message_steps(as_dict(message.get("info")), list(dicts(message.get("parts"))), session, tally, actor)

    def _session_file(self, info: dict[str, Any], ledger: Ledger) -> Iterator[RawStep]:
        """A session with the messages and parts that lie around it."""
        tally, actor = open_session(info, _root(info, self._storage), ledger)
        session, own = ledger.current, as_str(info.get("id")) or ledger.current
        tally.keep()
        if self._storage is None:
            return
        for message in _sorted(_read_folder(self._storage.messages(own), tally)):
            folder, shared = self._storage.parts(own, as_str(message.get("id")))
            parts = _sorted(_read_folder(folder, tally))
            known = [part for part in parts if part.get("messageID", None if shared else message.get("id")) == message.get("id")]
            yield from _message_steps(message, known, session, tally, actor)

    def _lone(self, document: dict[str, Any], ledger: Ledger) -> Iterator[RawStep]:
        """A message or a part. It is told with its session, unless that is not there."""
        session = as_str(document.get("sessionID"))
        message = document if "role" in document else {}
        if self._storage is not None:
            if not session or not self._storage.has_session(session):
                message = message or self._storage.message(as_str(document.get("messageID")) or self._folder)
            session = session or as_str(message.get("sessionID"))
            if session and self._storage.has_session(session):
                ledger.open(_root(self._storage.session(session), self._storage) or session).skip("told-with-session")
                return
        tally = ledger.open(session or opening_id(document.get("messageID")))
        name = session or opening_id(document.get("messageID"))
        if "role" in document:
            yield from _message_steps(document, [], name, tally)
        else:
            yield from _message_steps({"id": document.get("messageID"), **message}, [document], name, tally, told=False)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of the session."""
        return session_info(session, tally, self.name)


def _message_steps(
    info: dict[str, Any], parts: list[dict[str, Any]], session: str, tally: Tally, actor: str = "", *, told: bool = True
) -> Iterator[RawStep]:
    """Steps of one message. The message is a record, and each of its parts is one."""
    at = as_time(as_dict(info.get("time")).get("created"))
    if told:
        note_message(info, tally)
        draft = Draft(session, as_str(info.get("id")), at, actor=actor)
        add_failure(draft, info)
        tally.keep()
    for part in parts:
        when = as_time(as_dict(part.get("time")).get("start")) or at
        each = Draft(session, as_str(part.get("id")) or f"{as_str(info.get('id'))}/{as_str(part.get('callID'))}", when, actor=actor)
        reason = add_part(each, part, as_str(info.get("role")), tally)
        if reason:
            tally.skip(reason)
        else:
            tally.keep()
        yield from each.steps
    if told:
        yield from draft.steps


def _root(info: dict[str, Any], storage: _Storage | None) -> str:
    """The session that a person began, above one that an agent began; "" for one that has none above it."""
    own, parent = as_str(info.get("id")), as_str(info.get("parentID"))
    seen = {own}
    while storage is not None and parent not in seen:
        seen.add(parent)
        parent = as_str(storage.session(parent).get("parentID")) or parent
    return "" if parent == own else parent


class _Storage:
    """The folder tree around a file: `session`, `message` and `part`, or those below `session` in older ones."""

    def __init__(self, root: Path) -> None:
        self._root = root if (root / "message").is_dir() else root / "session"

    def messages(self, session: str) -> Path:
        """Folder of a session's messages."""
        return self._root / "message" / _safe(session)

    def parts(self, session: str, message: str) -> tuple[Path, bool]:
        """Folder of a message's parts, and whether those of other messages lie there too."""
        for folder in (self._root / "part" / _safe(message), self._root / "part" / _safe(session) / _safe(message)):
            if folder.is_dir():
                return folder, False
        return self._root / "part", True

    def message(self, wanted: str) -> dict[str, Any]:
        """The message with this id, an empty one if it is not there."""
        for folder in sorted(_children(self._root / "message")):
            direct = folder / f"{_safe(wanted)}.json"
            for path in [direct] if direct.is_file() else _files(folder)[:200]:
                found = _load(path)
                if found.get("id") == wanted:
                    return found
        return {}

    def has_session(self, session: str) -> bool:
        """Is the session's own file there?"""
        return any(place.is_file() for place in self._places(session))

    def session(self, session: str) -> dict[str, Any]:
        """The session's own file, an empty object if it is not there."""
        return next((_load(place) for place in self._places(session) if place.is_file()), {})

    def _places(self, session: str) -> list[Path]:
        name = _safe(session)
        places = [self._root / "info" / f"{name}.json", self._root.parent / "session" / "info" / f"{name}.json"]
        projects = _children(self._root / "session")
        places += [project / f"{prefix}{name}.json" for project in projects for prefix in ("", "ses_")]
        return places


def _storage(path: Path) -> _Storage | None:
    """The storage tree a file lies in: found by the folders' names, up to five levels above."""
    for parent in list(path.parents)[:5]:
        if (parent / "message").is_dir() or (parent / "session" / "message").is_dir():
            return _Storage(parent)
    return None


def _safe(name: str) -> str:
    """A file name that stays in its folder, whatever an id holds."""
    return name[:60].replace("/", "_").replace("\\", "_").replace("..", "_").replace("\x00", "_") or "_"


def _children(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []


def _load(path: Path) -> dict[str, Any]:
    try:
        return as_dict(decode_document(path.read_bytes()))
    except OSError:
        return {}


def _read_folder(folder: Path, tally: Tally) -> list[dict[str, Any]]:
    found = []
    for path in _files(folder):
        value = _load(path)
        if value:
            found.append(value)
        else:
            tally.broken(0, "a file of this session that is not a JSON object")
    return found


def _sorted(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In the order they were made: ids rise with time, and files come in the order of their names."""

    def order(value: dict[str, Any]) -> tuple[datetime, str]:
        return as_time(as_dict(value.get("time")).get("created")) or _FIRST, json.dumps(value.get("id"), default=str)

    return sorted(values, key=order)


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    info = as_dict(top.get("info"))
    if "messages" in top and ("directory" in info or "projectID" in info):
        return 92
    if {"messageID", "type", "id"} <= top.keys() or {"sessionID", "role", "id", "time"} <= top.keys():
        return 85
    if top.get("type") in ("text", "reasoning", "tool") and "id" in top and "start" in as_dict(top.get("time")) and "role" not in top:
        return 45
    return 85 if {"id", "time", "title"} <= top.keys() and ("directory" in top or "projectID" in top) else 0


IMPORTER = OpenCode()
