"""Themes in which nothing recurs but the subject: known from run to run by their lineage, and never up for a decision."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.review import latest_round, proposal_record
from diarist.model.proposal import Decision, decide, proposal_id, review_digest
from diarist.model.record import SearchText
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal
    from diarist.ports import Transaction

WHY = derived("nothing recurs in these entries but the subject, so there is nothing to decide")


def waits_in_own_words(box: Toolbox, theme: Proposal) -> bool:
    """Does a theme wait for review that a person put into words? It stays there, whatever recurs in it."""
    last = latest_round(box.store, theme.kind, theme.project, theme.key)
    return last is not None and last.state == "pending" and last.edit is not None


def set_aside(box: Toolbox, tx: Transaction, theme: Proposal, *, at: datetime) -> None:
    """Keeps what the theme rests on, out of the queue. Once something recurs in it, it is filed as a new round.

    A theme that was accepted or rejected stays as it was decided.
    """
    last = latest_round(box.store, theme.kind, theme.project, theme.key)
    if last is not None and last.state in ("accepted", "rejected"):
        return
    if last is None:
        fresh = msgspec.structs.replace(theme, id=proposal_id(theme.kind, theme.project, theme.key, 0), round=0)
    else:
        kept = {"id": last.id, "round": last.round, "created_at": last.created_at, "superseded_by": last.superseded_by}
        fresh = msgspec.structs.replace(theme, **kept, edit=last.edit, decisions=last.decisions, state=last.state)
    if fresh.state == "pending":
        fresh = decide(fresh, Decision(verdict="supersede", seen=review_digest(fresh), who=derived(box.actor), at=at, why=WHY))
    if fresh != last:
        tx.put_record(proposal_record(fresh, at), SearchText(), action="set aside")
