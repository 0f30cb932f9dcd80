"""Home, projects, agents, trail: what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diarist.model.record import RecordFilter
from diarist.web.finding import scopes_of
from diarist.web.page import Raw, Shown, Visit, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.insights import Day, Stats
    from diarist.model.record import Kind, Record

KINDS: tuple[Kind, ...] = ("entry", "note", "lesson")
DAYS = 30
LATEST = 8
TRAIL_PAGE = 200


class Workflow(NamedTuple):
    """A workflow in the list of them: what its first run was about, and when its runs were. `runs` counts those among the newest."""

    name: str
    first: Record
    newest: Record
    runs: int


class Column(NamedTuple):
    """A day of the chart, in units of its drawing."""

    day: str
    x: float
    parts: Sequence[tuple[str, float, float]]
    """(outcome, y, height)"""
    entries: int


def home(visit: Visit) -> Shown:
    """What agents did lately, outcomes over time, errors that come back, cost, and what waits."""
    told = stats_of(visit, DAYS)
    latest = list(visit.memory.list_records(RecordFilter(kinds=KINDS), limit=LATEST))
    return Shown(
        "home.html",
        {
            "stats": told,
            "columns": chart(told.by_day),
            "latest": latest,
            "proposals": visit.memory.proposals()[:5],
            "change": visit.memory.last_change(),
            "days": DAYS,
        },
    )


def live(visit: Visit) -> Shown | Raw:
    """The newest records, while a session is captured. Nothing new is an empty answer, which changes nothing on the page."""
    if number_of(visit.query.get("change", ""), -1, 1 << 62) == visit.memory.last_change():
        return Raw(b"", "text/plain", status=204)
    latest = list(visit.memory.list_records(RecordFilter(kinds=KINDS), limit=LATEST))
    return Shown("latest.html", {"latest": latest, "change": visit.memory.last_change()})


def projects(visit: Visit) -> Shown:
    """Projects and agents with what they did."""
    days = number_of(visit.query.get("days", ""), 90, 3650) or 90
    return Shown("projects.html", {"stats": stats_of(visit, days), "days": days, "scopes": scopes_of(visit)})


def trail(visit: Visit) -> Shown:
    """What agents did and noted on a workflow, in order; without one: the workflows there are."""
    wanted = visit.ids.get("workflow", "") or visit.query.get("workflow", "")
    if not wanted:
        return Shown("trail.html", {"workflow": "", "records": [], "workflows": workflows(visit)[:100]})
    records = list(visit.memory.list_records(RecordFilter(kinds=KINDS, workflow=wanted), sort="created_at", limit=TRAIL_PAGE))
    return Shown("trail.html", {"workflow": wanted, "records": records, "workflows": []})


def workflows(visit: Visit) -> list[Workflow]:
    """The workflows of the newest thousand runs, the one that went on last first."""
    seen: dict[str, Workflow] = {}
    for record in visit.memory.list_records(RecordFilter(kinds=("entry",)), limit=1000):
        if record.workflow:
            known = seen.get(record.workflow, Workflow(record.workflow, record, record, 0))
            seen[record.workflow] = known._replace(first=record, runs=known.runs + 1)
    return list(seen.values())


def stats_of(visit: Visit, days: int, project: str | None = None) -> Stats:
    """Numbers, which may be a little old."""
    change = visit.memory.last_change()
    return visit.shelf.stats.get((visit.scope, days, project), change, lambda: visit.memory.stats(days=days, project=project))


def chart(days: Sequence[Day], width: float = 700, height: float = 120) -> list[Column]:
    """Stacked columns, one a day."""
    most = max((day.entries for day in days), default=0) or 1
    step = width / max(len(days), 14)
    columns = []
    for number, each in enumerate(days):
        y, parts = height, []
        other = each.entries - each.completed - each.recovered - each.failed
        for name, count in (("completed", each.completed), ("recovered", each.recovered), ("failed", each.failed), ("other", other)):
            tall = round(height * count / most, 1)
            y -= tall
            if count:
                parts.append((name, round(y, 1), tall))
        columns.append(Column(each.day, round(number * step, 1), parts, each.entries))
    return columns
