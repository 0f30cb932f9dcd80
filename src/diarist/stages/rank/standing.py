"""Which of the records found still stand: later ones that replace earlier ones come first, the replaced ones are marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from diarist.model.hit import Frequencies, HitRow
from diarist.stages.rank.amend import Judgement, Portrait, Rarity, judge, portray

_RIVAL = 0.5
"""A later record replaces only what it resembles at least half as much as the earlier record it resembles most."""


class Found(NamedTuple):
    """A record found: its row, its score, and the row that replaced it."""

    row: HitRow
    score: float
    superseded_by: HitRow | None = None
    reasons: tuple[str, ...] = ()


class Amendment(NamedTuple):
    """`later` replaces `earlier` (both by id)."""

    earlier: str
    later: str
    judgement: Judgement


def rarity_of(common: Frequencies) -> Rarity:
    """From 1 for a word that no record holds to 0 for one that every record holds."""
    top = math.log(1 + max(common.records, 1))

    def rarity(term: str) -> float:
        count = min(common.counts.get(term, 0), common.records)
        return math.log(1 + (common.records - count + 0.5) / (count + 0.5)) / top

    return rarity


def text_of(row: HitRow) -> str:
    """What of a record is compared."""
    return f"{row.title}\n{row.text}"


def find_amendments(rows: Sequence[HitRow], rarity: Rarity) -> list[Amendment]:
    """All pairs of which the later replaces the earlier, in order of the later one's time."""
    portraits: dict[str, Portrait] = {}

    def portrait(row: HitRow) -> Portrait:
        if row.id not in portraits:
            portraits[row.id] = portray(text_of(row), row.created_at, rarity)
        return portraits[row.id]

    by_project: dict[str, list[HitRow]] = {}
    for row in sorted(rows, key=lambda row: (row.created_at, row.id)):
        by_project.setdefault(row.project, []).append(row)
    found: list[Amendment] = []
    for group in by_project.values():
        for at, later in enumerate(group):
            judged = [(earlier, judge(portrait(earlier), portrait(later))) for earlier in group[:at] if earlier.created_at < later.created_at]
            closest = max((_closeness(judgement) for _, judgement in judged), default=0.0)
            found += [
                Amendment(earlier.id, later.id, judgement)
                for earlier, judgement in judged
                if judgement.score >= 1 and _closeness(judgement) >= _RIVAL * closest
            ]
    return found


def _closeness(judgement: Judgement) -> float:
    return judgement.parts["subject"] * judgement.parts["likeness"]


def settle(found: Sequence[Found], amendments: Sequence[Amendment]) -> list[Found]:
    """Marks what was replaced with the newest that stands, and lets that one take its place.

    The order is by score, then newest, then id; a replaced record comes after the one that replaced it.
    """
    rows = {one.row.id: one.row for one in found}
    standing = _newest(amendments, rows)
    scores = {one.row.id: one.score for one in found}
    for earlier, later in standing.items():
        scores[later] = max(scores[later], scores[earlier])
    marked = [
        one._replace(score=scores[one.row.id], superseded_by=rows[standing[one.row.id]] if one.row.id in standing else None) for one in found
    ]
    return sorted(marked, key=lambda one: (-one.score, one.superseded_by is not None, _newest_first(one.row), one.row.id))


def _newest(amendments: Sequence[Amendment], rows: Mapping[str, HitRow]) -> dict[str, str]:
    """For each replaced record the end of its chain: the newest that nothing replaces."""
    direct: dict[str, str] = {}
    for amendment in amendments:
        known = direct.get(amendment.earlier)
        if known is None or rows[amendment.later].created_at > rows[known].created_at:
            direct[amendment.earlier] = amendment.later
    ends: dict[str, str] = {}
    for earlier in direct:
        end = earlier
        while end in direct:  # always later in time, so this ends
            end = direct[end]
        ends[earlier] = end
    return ends


def _newest_first(row: HitRow) -> tuple[int, ...]:
    return tuple(-ord(char) for char in row.created_at)
