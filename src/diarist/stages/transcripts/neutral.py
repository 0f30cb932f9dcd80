"""Diarist's own neutral form (`docs/reference/neutral-transcript.schema.json`): a header, then one step a line.

The header says that the steps are exact, so that `diarist.importers.neutral` takes them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from diarist.model.session import Session, SessionInfo, Step

VERSION = "session/1"
PIECE = 1 << 18
_encode = msgspec.json.Encoder().encode


def render(session: Session) -> Iterator[bytes]:
    """Lines, a few hundred kilobytes at a time."""
    piece = bytearray(_encode(_header(session.info)) + b"\n")
    for step in session.steps:
        piece += _encode(_step(step)) + b"\n"
        if len(piece) >= PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _header(info: SessionInfo) -> dict[str, Any]:
    """Facts as the header names them. What a host stated is left out: a file must not be able to claim it."""
    told = {
        "diarist": VERSION,
        "session": info.session,
        "agent": info.agent,
        "version": info.agent_version,
        "model": info.models[0] if info.models else "",
        "models": list(info.models[1:]),
        "cwd": info.cwd,
        "repository": info.repository,
        "branch": info.branch,
        "title": info.title,
        "parent": info.parent_session,
        "workflow": info.workflow,
        "actor": info.actor if info.role == "subagent" else "",
        "started_at": info.started_at,
        "ended_at": info.ended_at,
        "usage": msgspec.to_builtins(info.usage),
    }
    return {**{name: value for name, value in told.items() if value}, "exact": True}


def _step(step: Step) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": step.kind, "id": step.rid}
    optional = {
        "actor": step.actor,
        "at": step.at,
        "text": step.text,
        "tool": step.tool,
        "call_id": step.call_id,
        "mark": step.mark,
    }
    told |= {name: value for name, value in optional.items() if value}
    stated = {"arguments": step.arguments, "error": step.error, "exit_code": step.exit_code}
    return told | {name: value for name, value in stated.items() if value is not None}
