"""The map: every entry, document, lesson and skill as a point, near what it shares telling words with."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from diarist.model.record import RecordFilter
from diarist.stages.layout import lay_out
from diarist.text.analyse import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Kind, Record

KINDS: tuple[Kind, ...] = ("entry", "note", "lesson", "skill")
MOST = 20_000
"""Newest records that are shown."""
READ = 400
"""Characters of each text that are looked at: what a record is about stands at its beginning."""
PAGE = 500
RELATIONS = ("related", "derived_from", "supersedes", "evidence")


class Point(NamedTuple):
    """A record on the map, in the square from -1 to 1."""

    id: str
    x: float
    y: float
    kind: str
    title: str
    agent: str
    project: str
    outcome: str
    at: datetime


class Edge(NamedTuple):
    """Two points, by their number, and how the first names the second."""

    first: int
    second: int
    relation: str


def make_map(box: Toolbox) -> tuple[list[Point], list[Edge]]:
    """Points, newest first, and the edges between them."""
    records = list(box.store.list_records(RecordFilter(kinds=KINDS), limit=MOST))
    places = lay_out(_terms(box, records))
    points = [
        Point(each.id, *places[each.id], each.kind, each.title, each.agent, each.project, each.outcome, each.created_at) for each in records
    ]
    numbers = {point.id: number for number, point in enumerate(points)}
    return points, list(_edges(records, numbers))


def _terms(box: Toolbox, records: list[Record]) -> dict[str, list[str]]:
    """Words of each record, as search analyses them."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(records), PAGE):
        for row in box.store.get_hits([record.seq for record in records[start : start + PAGE]]):
            text = " ".join((row.title[:READ], row.errors[:READ], row.fixes[:READ], " ".join(row.tags)[:READ], row.text[:READ]))
            found[row.id] = analyse(text)
    return {record.id: found.get(record.id, []) for record in records}


def _edges(records: list[Record], numbers: dict[str, int]) -> Iterator[Edge]:
    for first, record in enumerate(records):
        if record.kind == "entry":
            continue
        body = json.loads(record.body)
        for relation in RELATIONS:
            named = body.get(relation, ()) if isinstance(body, dict) else ()
            for each in named if isinstance(named, list) else ():
                if isinstance(each, str) and each in numbers:
                    yield Edge(first, numbers[each], "derived_from" if relation == "evidence" else relation)
