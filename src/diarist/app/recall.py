"""Search, error look-up and recall. A cold process loads this: nothing heavy at the top."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from diarist.app.indexing import catch_up, index_status, rebuild, verify
from diarist.errors import IndexUnavailableError
from diarist.model.hit import ContextPack, Frequencies, Hit, HitRow, Query
from diarist.stages.rank.query import ParsedQuery, narrow, parse_query
from diarist.stages.rank.rarity import Rarity, rarity_of
from diarist.stages.rank.related import share_scores, telling_terms
from diarist.stages.rank.standing import Amendment, Found, find_amendments, find_pairs, found_row, settle
from diarist.text.triggers import is_suspicious

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from diarist.ports import Index, Store
    from diarist.stages.rank.faults import Asked, Ranked
    from diarist.stages.rank.packing import Answer

__all__ = ["Hits", "catch_up", "index_status", "rebuild", "recall", "search", "search_error", "suggest", "verify"]

T = TypeVar("T")

_SPARE = 14
"""Matches of the index taken beyond the limit: some may be retracted, or move."""
_DEPTH = 50
"""Matches of an error that are looked at again."""
_JUDGED = 12
"""The best of them among which amendments are looked for."""
_SEEDS, _RELATED = 1, 10
"""Best hits whose terms are looked for in turn, and how many records that gives."""
_MOST_MARKED = 100
_ITEMS = 5
_SAME_FAULT = 0.25
"""Score from which a record is about the error that was asked for; see `stages.rank.faults`."""


class Hits(list[Hit]):
    """Ranked hits. `behind`: how many changes of the store the index did not know yet (another process was writing it)."""

    behind: int = 0


def search(
    store: Store,
    index: Index,
    query: str,
    *,
    limit: int = 10,
    project: str | None = None,
    kinds: Sequence[str] | None = None,
    now: datetime | None = None,
    explain: bool = False,
    **filters: Any,
) -> Hits:
    """Ranked hits for a query; a record that a later one replaced is marked and stands below it.

    `explain`: `reasons` of each hit tell the words it holds too.
    `filters`: agent, workflow, outcome, tag, file, tool, since, before; as in the query itself, and added to its own.

    Raises
    ------
    UsageError
        The query or a filter cannot be read.
    IndexUnavailableError
        The index is damaged and cannot be made anew here.
    """
    at = now or datetime.now(UTC)
    parsed = narrow(parse_query(query, at), at, project=project, kinds=kinds, **filters)
    behind = _bring_up_to_date(store, index)

    def run() -> Hits:
        rarities = _Rarities(index)
        found = _standing(store, index, _find(store, index, parsed.query, limit + _SPARE), parsed, rarities)
        return _present(found[:limit], parsed, rarities, full=explain)

    hits = _healing(store, index, run)
    hits.behind = behind
    return hits


def search_error(store: Store, index: Index, text: str, *, limit: int = 10, project: str | None = None) -> Hits:
    """Entries that met the errors of a pasted text, those that solved them first."""
    from diarist.stages.rank.faults import read_errors

    behind = _bring_up_to_date(store, index)
    ranked = _healing(store, index, lambda: _find_faults(store, index, read_errors(text), limit, project))
    hits = Hits(_hit(one.row, one.score, one.row.fixes.split("\n", 1)[0][:240])._replace(reasons=one.reasons) for one in ranked[:limit])
    hits.behind = behind
    return hits


def recall(store: Store, index: Index, query: str, *, budget: int = 2000, project: str | None = None) -> ContextPack:
    """What an agent should be told before it starts: fenced, cited, at most `budget` tokens; empty where nothing is relevant enough.

    A query that holds error output is looked up as one.
    """
    from diarist.stages.context import Item, build_pack

    _bring_up_to_date(store, index)
    find = _solutions if _holds_errors(query) else _answers
    answers = _healing(store, index, lambda: find(store, index, query, project))
    return build_pack([Item(_hit(one.row, one.score, one.points[0] if one.points else ""), one.points) for one in answers[:_ITEMS]], budget)


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


def amendments_of(store: Store, index: Index, record_id: str) -> list[Amendment]:
    """What a record replaces and what replaces it, as a search that finds it would judge, with the parts of each judgement."""
    record = store.get_record(record_id)
    rows = store.get_hits([record.seq]) if record is not None else []
    if not rows:
        return []
    rarities = _Rarities(index)
    terms = tuple(telling_terms(rows, rarities.of))
    if not terms:
        return []
    query = Query(terms=terms, project=rows[0].project or None)
    others = [one.row for one in _find(store, index, query, _JUDGED) if one.row.id != record_id]
    pairs = find_pairs([*rows, *others])
    found = find_amendments(pairs, rarities.of(pairs.terms())) if pairs.pairs else []
    return [one for one in found if record_id in (one.earlier, one.later)]


class _Rarities:
    """How rare terms are, asked of the index once each."""

    def __init__(self, index: Index, *, errors_only: bool = False) -> None:
        self._index = index
        self._errors_only = errors_only
        self._counts: dict[str, int] = {}
        self._records, self._typical = 0, 0.0

    def of(self, terms: Iterable[str]) -> Frequencies:
        """How common these terms (and all asked for before) are."""
        new = [term for term in terms if term not in self._counts]
        if new or not self._records:
            found = self._index.frequencies(new, errors_only=self._errors_only)
            self._records, self._typical = found.records, found.typical
            self._counts.update(found.counts)
        return Frequencies(self._records, self._counts, self._typical)

    def rarity(self, terms: Iterable[str]) -> Rarity:
        """For these terms and those asked for before."""
        return rarity_of(self.of(terms))


def _bring_up_to_date(store: Store, index: Index) -> int:
    """Read your own writes: applies what is missing if the index can be written now; returns how many changes still are."""
    behind = store.last_seq() - index.position()
    if behind:
        try:
            catch_up(store, index)
        except IndexUnavailableError:
            return max(0, store.last_seq() - index.position())
    return 0


def _healing(store: Store, index: Index, run: Callable[[], T]) -> T:
    """Runs a search; where the index turns out to be damaged, makes it anew and runs it again."""
    try:
        return run()
    except IndexUnavailableError:
        rebuild(store, index)
        return run()


def _find(store: Store, index: Index, query: Query, depth: int) -> list[Found]:
    matches = index.search(query, depth)
    scores = {match.seq: match.score for match in matches}
    found = {row.id: found_row(row, scores[row.seq]) for row in store.get_hits([match.seq for match in matches])}
    return sorted(found.values(), key=lambda one: -one.score)


def _standing(store: Store, index: Index, found: list[Found], parsed: ParsedQuery, rarities: _Rarities) -> list[Found]:
    """Looks for amendments among the best and what is related to them; see `stages.rank.standing`."""
    if not found or not parsed.all_terms():
        return found
    related = _related(store, index, found, parsed, rarities)
    found = share_scores(found, related)
    judged = [*sorted(found, key=lambda one: -one.score)[:_JUDGED], *related]
    pairs = find_pairs(list({one.row.id: one.row for one in judged}.values()))
    return settle(found, find_amendments(pairs, rarities.of(pairs.terms())) if pairs.pairs else [])


def _related(store: Store, index: Index, found: list[Found], parsed: ParsedQuery, rarities: _Rarities) -> list[Found]:
    """Records that speak of what the best hits speak of, whatever words the question used; those hits among them."""
    terms = telling_terms([one.row for one in found[:_SEEDS]], rarities.of)
    if not terms:
        return []
    return _find(store, index, parsed.query._replace(terms=tuple(terms), phrases=()), _RELATED)


def _present(found: list[Found], parsed: ParsedQuery, rarities: _Rarities, *, full: bool) -> Hits:
    from diarist.stages.rank.explain import brief, explain
    from diarist.stages.rank.snippet import snippet

    terms = parsed.all_terms()
    rarity = rarities.rarity(terms)
    hits = Hits()
    for one in found:
        hit = _hit(one.row, one.score, snippet(one.row.text or one.row.errors, terms, rarity))
        by = one.superseded_by
        reasons = explain(one, terms, rarity) if full else brief(one)
        hits.append(hit._replace(superseded_by=by.id if by else None, reasons=reasons))
    return hits


def _answers(store: Store, index: Index, query: str, project: str | None) -> list[Answer]:
    """The records that answer a question, best first: none where even the best holds no more of it than chance would give."""
    from diarist.stages.rank.doubt import weigh
    from diarist.stages.rank.packing import answers

    at = datetime.now(UTC)
    parsed = narrow(parse_query(query, at, lenient=True), at, project=project)
    terms = parsed.all_terms()
    if not terms:
        return []
    rarities = _Rarities(index)
    found = _standing(store, index, _find(store, index, parsed.query, _JUDGED), parsed, rarities)
    return answers(found, weigh(terms, rarities.of(terms)), rarities.rarity(terms))


def _solutions(store: Store, index: Index, text: str, project: str | None) -> list[Answer]:
    """The records that met the errors of a text, those that solved them first."""
    from diarist.stages.rank.faults import read_errors
    from diarist.stages.rank.packing import solutions

    asked = read_errors(text)
    ranked = [(one.row, one.score) for one in _find_faults(store, index, asked, _DEPTH, project) if one.score >= _SAME_FAULT]
    if not ranked:  # a note may tell of it
        return _answers(store, index, "\n".join(error.message for error in asked.errors), project)
    terms = asked.all_terms()
    return solutions(ranked[:_ITEMS], terms, _Rarities(index, errors_only=True).rarity(terms))


def _find_faults(store: Store, index: Index, asked: Asked, limit: int, project: str | None) -> list[Ranked]:
    """Records that met the errors, best first."""
    from diarist.stages.rank.faults import rank_faults

    terms, marks = asked.all_terms(), asked.fingerprints()
    if not terms and not marks:
        return []
    base = Query(kinds=("entry",), project=project)
    matches = index.search(base._replace(terms=terms, fingerprints=marks, errors_only=True), max(limit, _DEPTH))
    matches += index.search(base._replace(terms=terms), _DEPTH)
    held: dict[int, set[str]] = {}
    for mark in marks:
        for match in index.search(base._replace(fingerprints=(mark,)), _MOST_MARKED):
            held.setdefault(match.seq, set()).add(mark)
    rows = store.get_hits(list(dict.fromkeys([*held, *(match.seq for match in matches)])))
    rarity = _Rarities(index, errors_only=True).rarity(terms)
    return rank_faults(asked, rows, {seq: frozenset(known) for seq, known in held.items()}, rarity)


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
