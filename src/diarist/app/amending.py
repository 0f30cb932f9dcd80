"""Which decision replaced which, as people and documents said it. A cold search loads this: nothing heavy at the top."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from diarist.errors import InvalidInputError
from diarist.model.hit import Query
from diarist.stages.rank.standing import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diarist.app.toolbox import Toolbox
    from diarist.model.hit import HitRow
    from diarist.model.record import Record
    from diarist.ports import Index, Store

Verdict = Literal["supersedes", "stands", "undecided"]
"""Of a later record on an earlier one: it replaces it; both hold; nothing is said, so that the texts decide."""
NAMESPACE = "amendments"
_MOST = 100


def links_about(store: Store, index: Index, ids: Iterable[str]) -> list[Link]:
    """What people or documents said of these records: superseded by another one, or standing beside it."""
    about = tuple(ids)
    matches = index.search(Query(about=about), _MOST) if about else []
    if not matches:
        return []
    rows = [row for row in store.get_hits([match.seq for match in matches]) if row.status == "active"]
    bodies = store.get_bodies([row.seq for row in rows])
    wanted = frozenset(about)
    found = [
        link
        for row in rows
        if row.seq in bodies
        for link in links_of(row, json.loads(bodies[row.seq]))
        if wanted & {link.earlier, link.later}
    ]
    return sorted(found, key=lambda link: (link.said_at, link.earlier, link.later))


def links_of(row: HitRow, body: Any) -> list[Link]:
    """The links that one record tells: a document of its own, a judgement of two others."""
    if not isinstance(body, dict):
        return []
    later, said_by = body.get("later") or row.id, body.get("by") or f"{row.kind} {row.id}"
    told = [(each, False) for each in body.get("supersedes") or ()] + [(each, True) for each in body.get("stands") or ()]
    return [Link(each, later, stands, said_by, row.created_at) for each, stands in told if isinstance(each, str)]


def judge(box: Toolbox, later: Record, earlier: Record, verdict: Verdict) -> None:
    """Keeps what a person says of two records; the newest word counts, and "undecided" takes it back.

    Raises
    ------
    InvalidInputError
        They are one record, or there is no such verdict.
    """
    from hashlib import sha256

    from diarist.model.codec import to_json
    from diarist.model.ids import make_id
    from diarist.model.record import Record, SearchText
    from diarist.model.redacted import derived

    if later.id == earlier.id:
        raise InvalidInputError(f"{later.id} cannot supersede itself; name two records")
    if verdict not in ("supersedes", "stands", "undecided"):
        raise InvalidInputError(f"{verdict!r} is no verdict; use supersedes, stands or undecided")
    record_id, at = make_id("amendment", earlier.id, later.id), box.now()
    with box.store.transaction(actor=box.actor, at=at) as tx:
        if verdict == "undecided":
            tx.set_status(record_id, "retracted", action="judge")
            return
        body = to_json({"later": later.id, verdict: [earlier.id], "by": box.actor})
        record = Record(
            id=record_id,
            kind="state",
            namespace=derived(NAMESPACE),
            project=later.project,
            title=derived(f"{later.id} {'supersedes' if verdict == 'supersedes' else 'stands beside'} {earlier.id}"),
            trust="person",
            created_at=at,
            updated_at=at,
            digest=sha256(body).hexdigest(),
            body=body,
        )
        tx.put_record(record, SearchText(), action="judge")
