"""What a proposed edit would change, line by line."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from diarist.app.documents import document_id
from diarist.model.codec import from_json
from diarist.model.record import Note

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal


def diff_of(box: Toolbox, proposal: Proposal) -> str:
    """Unified diff from the document as it is to what is proposed, title line first; "" where no document is edited."""
    if proposal.kind != "edit":
        return ""
    path = str(proposal.payload.get("path", ""))
    wanted = proposal.payload.get("target") or (document_id(proposal.project, path) if path else "")
    record = box.store.get_record(str(wanted)) if wanted else None
    old = ""
    if record is not None and record.kind == "note" and record.status == "active":
        note = from_json(record.body, Note)
        old = _text(note.title, note.body)
    return unified(old, _text(proposal.shown_title, proposal.shown_body), path or str(wanted) or "document")


def unified(old: str, new: str, name: str) -> str:
    """A unified diff of two texts; "" where they are equal."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}" if old else "/dev/null", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of text\n" for line in lines)


def _text(title: str, body: str) -> str:
    return f"# {title}\n\n{body}" + ("" if body.endswith("\n") else "\n")
