"""What a record replaced and what replaced it: how a search that finds it would judge, for whoever asks why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.amending import links_about, links_of
from diarist.app.seeking import JUDGED, Seeker
from diarist.model.hit import Query
from diarist.stages.rank.related import telling_terms
from diarist.stages.rank.standing import Link, find_amendments, find_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.model.hit import HitRow
    from diarist.ports import Index, Store


class Amends(NamedTuple):
    """One judgement about a record. `later` replaces `earlier`, unless `stands`: then both hold, whatever the texts say.

    `score`: from 1 on, the texts say so; `parts`: what that is made of, by name. `said_by`: who decided it; empty: the texts.
    """

    earlier: str
    later: str
    stands: bool
    score: float
    parts: dict[str, float]
    said_by: str = ""


def amendments_of(store: Store, index: Index, record_id: str) -> list[Amends]:
    """What a record replaces and what replaces it, as a search that finds it would judge; and what people said of it."""
    record = store.get_record(record_id)
    rows = store.get_hits([record.seq]) if record is not None else []
    if not rows:
        return []
    seeker = Seeker(store, index)
    terms = tuple(telling_terms(rows, seeker.counts.of))
    query = Query(terms=terms, project=rows[0].project or None)
    others = [one.row for one in seeker.find(query, JUDGED) if one.row.id != record_id] if terms else []
    pairs = find_pairs([*rows, *others])
    judged = find_amendments(pairs, seeker.counts.of(pairs.terms())) if pairs.pairs else []
    told: dict[tuple[str, str], Amends] = {}
    for one in judged:
        parts = dict(one.judgement.parts)
        told[one.earlier, one.later] = Amends(one.earlier, one.later, False, one.judgement.score, parts)
    for link in [*links_about(store, index, [record_id, *(one.id for one in others)]), *_own_links(store, rows[0])]:
        known = told.get((link.earlier, link.later))
        score, parts = (known.score, known.parts) if known else (0.0, {})
        told[link.earlier, link.later] = Amends(link.earlier, link.later, link.stands, score, parts, link.said_by)
    return [one for one in told.values() if record_id in (one.earlier, one.later)]


def _own_links(store: Store, row: HitRow) -> Sequence[Link]:
    bodies = store.get_bodies([row.seq])
    return links_of(row, json.loads(bodies[row.seq])) if row.kind in ("note", "lesson") and row.seq in bodies else ()
