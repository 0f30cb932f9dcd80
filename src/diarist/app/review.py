"""The one queue of what Diarist suggests and a person decides: proposals of every kind pass through here.

A use case files its proposals with `file_proposal`; surfaces list, show, reword and decide them. What a decision brings
about is the kind's own `Effect`, carried out in the transaction that records the decision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

from diarist.errors import AmbiguousIdError, NotFoundError, ReviewError, StaleReviewError
from diarist.model.codec import from_json, to_json
from diarist.model.proposal import (
    Decision,
    Proposal,
    ProposalKind,
    ProposalState,
    decide,
    evidence_digest,
    proposal_id,
    review_digest,
    reword,
)
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from datetime import datetime

    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Verdict
    from diarist.ports import Store, Transaction

Reopens = Callable[[Proposal, Proposal], bool]
"""(decided, new) → may the matter come back as a new round?"""
Finish = Callable[[], None]
"""What is left to do once the decision is committed (files); must be safe to do again."""

GROWTH = 0.5
"""Evidence has materially changed when so much of what is there now was not there when it was decided."""


class Effect(Protocol):
    """What a kind of proposal does when it is decided."""

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """Reasons why it may not be accepted now, for people; empty when it may."""
        ...

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Writes what acceptance brings about."""
        ...

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Takes back what `accept` wrote."""
        ...


class Ruling(NamedTuple):
    """What a reviewer decides.

    `seen`: digest of what was read; None: the caller vouches for the proposal as it hands it in. `who`: empty: the actor
    of this workspace.
    """

    verdict: Verdict
    at: datetime
    seen: str | None = None
    why: str = ""
    who: str = ""


class Filed(NamedTuple):
    """What became of a proposal that was filed.

    new: it waits for review; refreshed: it waited already and now says this; unchanged: it waited and says the same;
    kept: it was decided before, and its evidence has not materially changed. `proposal` is what the queue holds now.
    """

    proposal: Proposal
    what: Literal["new", "refreshed", "unchanged", "kept"]


# --- reading --------------------------------------------------------------------------------------------------------------


def list_proposals(
    store: Store, *, states: Sequence[ProposalState] = ("pending",), kinds: Sequence[ProposalKind] = (), project: str | None = None
) -> Iterator[Proposal]:
    """Proposals in these states (none given: all), newest first, then by id."""
    where = RecordFilter(kinds=("proposal",), project=project, include_inactive=True)
    for record in store.list_records(where):
        if (not states or record.outcome in states) and (not kinds or kind_of(record) in kinds):
            yield proposal_of(record)


def get_proposal(store: Store, wanted: str) -> Proposal:
    """The proposal with this id, name or unique beginning of either; of several rounds of one matter, the last.

    Raises
    ------
    NotFoundError, AmbiguousIdError
    """
    record = store.get_record(wanted)
    if record is not None and record.kind == "proposal":
        return proposal_of(record)
    ids = store.find_ids(wanted, ("proposal",))
    found = [proposal_of(each) for each in map(store.get_record, ids) if each is not None]
    latest = {(each.kind, each.project, each.key): each for each in sorted(found, key=lambda each: each.round)}
    if not latest:
        raise NotFoundError(f"no proposal has the id or name {wanted!r}. `diarist review list --all` shows them.")
    if len(latest) > 1:
        raise AmbiguousIdError(wanted, [each.id for each in latest.values()])
    return next(iter(latest.values()))


def latest_round(store: Store, kind: ProposalKind, project: str, key: str) -> Proposal | None:
    """The last round of a matter, whatever its state."""
    found = None
    for round_ in range(1 << 16):
        record = store.get_record(proposal_id(kind, project, key, round_))
        if record is None:
            break
        found = proposal_of(record)
    return found


def current_evidence(store: Store, ids: Iterable[str]) -> str:
    """`evidence_digest` of these records as they are now; a record that is gone or retracted counts as changed."""
    return evidence_digest((each, _version(store, each)) for each in ids)


def proposal_of(record: Record) -> Proposal:
    """The proposal a record holds."""
    return from_json(record.body, Proposal)


def kind_of(record: Record) -> str:
    """The kind of proposal a record holds, without reading it."""
    return record.namespace.removeprefix("proposals/")


# --- filing ---------------------------------------------------------------------------------------------------------------


def materially_changed(decided: Proposal, new: Proposal) -> bool:
    """True where at least half of the evidence that is there now is new, and two records at least."""
    fresh = len(set(new.evidence) - set(decided.evidence))
    return fresh >= max(2, GROWTH * len(new.evidence))


def file_proposal(box: Toolbox, tx: Transaction, new: Proposal, *, at: datetime, reopens: Reopens = materially_changed) -> Filed:
    """Puts a proposal into the queue, or refreshes the one that waits there under the same key.

    `id`, `round`, `state` and `decisions` of `new` are set here. A reviewer's own wording is kept. After a decision the
    matter stays closed until `reopens` says otherwise; then it is a new round.
    """
    last = latest_round(box.store, new.kind, new.project, new.key)
    if last is None:
        return Filed(_put(tx, _as_round(new, 0), at, "propose"), "new")
    if last.state == "pending":
        fresh = msgspec.structs.replace(
            new, id=last.id, round=last.round, edit=last.edit, decisions=last.decisions, created_at=last.created_at, state="pending"
        )
        if fresh == last:
            return Filed(last, "unchanged")
        return Filed(_put(tx, fresh, at, "refresh"), "refreshed")
    if last.state == "superseded" or reopens(last, new):
        return Filed(_put(tx, _as_round(new, last.round + 1), at, "propose"), "new")
    return Filed(last, "kept")


def supersede(tx: Transaction, old: Proposal, *, by: str, actor: str, at: datetime, why: str = "") -> Proposal:
    """Takes a proposal out of the queue because `by` (an id; may be empty) took its place or its evidence is gone."""
    made = decide(old, Decision(verdict="supersede", seen=review_digest(old), who=derived(actor), at=at, why=derived(why)))
    return _put(tx, msgspec.structs.replace(made, superseded_by=by), at, "supersede")


def _as_round(new: Proposal, round_: int) -> Proposal:
    known = proposal_id(new.kind, new.project, new.key, round_)
    return msgspec.structs.replace(new, id=known, round=round_, state="pending", decisions=(), edit=None, superseded_by="")


# --- deciding -------------------------------------------------------------------------------------------------------------


def decide_proposal(box: Toolbox, proposal: Proposal, ruling: Ruling, effect: Effect) -> Proposal:
    """Records a decision and carries out what it brings about, all in one transaction.

    Raises
    ------
    StaleReviewError
        The proposal or a record behind it changed since it was read.
    ReviewError
        It is decided already, or a check failed; the message names every reason.
    """
    with box.store.transaction(actor=box.reader().redactor.redact(ruling.who or box.actor), at=ruling.at) as tx:
        made, finish = decide_within(box, tx, proposal, ruling, effect)
    if finish is not None:
        finish()
    return made


def decide_within(box: Toolbox, tx: Transaction, proposal: Proposal, ruling: Ruling, effect: Effect) -> tuple[Proposal, Finish | None]:
    """The same inside the caller's transaction; the second value is to be called once that has committed. Raises as that does."""
    redact = box.reader().redactor.redact
    now = get_proposal(box.store, proposal.id)
    decision = Decision(
        verdict=ruling.verdict,
        seen=ruling.seen or review_digest(proposal),
        who=redact(ruling.who or box.actor),
        at=ruling.at,
        why=redact(ruling.why),
    )
    made = decide(now, decision)
    finish = None
    if ruling.verdict == "accept":
        _check_evidence(box.store, now)
        if reasons := effect.check(box, now):
            raise ReviewError(f"{now.name} cannot be accepted: {'; '.join(reasons)}")
        finish = effect.accept(box, tx, made, made.decisions[-1])
    elif now.state == "accepted":
        finish = effect.undo(box, tx, made, made.decisions[-1])
    return _put(tx, made, ruling.at, ruling.verdict), finish


def reword_proposal(box: Toolbox, proposal: Proposal, *, title: str | None, body: str | None, at: datetime, who: str = "") -> Proposal:
    """Replaces title or body of a pending proposal by a reviewer's wording (redacted). Raises ReviewError."""
    redact = box.reader().redactor.redact
    made = reword(
        proposal,
        title=proposal.shown_title if title is None else redact(title),
        body=proposal.shown_body if body is None else redact(body),
        who=redact(who or box.actor),
        at=at,
    )
    with box.store.transaction(actor=redact(who or box.actor), at=at) as tx:
        return _put(tx, made, at, "reword")


def _check_evidence(store: Store, proposal: Proposal) -> None:
    if proposal.evidence_digest and current_evidence(store, proposal.evidence) != proposal.evidence_digest:
        raise StaleReviewError(
            f"entries behind {proposal.name} have changed or gone since it was drafted, so it may no longer be true. "
            "Draft it anew, read that, then decide."
        )


def _version(store: Store, record_id: str) -> str:
    record = store.get_record(record_id)
    return record.digest if record is not None and record.status == "active" else ""


def _put(tx: Transaction, proposal: Proposal, at: datetime, action: str) -> Proposal:
    tx.put_record(proposal_record(proposal, at), SearchText(), action=action)
    return proposal


def proposal_record(proposal: Proposal, at: datetime) -> Record:
    """The record of a proposal. It is found by id and name only: search and recall never tell what nobody approved."""
    body = to_json(proposal)
    return Record(
        id=proposal.id,
        kind="proposal",
        namespace=derived(f"proposals/{proposal.kind}"),
        project=proposal.project,
        task_id=proposal.name,
        outcome=proposal.state,
        title=proposal.shown_title,
        tags=(derived(proposal.kind),),
        status="superseded" if proposal.state == "superseded" else "active",
        created_at=proposal.created_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
