"""Runs in Harn's `session-store.sqlite`. The store is an audit trail: only runs that ended by themselves and were marked as
eligible for learning are taken.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.app.legacy_records import read_time
from diarist.app.observing import ToolSpec, observation_id, read_tool
from diarist.app.sources import SourceProblem
from diarist.errors import InvalidInputError
from diarist.model.observation import Observation
from diarist.model.redacted import Redacted, derived
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

_KNOWN_COLUMNS = {"session_id", "kind", "payload", "headers"}
_ELIGIBILITY = "harn.workflow_learning.eligibility"
_TENANT = ("tenant_id", "tenant")
_SESSION = ("session_id", "id")
_DELETED = ("soft_deleted", "hard_deleted")


class _Event(NamedTuple):
    kind: str
    payload: dict[str, Any]
    headers: dict[str, Any]
    at: Any


def read_runs(
    box: Toolbox, path: Path, scope: Redacted, namespace: str, problems: list[SourceProblem], tenant: str = ""
) -> Iterator[Observation]:
    """Observations of the eligible runs of one tenant, by session and run; deleted sessions are left out. The store is not changed.

    Raises InvalidInputError for a file that is no such store, or where a tenant must be chosen.
    """
    if not path.is_file():
        raise InvalidInputError(f"there is no session store {path}")
    try:
        with closing(box.open_database(path)) as database:
            runs = _load(database, path, problems, _left_out(database, path, tenant))
    except (sqlite3.Error, OSError) as error:
        raise InvalidInputError(f"{path} is not a session store of Harn that can be read: {error}") from error
    for (session, run), events in sorted(runs.items()):
        try:
            made = _observation(box, session, run, events, scope, namespace)
        except (InvalidInputError, TypeError, ValueError) as error:
            problems.append(SourceProblem(f"{path.name}: {session}::{run}", str(error)[:120]))
            continue
        if made is not None:
            yield made


def _left_out(database: sqlite3.Connection, path: Path, tenant: str) -> set[str]:
    """Ids of sessions that were deleted or belong to others. Raises InvalidInputError where there are several tenants and none is named."""
    columns = [row[1] for row in database.execute("PRAGMA table_info(sessions)")]
    key = next((name for name in _SESSION if name in columns), "")
    owner = next((name for name in _TENANT if name in columns), "NULL")
    status = "status" if "status" in columns else "NULL"
    if not key:
        if tenant:
            raise InvalidInputError(f"{path} does not tell which sessions belong to {tenant!r}")
        return set()
    rows = list(database.execute(f"SELECT {key}, {owner}, {status} FROM sessions"))  # noqa: S608 - our own names
    there = sorted({str(of or "") for _, of, state in rows if state not in _DELETED})
    if not tenant and len(there) > 1:
        raise InvalidInputError(f"{path} holds the sessions of several tenants ({', '.join(there[:8])}); name the one to take over")
    wanted = tenant or (there[0] if there else "")
    return {str(session) for session, of, state in rows if state in _DELETED or str(of or "") != wanted}


def _load(
    database: sqlite3.Connection, path: Path, problems: list[SourceProblem], left_out: set[str]
) -> dict[tuple[str, str], list[_Event]]:
    columns = [row[1] for row in database.execute("PRAGMA table_info(session_events)")]
    if not set(columns) >= _KNOWN_COLUMNS:
        raise InvalidInputError(f"{path} is not a session store of Harn: it has no table session_events of the known form")
    time = next((name for name in ("created_at", "recorded_at", "timestamp", "at", "occurred_at") if name in columns), "NULL")
    order = next((name for name in ("event_id", "id", "seq") if name in columns), "rowid")
    runs: dict[tuple[str, str], list[_Event]] = defaultdict(list)
    query = f"SELECT session_id, kind, payload, headers, {time} FROM session_events ORDER BY session_id, {order}"  # noqa: S608 - our own names
    for number, (session, kind, payload, headers, at) in enumerate(database.execute(query), 1):
        if str(session) in left_out:
            continue
        told, about = _object(payload), _object(headers)
        if told is None or about is None:
            problems.append(SourceProblem(f"{path.name}: event {number}", "payload or headers are not JSON objects"))
            continue
        run = str(about.get("run_id") or about.get("harn.run_id") or "")
        if run:
            runs[str(session), run].append(_Event(str(kind), told, about, at))
    return runs


def _object(text: Any) -> dict[str, Any] | None:
    if text in (None, "", b""):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def _observation(box: Toolbox, session: str, run: str, events: list[_Event], scope: Redacted, namespace: str) -> Observation | None:
    """None for a run that did not end by itself or is not eligible."""
    ended = any(
        event.kind == "agent_run_terminal"
        and "natural" in (event.payload.get("terminal_kind"), event.payload.get("kind"), event.payload.get("terminal"))
        for event in events
    )
    if not ended or not any(event.headers.get(_ELIGIBILITY) == "eligible" for event in events):
        return None
    prompt = next((text for event in events if (text := _user_text(event))), "")
    if not prompt:
        return None
    redact = box.reader().redactor.redact
    at = next((event.at for event in reversed(events) if event.at is not None), None)
    if at is None:
        raise InvalidInputError("its events tell no time")
    return Observation(
        id=observation_id(scope, redact(session), redact(run), namespace),
        source_id=redact(f"{session}::{run}"),
        session_id=redact(session),
        run_id=redact(run),
        evidence_kind="import",
        prompt=derived(clip(" ".join(redact(prompt).split()), 2_000)),
        tools=tuple(read_tool(tool, box) for tool in _tools(events)[:300]),
        outcome="completed",
        observed_at=read_time(at),
        project=scope,
    )


def _tools(events: list[_Event]) -> list[ToolSpec]:
    told: list[ToolSpec] = []
    for event in events:
        name = event.payload.get("name") or event.payload.get("tool")
        if event.kind == "tool_call" and name:
            arguments = event.payload.get("arguments") or event.payload.get("args") or event.payload.get("input")
            told.append({"name": str(name), "arguments": arguments if isinstance(arguments, dict) else {}})
    return told


def _user_text(event: _Event) -> str:
    if event.kind not in ("user_message", "message", "user") or event.payload.get("role", "user") != "user":
        return ""
    if event.payload.get("visibility", "public") != "public":
        return ""
    text = event.payload.get("content") or event.payload.get("text") or ""
    if isinstance(text, list):
        text = "\n".join(str(part["text"]) for part in text if isinstance(part, dict) and isinstance(part.get("text"), str))
    return text if isinstance(text, str) else ""
