"""What the acceptance of a proposed edit brings about: the note is written, in the words that were reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from diarist.app.records import note_record
from diarist.model.codec import from_json
from diarist.model.ids import make_id
from diarist.model.record import Note
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.review import Finish
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Decision, Proposal
    from diarist.model.record import Record
    from diarist.ports import Store, Transaction

ACTION = "accept-edit"


class EditEffect:
    """Implements `app.review.Effect` for edits: of a note, or a new one."""

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """The note must still be what the edit was made on."""
        wanted = proposal.payload.get("target", "")
        if not wanted:
            return []
        record = box.store.get_record(wanted)
        if record is None or record.status != "active":
            return [f"{wanted} is gone or was retracted"]
        if record.kind != "note":
            return [f"{wanted} is no note (it is of kind {record.kind}), so its text cannot be replaced"]
        if record.updated_at > proposal.created_at:
            return [f"{wanted} has changed since the edit was proposed; ask for it anew"]
        return []

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Writes the note; a person approved it."""
        target = _target(box.store, proposal)
        old = from_json(target.body, Note) if target is not None else Note(title=proposal.title, body=proposal.body)
        tags = tuple(derived(tag) for tag in proposal.payload.get("tags", ()))  # redacted when it was proposed
        note = msgspec.structs.replace(old, title=proposal.shown_title, body=proposal.shown_body, tags=tags or old.tags)
        record, search = note_record(
            target.id if target is not None else _new_id(proposal),
            note,
            project=target.project if target is not None else proposal.project,
            trust="person",
            created_at=target.created_at if target is not None else decision.at,
            at=decision.at,
        )
        tx.put_record(record, search, action=ACTION)
        return None

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Gives the note the text it had before; a new one is retracted."""
        target = _target(box.store, proposal)
        before = _text_before(box.store, target.id) if target is not None else None
        if target is None or before is None:
            tx.set_status(target.id if target is not None else _new_id(proposal), "retracted", action="retract")
            return None
        record, search = note_record(
            target.id, from_json(before, Note), project=target.project, trust=target.trust, created_at=target.created_at, at=decision.at
        )
        tx.put_record(record, search, action="undo-edit")
        return None


def _target(store: Store, proposal: Proposal) -> Record | None:
    wanted = proposal.payload.get("target", "")
    return store.get_record(wanted) if wanted else None


def _new_id(proposal: Proposal) -> str:
    return make_id("edit", proposal.id)


def _text_before(store: Store, record_id: str) -> bytes | None:
    """The body that the last accepted edit replaced, from the history."""
    before = current = None
    for event in store.get_history(record_id):
        body = event.payload.partition(b"\n")[2] if event.payload else b""
        if event.action == ACTION:
            before = current
        current = body or current
    return before
