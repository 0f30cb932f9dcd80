"""Search, error look-up and recall. A cold process loads this: nothing heavy at the top."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from diarist.app.indexing import catch_up, index_status, rebuild, verify
from diarist.app.seeking import JUDGED, NO_INFLUENCE, Counts, Influence, Seeker, bring_up_to_date, healing
from diarist.model.hit import ContextPack, Hit, HitRow, Query
from diarist.stages.rank.query import ParsedQuery, narrow, parse_query
from diarist.stages.rank.standing import Found
from diarist.text.triggers import is_suspicious

if TYPE_CHECKING:
    from diarist.ports import Index, Store
    from diarist.stages.rank.packing import Answer

__all__ = ["Hits", "Influence", "catch_up", "index_status", "rebuild", "recall", "search", "search_error", "suggest", "verify"]

_ITEMS = 5
_SNIPPET = 240
"""Characters of a fix that are shown."""
_SAME_FAULT = 0.25
"""Score from which a record is about the error that was asked for; see `stages.rank.faults`."""


class Hits(list[Hit]):
    """Ranked hits. `behind`: how many changes of the store the index did not know yet (another process was writing it).

    `terms`: what was looked for, analysed.
    """

    behind: int = 0
    terms: tuple[str, ...] = ()
    mode: str = "bm25"
    """How they were really found: bm25 (by words) or hybrid (by words and meaning)."""
    mode_reason: str = ""
    """Why so."""

    def highlight(self, text: str) -> list[tuple[int, int]]:
        """Where in a text (a hit's title or snippet) the words are that were looked for: (start, end) in characters, in order."""
        from diarist.stages.rank.snippet import highlight

        return highlight(text, self.terms)


def search(
    store: Store,
    index: Index,
    query: str,
    *,
    limit: int = 10,
    now: datetime | None = None,
    explain: bool = False,
    influence: Influence = NO_INFLUENCE,
    **filters: Any,
) -> Hits:
    """Ranked hits for a query; a record that a later one replaced is marked and stands below it.

    `explain`: `reasons` of each hit tell the parts of its score.
    `influence`: what beside the words moves the order.
    `filters`: project, kinds, agent, workflow, outcome, tag, file, tool, since, before; as in the query itself, and added to its own.

    Raises
    ------
    UsageError
        The query or a filter cannot be read.
    IndexUnavailableError
        The index is damaged and cannot be made anew here.
    """
    at = now or datetime.now(UTC)
    parsed = narrow(parse_query(query, at), at, **filters)
    behind = bring_up_to_date(store, index)

    def run() -> Hits:
        seeker = Seeker(store, index, influence)
        found = seeker.standing(parsed.query, limit)[:limit]
        return _present(found, parsed, seeker.counts, index if explain else None)

    hits = healing(store, index, run)
    hits.behind, hits.terms = behind, parsed.all_terms()
    return hits


def search_error(store: Store, index: Index, text: str, *, limit: int = 10, influence: Influence = NO_INFLUENCE, **filters: Any) -> Hits:
    """Entries that met the errors of a pasted text, those that solved them first. `filters`: as for `search`."""
    from diarist.app.error_lookup import find_faults
    from diarist.stages.rank.faults import read_errors
    from diarist.stages.rank.snippet import excerpt
    from diarist.text.clip import clip

    where, asked = _only(filters), read_errors(text)
    behind = bring_up_to_date(store, index)
    ranked = healing(store, index, lambda: find_faults(store, index, asked, limit, where, influence))
    hits = Hits()
    for one in ranked[:limit]:  # the strongest fix; where there is none, what was met
        fix = clip(one.row.fixes.split("\n", 1)[0], _SNIPPET)
        said = fix or excerpt((one.row.errors, one.row.text), asked.all_terms(), lambda _: 1.0, _SNIPPET)
        hits.append(_hit(one.row, one.score, said)._replace(reasons=one.reasons))
    hits.behind, hits.terms = behind, asked.all_terms()
    return hits


def _only(filters: dict[str, Any]) -> Query:
    """Filters as a query without words. Raises UsageError for one that cannot be read."""
    return narrow(ParsedQuery(Query(), ""), datetime.now(UTC), **filters).query


def recall(
    store: Store,
    index: Index,
    query: str,
    *,
    budget: int = 2000,
    characters: int | None = None,
    is_error: bool = False,
    influence: Influence = NO_INFLUENCE,
    **filters: Any,
) -> ContextPack:
    """What an agent should be told before it starts: fenced, cited, at most `budget` tokens; empty where nothing is relevant enough.

    `characters`: what the text may be long besides. A query that holds error output is looked up as one, any text where it
    `is_error`. `filters`: as for `search`.
    """
    from diarist.stages.context import Item, build_pack

    where = _only(filters)
    bring_up_to_date(store, index)
    find = _solutions if is_error or _holds_errors(query) else _answers
    answers = healing(store, index, lambda: find(store, index, query, where, influence))
    items = [Item(_hit(one.row, one.score, one.points[0] if one.points else ""), one.points) for one in answers[:_ITEMS]]
    return build_pack(items, budget, characters)


def _holds_errors(text: str) -> bool:
    if not is_suspicious(text.lower()):
        return False
    from diarist.text.fingerprint import errors_in

    return bool(errors_in(text))


def suggest(index: Index, query: str, store: Store | None = None) -> list[str]:
    """Words a typo away from words of a query that no record holds: as records write them where there is a store, else as terms."""
    parsed = parse_query(query, datetime.now(UTC), lenient=True)
    common = index.frequencies(parsed.all_terms())
    unknown = [term for term in parsed.all_terms() if not common.counts.get(term) and len(term) > 2]
    close = list(dict.fromkeys(term for one in unknown for term in index.suggest(one)))[:5]
    if store is None:
        return close
    return list(dict.fromkeys(_as_written(store, index, term) for term in close))


def _as_written(store: Store, index: Index, term: str) -> str:
    """A word that gives the term, from a record that holds it."""
    from diarist.stages.rank.snippet import word_of

    rows = store.get_hits([match.seq for match in index.search(Query(terms=(term,)), 1)])
    return next((word_of(f"{row.title}\n{row.text}\n{row.errors}", term).lower() for row in rows), term)


def _present(found: list[Found], parsed: ParsedQuery, counts: Counts, explainer: Index | None) -> Hits:
    from diarist.stages.rank.explain import brief, explain
    from diarist.stages.rank.snippet import excerpt

    terms = parsed.all_terms()
    rarity = counts.rarity(terms)
    hits = Hits()
    for one in found:
        hit = _hit(one.row, one.score, excerpt((one.row.text, one.row.errors, one.row.fixes), terms, rarity))
        by = one.superseded_by
        reasons = explain(one, terms, rarity, explainer.term_scores(one.row.seq, terms)) if explainer is not None else brief(one)
        hits.append(hit._replace(superseded_by=by.id if by else None, reasons=reasons))
    return hits


def _answers(store: Store, index: Index, query: str, where: Query, influence: Influence) -> list[Answer]:
    """The records that answer a question, best first: none where even the best holds no more of it than chance would give."""
    from diarist.stages.rank.doubt import weigh
    from diarist.stages.rank.packing import answers

    terms = parse_query(query, datetime.now(UTC), lenient=True).all_terms()
    if not terms:
        return []
    seeker = Seeker(store, index, influence)
    found = seeker.standing(where._replace(terms=terms), JUDGED)
    return answers(found, weigh(terms, seeker.counts.of(terms)), seeker.counts.rarity(terms))


def _solutions(store: Store, index: Index, text: str, where: Query, influence: Influence) -> list[Answer]:
    """The records that met the errors of a text, those that solved them first."""
    from diarist.app.error_lookup import DEPTH, find_faults
    from diarist.stages.rank.faults import read_errors
    from diarist.stages.rank.packing import solutions

    asked = read_errors(text)
    ranked = [(one.row, one.score) for one in find_faults(store, index, asked, DEPTH, where, influence) if one.score >= _SAME_FAULT]
    if not ranked:  # a note may tell of it
        return _answers(store, index, "\n".join(error.message for error in asked.errors), where, influence)
    terms = asked.all_terms()
    return solutions(ranked[:_ITEMS], terms, Counts(index, errors_only=True).rarity(terms))


def _hit(row: HitRow, score: float, snippet: str) -> Hit:
    return Hit(
        id=row.id,
        score=score,
        kind=row.kind,
        title=row.title,
        project=row.project,
        agent=row.agent,
        outcome=row.outcome,
        verified=row.verified,
        task_id=row.task_id,
        created_at=row.created_at,
        snippet=snippet,
    )
