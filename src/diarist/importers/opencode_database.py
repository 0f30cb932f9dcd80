"""OpenCode's SQLite database: tables `session`, `message` and `part`, the latter two with their content as JSON in `data`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from heapq import merge
from pathlib import Path
from typing import Any, BinaryIO

from diarist.importers.databases import MAGIC, MAX_IMAGE, open_image, open_in_place
from diarist.importers.documents import decode_document
from diarist.importers.draft import Draft
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.opencode_messages import add_failure, add_part, note_message, open_session, session_info
from diarist.importers.values import as_dict, as_int, as_str, as_time, digest_id
from diarist.model.session import CaptureReport, RawStep, SessionInfo


class DatabaseReading:
    """A `Reading` of one database, whole each time."""

    offset = 0
    state = b""

    def __init__(self, stream: BinaryIO, path: Path | None) -> None:
        self._stream = stream
        self._path = path
        self._ledger = Ledger()

    def __iter__(self) -> Iterator[RawStep]:
        try:
            with closing(_connect(self._stream, self._path)) as database:
                yield from self._sessions(database)
        except (sqlite3.Error, OverflowError, MemoryError) as error:
            self._ledger.open(digest_id(str(self._path).encode())).broken(0, f"the database cannot be read: {type(error).__name__}")

    def _sessions(self, database: sqlite3.Connection) -> Iterator[RawStep]:
        database.row_factory = sqlite3.Row
        sessions = {as_str(row["id"]): _session_facts(dict(row)) for row in database.execute("SELECT * FROM session ORDER BY id")}
        told: dict[str, list[str]] = {}
        for session in sessions:
            told.setdefault(_root(session, sessions), []).append(session)
        for root, members in told.items():
            for session in sorted(members, key=lambda member: member != root):
                tally, _ = open_session(sessions[session], root if session != root else "", self._ledger)
                tally.keep()
            cursors = [
                database.execute("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)) for session in members
            ]
            for message in merge(*cursors, key=lambda row: (as_int(row["time_created"]), str(row["id"]))):
                actor = "" if message["session_id"] == root else as_str(message["session_id"])
                yield from self._message(database, dict(message), root, tally, actor)
        if not sessions:
            self._ledger.open(digest_id(MAGIC)).broken(0, "the database holds no sessions")

    def _message(self, database: sqlite3.Connection, row: dict[str, Any], session: str, tally: Tally, actor: str) -> Iterator[RawStep]:
        info = {**as_dict(_json(row.get("data"))), "id": row.get("id")}
        at = as_time(as_dict(info.get("time")).get("created")) or as_time(row.get("time_created"))
        note_message(info, tally)
        draft = Draft(session, as_str(info["id"]), at, actor=actor)
        add_failure(draft, info)
        tally.keep()
        for part in database.execute("SELECT * FROM part WHERE message_id = ? ORDER BY id", (row.get("id"),)):
            value = {**as_dict(_json(part["data"])), "id": part["id"]}
            each = Draft(session, as_str(part["id"]), as_time(as_dict(value.get("time")).get("start")) or at, actor=actor)
            reason = add_part(each, value, as_str(info.get("role")), tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
            yield from each.steps
        yield from draft.steps

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id."""
        return {name: session_info(name, tally, "opencode/database") for name, tally in self._ledger.tallies.items()}

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """Counted in rows."""
        return {name: tally.report() for name, tally in self._ledger.tallies.items()}


def _root(session: str, sessions: dict[str, dict[str, Any]]) -> str:
    """The session that a person began, above one that an agent began; itself where there is none above it."""
    seen = {session}
    while (parent := as_str(sessions[session].get("parentID"))) in sessions and parent not in seen:
        seen.add(parent)
        session = parent
    return session


def _connect(stream: BinaryIO, path: Path | None) -> sqlite3.Connection:
    """The database, opened for reading; what is still in its write-ahead log is seen where it is a file."""
    if path is not None and path.is_file():
        return open_in_place(path)
    data = stream.read(MAX_IMAGE + 1)
    if len(data) > MAX_IMAGE:
        raise sqlite3.DataError("too large")
    return open_image(data)


def _session_facts(row: dict[str, Any]) -> dict[str, Any]:
    """The row in the words of the JSON form."""
    return {
        **row,
        "parentID": row.get("parent_id"),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
    }


def _json(value: object) -> Any:
    if isinstance(value, str):
        return decode_document(value.encode("utf-8", "replace"))
    return decode_document(value) if isinstance(value, bytes) else None
