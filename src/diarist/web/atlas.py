"""The map: its page, and its points as typed arrays."""

from __future__ import annotations

import json
import struct
from array import array
from typing import TYPE_CHECKING, Any

from diarist.web.page import Raw, Shown, Visit

if TYPE_CHECKING:
    from diarist.app.mapping import Edge, Point

MAGIC = b"DMP1"
OUTCOMES = ("", "completed", "recovered", "failed", "interrupted", "unknown")
KINDS = ("entry", "note", "lesson", "skill")
RELATIONS = ("related", "derived_from", "supersedes")


def show(visit: Visit) -> Shown:
    """The page. Without script, or for those who do not see it, lists lead to the same records."""
    del visit
    return Shown("map.html", {"outcomes": OUTCOMES[1:], "kinds": KINDS})


def points(visit: Visit) -> Raw:
    """The points: made anew when something was written since, by one thread at a time."""
    body = visit.shelf.points.get(visit.scope, visit.memory.last_change(), lambda: pack(*visit.memory.map()))
    return Raw(body, "application/octet-stream")


def pack(found: list[Point], edges: list[Edge]) -> bytes:
    """Magic, three lengths, names as JSON, then arrays (little-endian), each padded to four bytes.

    x, y (f32), day (u32, since 1970), agent, project (u16), outcome, kind (u8), edges as pairs (u32), their relation (u8).
    """
    agents = sorted({point.agent for point in found})
    projects = sorted({point.project for point in found})
    agent_of = {name: number for number, name in enumerate(agents)}
    project_of = {name: number for number, name in enumerate(projects)}
    names = {
        "ids": [point.id for point in found],
        "titles": [point.title[:160] for point in found],
        "agents": agents,
        "projects": projects,
        "outcomes": OUTCOMES,
        "kinds": KINDS,
        "relations": RELATIONS,
    }
    told = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    parts: list[array[Any]] = [
        array("f", (point.x for point in found)),
        array("f", (point.y for point in found)),
        array("I", (max(0, int(point.at.timestamp()) // 86_400) for point in found)),
        array("H", (min(agent_of[point.agent], 65_535) for point in found)),
        array("H", (min(project_of[point.project], 65_535) for point in found)),
        array("B", (OUTCOMES.index(point.outcome) if point.outcome in OUTCOMES else 0 for point in found)),
        array("B", (KINDS.index(point.kind) for point in found)),
        array("I", (number for edge in edges for number in (edge.first, edge.second))),
        array("B", (RELATIONS.index(edge.relation) for edge in edges)),
    ]
    head = MAGIC + struct.pack("<III", len(found), len(edges), len(told))
    return b"".join(_padded(each) for each in (head, told, *(part.tobytes() for part in parts)))


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
