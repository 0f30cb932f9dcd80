"""What agents and hub clients want changed: always a proposal, never a change. A person decides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diarist.app.review import Filed, file_proposal
from diarist.errors import InvalidInputError
from diarist.model.proposal import Proposal

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

MAX_BODY = 200_000


def propose_edit(
    box: Toolbox,
    *,
    title: str,
    body: str,
    project: str,
    tags: Sequence[str] = (),
    target: Record | None = None,
    base_revision: int | None = None,
    actor: str = "",
    idempotency_key: str = "",
) -> Filed:
    """Files a proposal to add a document, or to change `target`. The same key, or the same text, files it once.

    Raises
    ------
    InvalidInputError
        Title or body is blank or too long, or `target` has moved on from `base_revision`.
    """
    if not title.strip() or not body.strip() or len(body) > MAX_BODY:
        raise InvalidInputError(f"an edit needs a title and a body of at most {MAX_BODY:,} characters")
    if target is not None and base_revision is not None and target.revision != base_revision:
        raise InvalidInputError(
            f"{target.id} is at revision {target.revision} now, not {base_revision}: fetch it again, redo the edit on that, then send it."
        )
    redact = box.reader().redactor.redact
    about = target.id if target is not None else "new"
    key = hashlib.sha256((idempotency_key or f"{about}\0{title}\0{body}").encode("utf-8", "surrogatepass")).hexdigest()[:16]
    new = Proposal(
        id="",
        kind="edit",
        key=f"{about}/{key}",
        name=redact(f"edit-{key[:8]}"),
        project=redact(project),
        title=redact(title.strip()),
        body=redact(body),
        target=redact(f"{about} ({target.title})" if target is not None else "a new document"),
        evidence=(target.id,) if target is not None else (),
        payload={"target": target.id if target is not None else "", "tags": [redact(tag) for tag in tags], "by": redact(actor)},
        created_at=box.now(),
    )
    with box.store.transaction(actor=actor or box.actor, at=box.now()) as tx:
        return file_proposal(box, tx, new, at=box.now(), reopens=lambda _old, _new: False)
