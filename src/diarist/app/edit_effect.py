"""What the acceptance of a proposed edit brings about: the note is written, in the words that were reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from diarist.app.documents import document_id, document_record
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
            known = box.store.get_record(_new_id(proposal)) if proposal.payload.get("path") else None
            there = known is not None and known.status == "active"
            return [f"{proposal.payload['path']} has been written since by another edit; ask for it anew"] if there else []
        record = box.store.get_record(wanted)
        if record is None or record.status != "active":
            return [f"{wanted} is gone or was retracted"]
        if record.kind != "note":
            return [f"{wanted} is no note (it is of kind {record.kind}), so its text cannot be replaced"]
        read = proposal.payload.get("revision")
        if record.revision != read if read is not None else record.updated_at > proposal.created_at:
            return [f"{wanted} has changed since the edit was proposed; ask for it anew"]
        return []

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Writes the note; a person approved it."""
        target = _target(box.store, proposal)
        old = from_json(target.body, Note) if target is not None else Note(title=proposal.title, body=proposal.body)
        tags = tuple(derived(tag) for tag in proposal.payload.get("tags", ()))  # redacted when it was proposed
        note = msgspec.structs.replace(old, title=proposal.shown_title, body=proposal.shown_body, tags=tags or old.tags)
        if proposal.payload.get("path"):
            written = self._accept_document(tx, proposal, note, target, decision)
            return lambda: _publish(box, written, decision.who)
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

    def _accept_document(self, tx: Transaction, proposal: Proposal, note: Note, target: Record | None, decision: Decision) -> str:
        told = proposal.payload
        extra = {**note.extra, "path": told["path"], "source_type": told.get("source_type") or "note"}
        placed = msgspec.structs.replace(note, extra=extra, related=tuple(told.get("related", ())))
        created = target.created_at if target is not None else decision.at
        record, search = document_record(placed, project=proposal.project, trust="person", created_at=created, at=decision.at)
        tx.put_record(record, search, action=ACTION)
        return record.id

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Gives the note the text it had before; a new one is retracted."""
        target = _target(box.store, proposal)
        before = _text_before(box.store, target.id) if target is not None else None
        if target is None or before is None:
            tx.set_status(target.id if target is not None else _new_id(proposal), "retracted", action="retract")
            return None
        old = from_json(before, Note)
        if old.extra.get("path"):
            record, search = document_record(old, project=target.project, trust=target.trust, created_at=target.created_at, at=decision.at)
            tx.put_record(record, search, action="undo-edit")
            return None
        record, search = note_record(
            target.id, old, project=target.project, trust=target.trust, created_at=target.created_at, at=decision.at
        )
        tx.put_record(record, search, action="undo-edit")
        return None


def _publish(box: Toolbox, record_id: str, who: str) -> None:
    from diarist.app.hub_folder import write_document

    write_document(box, record_id, who)


def _target(store: Store, proposal: Proposal) -> Record | None:
    wanted = proposal.payload.get("target", "")
    return store.get_record(wanted) if wanted else None


def _new_id(proposal: Proposal) -> str:
    path = proposal.payload.get("path", "")
    return document_id(proposal.project, path) if path else make_id("edit", proposal.id)


def _text_before(store: Store, record_id: str) -> bytes | None:
    """The body that the last accepted edit replaced, from the history."""
    before = current = None
    for event in store.get_history(record_id):
        body = event.payload.partition(b"\n")[2] if event.payload else b""
        if event.action == ACTION:
            before = current
        current = body or current
    return before
