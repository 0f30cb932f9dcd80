"""What agents and hub clients want changed: always a proposal, never a change. A person decides."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.review import Filed, file_proposal
from diarist.errors import InvalidInputError
from diarist.model.proposal import Proposal
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

MAX_BODY = 200_000


class Wish(NamedTuple):
    """What somebody wants written. `base_revision`: of the target, as it was read; None: not told."""

    title: str
    body: str
    project: str = ""
    tags: Sequence[str] = ()
    base_revision: int | None = None
    actor: str = ""
    idempotency_key: str = ""
    path: str = ""
    """Of a document that has one; it is clean and redacted. `source_type` and `related` go with it."""
    source_type: str = ""
    related: Sequence[str] = ()


def propose_edit(box: Toolbox, wish: Wish, target: Record | None) -> Filed:
    """Files a proposal to add a document, or to change `target`. The same key, or the same text, files it once.

    Raises
    ------
    InvalidInputError
        Title or body is blank or too long, or `target` has moved on from `base_revision`.
    """
    _check(wish, target)
    redact = box.reader().redactor.redact
    about = target.id if target is not None else wish.path or "new"
    key = _mark(box, wish, about)
    tags = [redact(tag) for tag in wish.tags]
    place = {"path": wish.path, "source_type": redact(wish.source_type), "related": list(wish.related)} if wish.path else {}
    base = {"revision": target.revision} if target is not None else {}
    new = Proposal(
        id="",
        kind="edit",
        key=f"{about}/{key}",
        name=derived(f"edit-{key[:8]}"),
        project=redact(wish.project or (target.project if target is not None else "")),
        title=redact(wish.title.strip()),
        body=redact(wish.body),
        target=derived(f"{about} ({target.title})" if target is not None else wish.path or "a new document"),
        evidence=(target.id,) if target is not None else (),
        payload={"target": target.id if target is not None else "", "tags": tags, "by": redact(wish.actor), **place, **base},
        created_at=box.now(),
    )
    with box.store.transaction(actor=redact(wish.actor) or box.actor, at=box.now()) as tx:
        return file_proposal(box, tx, new, at=box.now(), reopens=lambda _old, _new: False)


def _mark(box: Toolbox, wish: Wish, about: str) -> str:
    """The same for the same key, or else for the same text; of what is secret only a keyed hash, so that it proves no guess."""
    redact = box.reader().redactor.redact
    named: str = redact(wish.idempotency_key) or f"{about}\0{redact(wish.title)}\0{redact(wish.body)}"
    if wish.idempotency_key and named != wish.idempotency_key:
        told = wish.idempotency_key.encode("utf-8", "surrogatepass")
        return hmac.new(box.store.tombstone_key(), b"diarist-edit/1\0" + told, hashlib.sha256).hexdigest()[:16]
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _check(wish: Wish, target: Record | None) -> None:
    if not wish.title.strip() or not wish.body.strip() or len(wish.body) > MAX_BODY:
        raise InvalidInputError(f"an edit needs a title and a body of at most {MAX_BODY:,} characters")
    if target is not None and wish.base_revision is not None and target.revision != wish.base_revision:
        raise InvalidInputError(
            f"{target.id} is at revision {target.revision} now, not {wish.base_revision}. Fetch it, redo the edit on that, send it again."
        )
