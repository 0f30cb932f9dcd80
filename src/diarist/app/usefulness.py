"""The usefulness ledger: what was shown, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from diarist.errors import InvalidInputError
from diarist.model.ids import is_id
from diarist.model.use import USES, Use

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox


def note_use(box: Toolbox, told: Iterable[tuple[Sequence[str], str, float, str]]) -> int:
    """Adds rows; ids that are none, or of records that are gone, are passed over. Returns how many rows are new."""
    uses = [
        Use(record_id, session, datetime.fromtimestamp(at, UTC), event)
        for ids, session, at, event in told
        if event in USES
        for record_id in ids
        if is_id(record_id)
    ]
    if not uses:
        return 0
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        return sum(tx.add_use(use) for use in uses)


def feedback(box: Toolbox, record_id: str, verdict: str, session: str) -> Use:
    """Adds what a person or an agent says of a record. Raises InvalidInputError for a verdict that there is not."""
    if verdict not in USES:
        raise InvalidInputError(f"{verdict!r} says nothing here; use one of {', '.join(USES[2:])}")
    use = Use(record_id, session or f"person:{box.actor}", box.now(), verdict)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.add_use(use)
    return use
