"""One search over index and store: each row is fetched once, each word counted once. A cold process loads this: nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from diarist.app.amending import links_about
from diarist.app.corrected import settle_corrections
from diarist.app.indexing import catch_up, rebuild
from diarist.errors import IndexUnavailableError
from diarist.model.hit import Frequencies, HitRow, Match, Query
from diarist.stages.rank.rarity import Rarity, rarity_of
from diarist.stages.rank.related import only_matching, share_scores, telling_terms
from diarist.stages.rank.standing import Found, find_amendments, find_pairs, found_row, passes, settle, with_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from diarist.ports import Index, Store
    from diarist.stages.rank.influence import Adjustment
    from diarist.stages.rank.standing import Amendment

T = TypeVar("T")

SPARE = 14
"""Matches of the index taken beyond the limit: some may be retracted, or resemble the best one."""
JUDGED = 12
"""The best of them among which amendments are looked for."""
_RELATED = 10
"""How many records the terms of the best hit give in turn."""


class Influence(NamedTuple):
    """What beside the words moves the order; nothing by default.

    `adjust`: for the rows of the best records, a bounded factor for some of them, by id. `second`: another ranked list for a query
    and a depth, by the same filters; the two become one by reciprocal-rank fusion.
    """

    adjust: Callable[[Sequence[HitRow]], Mapping[str, Adjustment]] | None = None
    second: Callable[[Query, int], Sequence[Match]] | None = None


NO_INFLUENCE = Influence()


class Counts:
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


class Seeker:
    """One search: finds, moves and settles records. `counts` tells how common words are."""

    def __init__(self, store: Store, index: Index, influence: Influence = NO_INFLUENCE) -> None:
        self.counts = Counts(index)
        self._store = store
        self._index = index
        self._influence = influence
        self._rows: dict[int, HitRow | None] = {}

    def rows(self, seqs: Sequence[int]) -> list[HitRow]:
        """The rows of these changes, in this order, without records that are gone."""
        new = [seq for seq in seqs if seq not in self._rows]
        if new:
            self._rows.update(dict.fromkeys(new))
            self._rows.update((row.seq, row) for row in self._store.get_hits(new))
        return [row for seq in seqs if (row := self._rows[seq]) is not None]

    def find(self, query: Query, depth: int) -> list[Found]:
        """The best records by words alone, each once, best first."""
        matches = self._index.search(query, depth)
        return self._found(matches, len(matches), {})

    def standing(self, query: Query, limit: int) -> list[Found]:
        """The best records, what replaced them before them; at least `limit` where there are so many."""
        matches, places = self._matches(query, limit + SPARE)
        found = self._found(matches, max(limit, JUDGED), places)
        if self._influence.adjust is not None and found:
            from diarist.stages.rank.influence import adjusted

            found = adjusted(found, self._influence.adjust([one.row for one in found]))
        if not found or not (query.terms or query.phrases):
            return settle_corrections(self._store, found)
        related = self._related(found[0], query)
        scores = {match.seq: match.score for match in matches}
        known = {one.row.id for one in found}
        found += [found_row(one.row, scores[one.row.seq]) for one in related if one.row.seq in scores and one.row.id not in known]
        matching = {one.row.id for one in found}
        found = share_scores(found, related)
        judged = [*sorted(found, key=lambda one: -one.score)[:JUDGED], *related]
        pairs = find_pairs(list({one.row.id: one.row for one in judged}.values()))
        amendments = find_amendments(pairs, self.counts.of(pairs.terms())) if pairs.pairs else []
        settled = self._settled(found, amendments, [one.row.id for one in judged], query)
        return settle_corrections(self._store, only_matching(settled, matching, query, limit))

    def _settled(self, found: list[Found], amendments: list[Amendment], judged: Sequence[str], query: Query) -> list[Found]:
        """The records with what replaced them, by the texts and by what was said; a record that was said to joins the results."""
        links = links_about(self._store, self._index, judged)
        if not links:
            return settle(found, amendments)
        known = {one.row.id for one in found}
        missing = dict.fromkeys(link.later for link in links if link.later not in known and not link.stands)
        records = [record for record in map(self._store.get_record, missing) if record is not None and record.status == "active"]
        rows = self.rows([record.seq for record in records])
        found += [found_row(row, 0.0) for row in rows if passes(row, query)]
        return settle(found, with_links(amendments, links), rows)

    def _matches(self, query: Query, depth: int) -> tuple[Sequence[Match], Mapping[int, str]]:
        """The index's matches, and with a second list those of both with a word on where each stood."""
        matches = self._index.search(query, depth)
        if self._influence.second is None:
            return matches, {}
        from diarist.stages.rank.influence import fused

        return fused(matches, self._influence.second(query, depth))

    def _found(self, matches: Sequence[Match], wanted: int, places: Mapping[int, str]) -> list[Found]:
        """The first `wanted` of the matches whose records are there, each record once."""
        found: dict[str, Found] = {}
        at = 0
        while len(found) < wanted and at < len(matches):
            batch = matches[at : at + wanted - len(found)]
            scores = {match.seq: match.score for match in batch}
            for row in self.rows(list(scores)):
                one = found_row(row, scores[row.seq])
                found.setdefault(row.id, one._replace(reasons=(*one.reasons, places[row.seq])) if row.seq in places else one)
            at += len(batch)
        return sorted(found.values(), key=lambda one: -one.score)

    def _related(self, best: Found, query: Query) -> list[Found]:
        """Records that speak of what the best hit speaks of, whatever words the question used; that hit among them.

        They are judged as well: one of them may be what replaced a hit.
        """
        terms = telling_terms([best.row], self.counts.of)
        return self.find(query._replace(terms=tuple(terms), phrases=()), _RELATED) if terms else []


def bring_up_to_date(store: Store, index: Index) -> int:
    """Read your own writes: applies what is missing if the index can be written now; returns how many changes still are."""
    behind = store.last_seq() - index.position()
    if behind:
        try:
            catch_up(store, index)
        except IndexUnavailableError:
            return max(0, store.last_seq() - index.position())
    return 0


def healing(store: Store, index: Index, run: Callable[[], T]) -> T:
    """Runs a search; where the index turns out to be damaged, makes it anew and runs it again."""
    try:
        return run()
    except IndexUnavailableError:
        rebuild(store, index)
        return run()
