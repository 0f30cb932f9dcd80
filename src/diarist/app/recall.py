"""Search, error look-up and recall. A cold process loads this: nothing heavy at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diarist.app.indexing import catch_up, index_status, rebuild, verify
from diarist.errors import IndexUnavailableError
from diarist.model.hit import ContextPack, Hit, HitRow, Query

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from diarist.ports import Index, Store

__all__ = ["Hits", "catch_up", "index_status", "rebuild", "recall", "search", "search_error", "suggest", "verify"]


class Hits(list[Hit]):
    """Ranked hits. `behind`: how many changes of the store the index did not know yet (another process was writing it)."""

    behind: int = 0

_DEPTH = 50
_MOST_MARKED = 100


def search(
    store: Store,
    index: Index,
    query: str,
    *,
    limit: int = 10,
    project: str | None = None,
    kinds: Sequence[str] | None = None,
    now: datetime | None = None,
    **filters: Any,
) -> Hits:
    from datetime import UTC, datetime

    from diarist.stages.rank.query import parse_query
    behind = _bring_up_to_date(store, index)
    parsed = parse_query(query, now or datetime.now(UTC))
    q = parsed.query
    if project is not None: q = q._replace(project=project)
    if kinds: q = q._replace(kinds=tuple(kinds))
    matches = index.search(q, max(limit, _DEPTH))
    from diarist.stages.rank.standing import Found, find_amendments, settle, rarity_of, text_of
    from diarist.text.analyse import analyse
    from diarist.stages.rank.words import telling
    score = {m.seq: m.score for m in matches}
    rows = store.get_hits(list(score))
    pool = rows[:20]
    near = [r for r in pool[:6]]
    extra = []
    terms = sorted({t for r in pool for t in analyse(text_of(r)[:6000])})
    common = index.frequencies(terms)
    rarity = rarity_of(common)
    for r in near:
        mine = telling(analyse(text_of(r)[:6000]), '')
        mine = sorted(mine, key=lambda t: (-rarity(t), t))[:12]
        extra += index.search(Query(terms=tuple(mine), project=r.project), 6)
    new = [m.seq for m in extra if m.seq not in score]
    more = store.get_hits(list(dict.fromkeys(new)))
    terms = sorted({t for r in pool+more for t in analyse(text_of(r)[:6000])})
    rarity = rarity_of(index.frequencies(terms))
    am = find_amendments([*pool, *more], rarity)
    needed = {a.later for a in am if a.earlier in {r.id for r in pool}}
    found = [Found(r, score[r.seq]) for r in rows] + [Found(r, 0.0) for r in more if r.id in needed]
    am = [a for a in am if {a.earlier,a.later} <= {f.row.id for f in found}]
    hits = Hits(_hit(f.row, f.score)._replace(superseded_by=f.superseded_by.id if f.superseded_by else None) for f in settle(found, am)[:limit])
    hits.behind = behind
    return hits


def _hit(row: HitRow, score: float) -> Hit:
    return Hit(id=row.id, score=score, kind=row.kind, title=row.title, project=row.project, agent=row.agent, outcome=row.outcome, verified=row.verified, task_id=row.task_id, created_at=row.created_at)


def search_error(store: Store, index: Index, text: str, *, limit: int = 10, project: str | None = None) -> Hits:
    """Entries that met the errors of a pasted text, those that solved them first."""
    from diarist.stages.rank.faults import rank_faults, read_errors

    behind = _bring_up_to_date(store, index)
    asked = read_errors(text)
    marks = asked.fingerprints()
    terms = asked.all_terms()
    base = Query(kinds=("entry",), project=project)
    found = index.search(base._replace(terms=terms, fingerprints=marks, errors_only=True), max(limit, _DEPTH))
    found += index.search(base._replace(terms=terms), _DEPTH)
    held: dict[int, set[str]] = {}
    for mark in marks:
        for match in index.search(base._replace(fingerprints=(mark,)), _MOST_MARKED):
            held.setdefault(match.seq, set()).add(mark)
    rows = store.get_hits(list(dict.fromkeys([*held, *(match.seq for match in found)])))
    ranked = rank_faults(asked, rows, {seq: frozenset(known) for seq, known in held.items()}, index.frequencies(terms, errors_only=True))
    hits = Hits(_hit(one.row, one.score)._replace(reasons=one.reasons) for one in ranked[:limit])
    hits.behind = behind
    return hits


def recall(store: Store, index: Index, query: str, *, budget: int = 2000, project: str | None = None) -> ContextPack:
    return ContextPack("", tuple(search(store, index, query, limit=5, project=project)))


def suggest(index: Index, query: str) -> list[str]:
    return []


def _bring_up_to_date(store: Store, index: Index) -> int:
    behind = store.last_seq() - index.position()
    if behind:
        try:
            catch_up(store, index)
            behind = 0
        except IndexUnavailableError:
            pass
    return max(behind, 0)
