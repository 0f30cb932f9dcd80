"""What a hub document is related to: earlier documents that speak of the same things, found when it is published.

Only what is older than the document counts, so that a document that lies there does not change when others come. The ids stand
in the published file and are read from there: they are no part of the entry, which depends on its session alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.model.hit import Query

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.hit import HitRow
    from diarist.model.record import Record

MOST = 5
_LOOKED_AT = 40
_LIKE = 0.3
"""Share of the score that the document itself has for its own words."""
_TIERS = 20
"""Scores are compared in steps of this part of the document's own, so that a trifle does not decide."""
KINDS = ("entry", "note", "lesson")


def related_ids(box: Toolbox, record: Record) -> list[str]:
    """Ids of at most five older hub documents and notes of the same project that are most like this one, the most alike first.

    What the index does not hold yet is not found.
    """
    from diarist.app.seeking import Seeker
    from diarist.stages.rank.related import telling_terms

    rows = box.store.get_hits([record.seq])
    seeker = Seeker(box.store, box.search_index())
    terms = telling_terms(rows, seeker.counts.of) if rows else []
    if not terms:
        return []
    query = Query(terms=tuple(terms), kinds=KINDS, project=record.project or None, before=int(record.created_at.timestamp()) + 1)
    found = seeker.find(query, _LOOKED_AT)
    own = next((one.score for one in found if one.row.id == record.id), max((one.score for one in found), default=0.0))
    alike = [one for one in found if own and one.score >= _LIKE * own and _is_older(one.row, rows[0]) and _is_document(box, one.row)]
    ranked = sorted(alike, key=lambda one: (-round(_TIERS * one.score / own), one.row.id))
    return [one.row.id for one in ranked[:MOST]]


def _is_older(row: HitRow, than: HitRow) -> bool:
    return row.id != than.id and (row.created_at, row.id) < (than.created_at, than.id)


def _is_document(box: Toolbox, row: HitRow) -> bool:
    """Can be fetched from a hub: a note, or an entry of an outcome that gets a document."""
    return row.status == "active" and (row.kind != "entry" or row.outcome in box.settings.get("hub.outcomes"))
