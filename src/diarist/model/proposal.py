"""Proposals: what Diarist suggests and a person decides. One state machine for themes, skills, edits and retirements.

    pending ──accept──→ accepted ──reopen──→ pending
       ├─────reject──→ rejected ──reopen──→ pending
       └──supersede──→ superseded

Each decision is bound to the digest of what the reviewer saw. Nothing that steers an agent changes without an accepted one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from diarist.errors import ReviewError, StaleReviewError
from diarist.model.codec import to_json
from diarist.model.ids import make_id
from diarist.model.redacted import Redacted

ProposalKind: TypeAlias = Literal["theme", "skill", "edit", "retirement"]
ProposalState: TypeAlias = Literal["pending", "accepted", "rejected", "superseded"]
Verdict: TypeAlias = Literal["accept", "reject", "reopen", "supersede"]

SHORTEST_SEEN = 8
"""Fewest hex digits of a digest that still name what was seen."""
_STATE_AFTER: dict[Verdict, ProposalState] = {"accept": "accepted", "reject": "rejected", "reopen": "pending", "supersede": "superseded"}
_ALLOWED: dict[ProposalState, tuple[Verdict, ...]] = {
    "pending": ("accept", "reject", "supersede"),
    "accepted": ("reopen", "supersede"),
    "rejected": ("reopen", "supersede"),
    "superseded": (),
}


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the state machine: who decided what on which text, when and why."""

    verdict: Verdict
    seen: str
    """Digest (64 hex digits) of what the reviewer saw."""
    who: Redacted
    at: datetime
    why: Redacted = Redacted("")


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A reviewer's own wording. It survives every refresh of the proposal's evidence."""

    title: Redacted
    body: Redacted
    who: Redacted
    at: datetime


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Something to decide. `key` says what it is about from run to run; a decided one returns only as a new `round`."""

    id: str
    """See `proposal_id`."""
    kind: ProposalKind
    key: str
    """Names the matter within kind and project: a theme's lineage, a skill's name."""
    round: int = 0
    name: Redacted
    """What a person may type instead of the id."""
    project: Redacted = Redacted("")
    title: Redacted
    body: Redacted
    """Markdown, as it is shown."""
    target: Redacted = Redacted("")
    """What it would change, for people; empty: nothing by itself."""
    evidence: tuple[str, ...] = ()
    """Ids of the records it rests on, sorted."""
    evidence_digest: str = ""
    """`evidence_digest` of those records as they were."""
    session_ids: tuple[Redacted, ...] = ()
    payload: dict[str, Any] = {}
    """JSON of the kind's own model; redacted throughout."""
    created_at: datetime
    state: ProposalState = "pending"
    edit: Edit | None = None
    decisions: tuple[Decision, ...] = ()
    superseded_by: str = ""

    @property
    def shown_title(self) -> Redacted:
        """The title, in the reviewer's wording if there is one."""
        return self.edit.title if self.edit else self.title

    @property
    def shown_body(self) -> Redacted:
        """The body, in the reviewer's wording if there is one."""
        return self.edit.body if self.edit else self.body


def proposal_id(kind: ProposalKind, project: str, key: str, round_: int = 0) -> str:
    """The `kh-` id of a proposal: the same for the same matter, whatever its text and evidence are by now."""
    return make_id("proposal", kind, project, key, str(round_))


def review_digest(proposal: Proposal) -> str:
    """SHA-256 (64 hex digits) of all that a reviewer is shown: texts, target, payload and the evidence as it was."""
    seen = [
        proposal.kind,
        proposal.project,
        proposal.shown_title,
        proposal.shown_body,
        proposal.target,
        proposal.payload,
        list(proposal.evidence),
        proposal.evidence_digest,
    ]
    return hashlib.sha256(to_json(seen)).hexdigest()


def evidence_digest(versions: Iterable[tuple[str, str]]) -> str:
    """SHA-256 (64 hex digits) over (record id, record digest) pairs, in any order."""
    return hashlib.sha256(to_json(sorted([record_id, digest] for record_id, digest in versions))).hexdigest()


def decide(proposal: Proposal, decision: Decision) -> Proposal:
    """The proposal after a decision. `decision.seen`: the digest of what the reviewer saw, or at least its first eight digits.

    Raises
    ------
    ReviewError
        Its state does not allow that.
    StaleReviewError
        It reads differently by now.
    """
    if decision.verdict not in _ALLOWED[proposal.state]:
        raise ReviewError(f"{proposal.name} is {proposal.state} already{_by_whom(proposal)}; {_advice(proposal)}")
    digest, seen = review_digest(proposal), decision.seen.lower()
    if len(seen) < SHORTEST_SEEN or not digest.startswith(seen):
        raise StaleReviewError(
            f"{proposal.name} has changed since you read it (seen {seen[:12] or 'nothing'}, now {digest[:12]}). "
            f"`diarist review show {proposal.name}` shows what it says now."
        )
    made = msgspec.structs.replace(decision, seen=digest)
    return msgspec.structs.replace(proposal, state=_STATE_AFTER[decision.verdict], decisions=(*proposal.decisions, made))


def reword(proposal: Proposal, *, title: Redacted, body: Redacted, who: Redacted, at: datetime) -> Proposal:
    """The pending proposal in a reviewer's wording. Raises ReviewError where it is decided already."""
    if proposal.state != "pending":
        raise ReviewError(f"{proposal.name} is {proposal.state} already{_by_whom(proposal)}; {_advice(proposal)}")
    return msgspec.structs.replace(proposal, edit=Edit(title=title, body=body, who=who, at=at))


def _by_whom(proposal: Proposal) -> str:
    last = proposal.decisions[-1] if proposal.decisions else None
    return f" (by {last.who} on {last.at:%Y-%m-%d})" if last else ""


def _advice(proposal: Proposal) -> str:
    if proposal.state == "superseded":
        why = "" if proposal.superseded_by or not proposal.decisions else proposal.decisions[-1].why
        return f"{why}." if why else f"{proposal.superseded_by or 'a newer one'} took its place."
    if proposal.state == "pending":
        return "it is still open, so there is nothing to take back."
    return f"`diarist review reopen {proposal.name}` takes that back."
