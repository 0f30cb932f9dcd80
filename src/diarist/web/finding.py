"""Search as one types, with facets; a search is a link."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from diarist.asgi.reading import iso
from diarist.errors import UsageError
from diarist.model.hit import Hit
from diarist.model.record import RecordFilter
from diarist.web.page import Raw, Shown, Visit, number_of
from diarist.web.render import environment

if TYPE_CHECKING:
    from diarist.model.record import Record
    from diarist.model.use import Scope

PAGE = 10
MOST = 400
OUTCOMES = ("completed", "recovered", "failed", "interrupted", "unknown")
KINDS = ("entry", "note", "lesson", "skill")
SPANS = ("1d", "7d", "30d", "365d")
KEPT_SECONDS = 10.0


def search(visit: Visit) -> Shown | Raw:
    """The page, or with htmx its results alone."""
    query = visit.query.get("q", "")[:2000]
    chosen = {name: visit.query[name][:400] for name in ("kind", "outcome", "agent", "project", "since") if visit.query.get(name)}
    start = number_of(visit.query.get("from", ""), 0, MOST)
    results = _results(visit, query, chosen, start)
    if visit.lively:
        return Raw(results.encode(), "text/html; charset=utf-8")
    return Shown("search.html", {"q": query, "chosen": chosen, "results": Markup(results)})  # noqa: S704 - made by a template


def _results(visit: Visit, query: str, chosen: dict[str, str], start: int) -> str:
    """The results as HTML: kept for a while, as long as nothing is written."""
    visit.room.refresh(visit.memory, visit.caller)
    lately = int(time.monotonic() / KEPT_SECONDS)
    key = (visit.scope, query, tuple(sorted(chosen.items())), start, lately)

    def make() -> str:
        return environment().get_template("results.html").render(_values(visit, query, chosen, start))

    return visit.shelf.results.get(key, visit.memory.last_change(), make)


def _values(visit: Visit, query: str, chosen: dict[str, str], start: int) -> dict[str, Any]:
    problem, behind = "", 0
    hits: list[Hit] = []
    try:
        hits, behind = _find(visit, query, chosen, start)
    except UsageError as error:
        problem = str(error)
    return {
        "q": query,
        "hits": hits[:PAGE],
        "start": start,
        "more": _link(query, chosen, start + PAGE) if len(hits) > PAGE and start + PAGE < MOST else "",
        "back": _link(query, chosen, max(0, start - PAGE)) if start else "",
        "behind": behind,
        "problem": problem,
        "facets": _facets(visit, query, chosen),
        "suggestions": visit.memory.suggest(query) if query and not hits and not problem else [],
    }


def _find(visit: Visit, query: str, chosen: dict[str, str], start: int) -> tuple[list[Hit], int]:
    if not query.strip():
        return _newest(visit, chosen, start), 0
    filters = {name: value for name, value in chosen.items() if name in ("agent", "outcome", "since")}
    kinds = (chosen["kind"],) if chosen.get("kind") in KINDS else None
    found = visit.memory.search(query, limit=min(MOST, start + PAGE + 1), project=chosen.get("project"), kinds=kinds, **filters)
    return found[start:], getattr(found, "behind", 0)


def _newest(visit: Visit, chosen: dict[str, str], start: int) -> list[Hit]:
    """Without words: what passes the facets, newest first."""
    from datetime import timedelta

    from diarist.text.durations import parse_duration

    since = visit.memory.now() - parse_duration(chosen["since"]) if "since" in chosen else visit.memory.now() - timedelta(days=36_500)
    kinds: Any = (chosen["kind"],) if chosen.get("kind") in KINDS else ("entry", "note", "lesson")
    where = RecordFilter(kinds=kinds, agent=chosen.get("agent"), project=chosen.get("project"), outcome=chosen.get("outcome"), since=since)
    return [_as_hit(record) for record in visit.memory.list_records(where, limit=start + PAGE + 1)][start:]


def _as_hit(record: Record) -> Hit:
    return Hit(
        id=record.id,
        score=0.0,
        kind=record.kind,
        title=record.title,
        project=record.project,
        agent=record.agent,
        outcome=record.outcome,
        verified=record.verified,
        task_id=record.task_id,
        created_at=iso(record.created_at),
    )


def _facets(visit: Visit, query: str, chosen: dict[str, str]) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """(name, [(value, link, chosen?)]): a click adds a facet, another takes it away."""
    scopes = scopes_of(visit)
    agents: dict[str, int] = {}
    projects: dict[str, int] = {}
    for scope in scopes:
        if scope.agent:
            agents[scope.agent] = agents.get(scope.agent, 0) + scope.records
        if scope.project:
            projects[scope.project] = projects.get(scope.project, 0) + scope.records
    offered = {
        "kind": KINDS,
        "outcome": OUTCOMES,
        "since": SPANS,
        "agent": _top(agents, chosen.get("agent")),
        "project": _top(projects, chosen.get("project")),
    }
    return [
        (name, [(value, _toggled(query, chosen, name, value), chosen.get(name) == value) for value in values])
        for name, values in offered.items()
        if values
    ]


def scopes_of(visit: Visit) -> list[Scope]:
    """Where records lie; it may be a little old."""
    return visit.shelf.scopes.get(visit.scope, visit.memory.last_change(), visit.memory.scopes)


def _top(counts: dict[str, int], chosen: str | None) -> list[str]:
    best = [name for name, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:6]]
    return best if chosen is None or chosen in best else [chosen, *best]


def _toggled(query: str, chosen: dict[str, str], name: str, value: str) -> str:
    rest = {key: each for key, each in chosen.items() if key != name}
    return _link(query, rest if chosen.get(name) == value else {**rest, name: value}, 0)


def _link(query: str, chosen: dict[str, str], start: int) -> str:
    told = {**({"q": query} if query else {}), **chosen, **({"from": str(start)} if start else {})}
    return "/search" + (f"?{urlencode(told)}" if told else "")
