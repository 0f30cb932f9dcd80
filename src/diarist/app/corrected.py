"""What people said of the records that a search found: what no longer stands gives way to what does. Loaded by a cold search."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from diarist.stages.rank.standing import Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.model.hit import HitRow
    from diarist.model.machinery import Correction
    from diarist.ports import Store

_LONGEST_CHAIN = 8
"""Corrections of corrections that are followed."""
_BEFORE = 1.001
"""What is said of a record stands before it."""


def settle_corrections(store: Store, found: list[Found], at: datetime | None = None) -> list[Found]:
    """The records found, each that a person corrected after, or instead of, what was said of it. Best first."""
    said = _said(store, [one.row.id for one in found])
    if not said:
        return found
    now = at or datetime.now(UTC)
    made: dict[str, Found] = {one.row.id: one for one in found}
    dropped: set[str] = set()
    for one in found:
        for correction in said.get(one.row.id, ()):
            _settle(store, made, dropped, one, correction, now)
    kept = [one for one in made.values() if one.row.id not in dropped]
    return sorted(kept, key=lambda one: (-one.score, one.superseded_by is not None))


def still_standing(store: Store, rows: Sequence[HitRow], at: datetime | None = None) -> list[HitRow]:
    """The rows without those of which a person said that they do not hold (any more)."""
    said = _said(store, [row.id for row in rows])
    now = at or datetime.now(UTC)
    return [row for row in rows if not any(is_gone(correction, now) for correction in said.get(row.id, ()))]


def is_gone(correction: Correction, now: datetime) -> bool:
    """True where the target does not hold at that time."""
    if correction.shape == "until":
        return correction.until is not None and now >= correction.until
    return correction.shape != "partly"


def _said(store: Store, ids: Sequence[str]) -> dict[str, list[Correction]]:
    found: dict[str, list[Correction]] = {}
    for correction in store.list_corrections(ids) if ids else ():
        found.setdefault(correction.target, []).append(correction)
    return found


def _settle(store: Store, made: dict[str, Found], dropped: set[str], one: Found, correction: Correction, now: datetime) -> None:
    row = _end(store, correction, now)
    score = one.score * (2 if one.row.status == "superseded" else 1)
    if not is_gone(correction, now):
        if row is not None:
            known = made.get(row.id)
            made[row.id] = Found(row, max(score * _BEFORE, known.score if known else 0.0), None, (f"says more of {one.row.id}",))
        return
    if row is None or not row.text.strip():  # nothing took its place
        made[one.row.id] = one._replace(row=one.row._replace(status="superseded"), reasons=(*one.reasons, "does not hold any more"))
        dropped.add(correction.record_id)
        return
    known = made.get(row.id)
    made[row.id] = Found(row, max(score, known.score if known else 0.0), None, (f"corrects {one.row.id}",))
    made[one.row.id] = one._replace(superseded_by=row, row=one.row._replace(status="superseded"))


def _end(store: Store, correction: Correction, now: datetime) -> HitRow | None:
    """The row of the correction, or of what corrected that in turn."""
    record_id = correction.record_id
    for _ in range(_LONGEST_CHAIN):
        later = [each for each in store.list_corrections([record_id]) if is_gone(each, now)]
        if not later:
            break
        record_id = later[-1].record_id
    record = store.get_record(record_id)
    rows = store.get_hits([record.seq]) if record is not None and record.status == "active" else []
    return rows[0] if rows else None
