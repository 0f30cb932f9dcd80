"""Which of the records found still stand: later ones that replace earlier ones come first, the replaced ones are marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from diarist.model.hit import Frequencies, HitRow, Query
from diarist.stages.rank.amend import Judgement, Nearness, judge, make_scale, may_replace, nearness
from diarist.stages.rank.portrait import Portrait, portray, sketch

_MARKED = 0.5
"""Part of its score that a record keeps which a person marked as superseded."""
_RIVAL = 0.5
"""A later record replaces only what it resembles at least half as much as the earlier record it resembles most."""


class Found(NamedTuple):
    """A record found: its row, its score, and the row that replaced it."""

    row: HitRow
    score: float
    superseded_by: HitRow | None = None
    reasons: tuple[str, ...] = ()


def found_row(row: HitRow, score: float) -> Found:
    """A row as the index scored it; one that a person marked as superseded counts less."""
    if row.status == "superseded":
        return Found(row, score * _MARKED, None, ("marked as superseded",))
    return Found(row, score)


def passes(row: HitRow, query: Query) -> bool:
    """Whether a row that the index did not find passes the filters of a query; False where its columns cannot tell."""
    exact = ((query.project, row.project), (query.agent, row.agent), (query.workflow, row.workflow), (query.outcome, row.outcome))
    return (
        all(wanted is None or wanted.casefold() == held.casefold() for wanted, held in exact)
        and (not query.kinds or row.kind in query.kinds)
        and frozenset(tag.casefold() for tag in query.tags) <= frozenset(tag.casefold() for tag in row.tags)
        and not query.files
        and not query.tools
        and query.since is None
        and query.before is None
    )


class Amendment(NamedTuple):
    """`later` replaces `earlier` (both by id)."""

    earlier: str
    later: str
    judgement: Judgement


class Link(NamedTuple):
    """What was said of two records: `later` replaces `earlier`, or, where it `stands`, does not. `said_at`: ISO 8601."""

    earlier: str
    later: str
    stands: bool
    said_by: str
    said_at: str


def with_links(amendments: Sequence[Amendment], links: Sequence[Link]) -> list[Amendment]:
    """The amendments as the texts tell them, corrected by what was said. `links`: the newest last; it counts."""
    found = {(one.earlier, one.later): one for one in amendments}
    for link in links:
        found.pop((link.earlier, link.later), None)
        if not link.stands:
            found[link.earlier, link.later] = Amendment(link.earlier, link.later, Judgement(1.0, {"said": 1.0}))
    return list(found.values())


def text_of(row: HitRow) -> str:
    """What of a record is compared."""
    return f"{row.title}\n{row.text}"


class Pairs(NamedTuple):
    """Pairs worth judging: the earlier and the later row of each, and the portraits of all of them by id."""

    pairs: tuple[tuple[HitRow, HitRow], ...]
    portraits: Mapping[str, Portrait]

    def terms(self) -> list[str]:
        """All terms whose rarity the judgement needs, sorted."""
        return sorted(frozenset[str]().union(*(portrait.terms for portrait in self.portraits.values())))


def find_pairs(rows: Sequence[HitRow]) -> Pairs:
    """Pairs of one project of which the later may replace the earlier."""
    groups: dict[str, list[HitRow]] = {}
    for row in sorted(rows, key=lambda row: (row.created_at, row.id)):
        groups.setdefault(row.project, []).append(row)
    sketches = {row.id: sketch(text_of(row), row.created_at) for group in groups.values() if len(group) > 1 for row in group}
    pairs = tuple(
        (earlier, later)
        for group in groups.values()
        for at, later in enumerate(group)
        for earlier in group[:at]
        if earlier.created_at < later.created_at and may_replace(sketches[earlier.id], sketches[later.id])
    )
    needed = {row.id: row for pair in pairs for row in pair}
    return Pairs(pairs, {id_: portray(text_of(row), row.created_at) for id_, row in sorted(needed.items())})


def find_amendments(pairs: Pairs, common: Frequencies) -> list[Amendment]:
    """Which of the pairs are amendments, in the order of the later one's time."""
    scale = make_scale(pairs.terms(), common)
    of, compared = pairs.portraits, dict[str, list[tuple[str, Nearness]]]()
    for earlier, later in pairs.pairs:
        compared.setdefault(later.id, []).append((earlier.id, nearness(of[earlier.id], of[later.id], scale)))
    found = []
    for id_, rivals in compared.items():
        closest = max(near.closeness for _, near in rivals)
        for rival, near in rivals:
            if near.beyond_chance and near.closeness >= _RIVAL * closest:  # most are too far off to be judged
                judgement = judge(of[rival], of[id_], scale)
                found += [Amendment(rival, id_, judgement)] if judgement.score >= 1 else []
    return found


def settle(found: Sequence[Found], amendments: Sequence[Amendment], outside: Sequence[HitRow] = ()) -> list[Found]:
    """Marks what was replaced with the newest that stands, and lets that one take its place.

    The order is by score, then newest, then id; a replaced record comes after the one that replaced it. `outside`: rows that may
    replace others without being results themselves.
    """
    rows = {row.id: row for row in [*outside, *(one.row for one in found)]}
    standing = _newest(amendments, rows)
    own = {one.row.id: one.score for one in found}
    scores = dict(own)
    raised: dict[str, str] = {}
    for earlier, later in standing.items():
        if later in scores and earlier in scores and scores[earlier] > scores[later]:
            raised[later] = f"takes the place of {earlier} (+{scores[earlier] - own[later]:.3f})"
            scores[later] = scores[earlier]
    marked = [
        one._replace(
            score=scores[one.row.id],
            superseded_by=rows[standing[one.row.id]] if one.row.id in standing else None,
            reasons=(*one.reasons, raised[one.row.id]) if one.row.id in raised else one.reasons,
        )
        for one in found
    ]
    marked.sort(key=lambda one: one.row.id)
    marked.sort(key=lambda one: one.row.created_at, reverse=True)
    return sorted(marked, key=lambda one: (-one.score, one.superseded_by is not None))


def _newest(amendments: Sequence[Amendment], rows: Mapping[str, HitRow]) -> dict[str, str]:
    """For each replaced record the end of its chain: the newest that nothing replaces."""
    direct: dict[str, str] = {}
    for amendment in amendments:
        if amendment.earlier not in rows or amendment.later not in rows:
            continue
        known = direct.get(amendment.earlier)
        if known is None or rows[amendment.later].created_at > rows[known].created_at:
            direct[amendment.earlier] = amendment.later
    ends: dict[str, str] = {}
    for earlier in direct:
        end, passed = earlier, {earlier}
        while end in direct and direct[end] not in passed:  # people may say things that run in a circle
            end = direct[end]
            passed.add(end)
        if end != earlier:
            ends[earlier] = end
    return ends
