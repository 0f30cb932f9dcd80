"""Accepted skills: what acceptance, retirement and undoing bring about; listing, use by later runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.admission import objections, skill_text
from diarist.app.mining import namespace_of, skill_of
from diarist.app.review import file_proposal, list_proposals
from diarist.app.skill_records import find_skill, get_skill, list_skills, put_skill, replaced_skill, skill_id
from diarist.app.skill_use import usages_of
from diarist.app.skillfolders import Place, diff, places, remove_skill, shadows, skill_roots, write_skill
from diarist.errors import UsageError
from diarist.model.codec import from_json
from diarist.model.observation import NAMESPACE
from diarist.model.proposal import Decision, Proposal
from diarist.model.record import Record
from diarist.model.redacted import derived
from diarist.model.skill import FILE, AcceptedSkill, SkillUsage

if TYPE_CHECKING:
    from diarist.app.review import Filed, Finish
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

FEWEST_TO_JUDGE = 4
"""Sessions that must have loaded a skill before it can be said not to help."""
FEWEST_OFFERED = 30
"""Sessions a skill may have been offered to in vain."""
FEWEST_RUNS = 300
"""Runs of its project that a skill may lie unused."""


class SkillEffect:
    """Implements `app.review.Effect` for proposals of kind skill.

    `overwrite`: what the reviewer chose for files that somebody else wrote or edited: True overwrites them, False leaves them,
    None refuses.
    """

    def __init__(self, *, cwd: str = "", overwrite: bool | None = None) -> None:
        self._cwd = cwd
        self._overwrite = overwrite

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """Admission, and files in the way."""
        reasons = objections(box, proposal)
        checkout = checkout_of(box, proposal.project, self._cwd)
        if checkout is None or self._overwrite is not None:
            return reasons
        for each in places(box, checkout, _accepted(box, proposal, None)):
            if each.place in ("edited", "foreign"):
                who = "was edited since Diarist wrote it" if each.place == "edited" else "was not written by Diarist"
                how = f"`diarist skills accept {proposal.name} --overwrite` or `--keep`"
                reasons.append(f"{each.name} {who}; decide with {how}. The difference:\n{each.diff}")
        return reasons

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Keeps the skill; its files follow once that is committed."""
        skill = _accepted(box, proposal, decision)
        put_skill(tx, skill, proposal.project, at=decision.at, action="accept")
        return self._writing(box, skill, proposal.project)

    def _writing(self, box: Toolbox, skill: AcceptedSkill, project: str) -> Finish:
        def write() -> None:
            checkout = checkout_of(box, project, self._cwd)
            if checkout is not None:
                write_skill(box, checkout, skill, overwrite=bool(self._overwrite))

        return write

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Brings back the version that it replaced; else retracts the skill. Files follow, unless they were edited."""
        skill = find_skill(box.store, proposal.project, skill_of(proposal).name, namespace_of(proposal))
        if skill is None or skill.proposal_id != proposal.id:
            return None
        before = replaced_skill(box.store, skill_id(proposal.project, skill.name, skill.namespace), proposal.id)
        if before is None:
            return _retract(box, tx, skill, proposal.project, self._cwd)
        old = msgspec.structs.replace(before, written=tuple(dict.fromkeys((*before.written, *skill.written))))
        put_skill(tx, old, proposal.project, at=decision.at, action="restore")
        return self._writing(box, old, proposal.project)


class RetirementEffect:
    """Implements `app.review.Effect` for proposals of kind retirement."""

    def __init__(self, *, cwd: str = "") -> None:
        self._cwd = cwd

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """There must still be something to retire."""
        return [] if self._skill(box, proposal) is not None else ["the skill is not there any more"]

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:  # noqa: ARG002 - of the protocol
        """Retracts the skill and removes its files, unless they were edited."""
        skill = self._skill(box, proposal)
        return None if skill is None else _retract(box, tx, skill, proposal.project, self._cwd)

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:  # noqa: ARG002 - of the protocol
        """Brings the skill back."""
        record = box.store.get_record(str(proposal.payload.get("record", "")))
        if record is None:
            return None
        tx.set_status(record.id, "active", action="restore")
        skill = from_json(record.body, AcceptedSkill)

        def write() -> None:
            checkout = checkout_of(box, proposal.project, self._cwd)
            if checkout is not None:
                write_skill(box, checkout, skill)

        return write

    def _skill(self, box: Toolbox, proposal: Proposal) -> AcceptedSkill | None:
        record = box.store.get_record(str(proposal.payload.get("record", "")))
        return from_json(record.body, AcceptedSkill) if record is not None and record.status == "active" else None


def _retract(box: Toolbox, tx: Transaction, skill: AcceptedSkill, project: str, cwd: str) -> Finish:
    tx.set_status(skill_id(project, skill.name, skill.namespace), "retracted", action="retract")

    def remove() -> None:
        checkout = checkout_of(box, project, cwd)
        if checkout is not None:
            remove_skill(box, checkout, skill)

    return remove


def _accepted(box: Toolbox, proposal: Proposal, decision: Decision | None) -> AcceptedSkill:
    skill = skill_of(proposal)
    text = skill_text(proposal)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    record = box.store.get_record(skill_id(proposal.project, skill.name, namespace_of(proposal)))
    before = from_json(record.body, AcceptedSkill).written if record is not None else ()
    return AcceptedSkill(
        name=skill.name,
        title=proposal.shown_title,
        description=skill.description,
        proposal_id=proposal.id,
        namespace=namespace_of(proposal),
        evidence=skill.evidence,
        examples=skill.examples,
        text=text,
        digest=digest,
        written=tuple(dict.fromkeys((*before, digest))) if decision is not None else before,
        accepted_at=decision.at if decision is not None else proposal.created_at,
        accepted_by=decision.who if decision is not None else derived(""),
        tools=tuple(step.tool for step in skill.steps if not step.optional),
    )


def difference(box: Toolbox, proposal: Proposal) -> str:
    """What acceptance would change in the accepted skill of the same name, as a unified diff; empty where there is none."""
    known = find_skill(box.store, proposal.project, skill_of(proposal).name, namespace_of(proposal))
    return "" if known is None else diff(FILE, known.text, skill_text(proposal))


def checkout_of(box: Toolbox, project: str, cwd: str = "") -> Path | None:
    """Where the project lies on this machine, if that is known."""
    from diarist.app.targets import find_checkout

    try:
        return find_checkout(box, project, cwd)
    except UsageError:
        return None


# --- listing --------------------------------------------------------------------------------------------------------------


class SkillState(NamedTuple):
    """An accepted skill as it stands. `states`: accepted, or what is the matter with it."""

    name: str
    title: str
    project: str
    id: str
    states: tuple[str, ...]
    """accepted | edited | missing | foreign | shadowed | outdated"""
    usage: SkillUsage
    files: tuple[str, ...]
    accepted_at: datetime


def skill_states(box: Toolbox, project: str | None, cwd: str = "") -> list[SkillState]:
    """Every accepted skill: whether its files are there and as accepted, what hides it, and whether later runs used it."""
    newer = {(each.project, skill_of(each).name) for each in list_proposals(box.store, kinds=("skill",), project=project)}
    found = []
    listed = list_skills(box.store, project)
    usages = usages_of(box.store, listed)
    for record, skill in listed:
        checkout = checkout_of(box, record.project, cwd)
        stand = places(box, checkout, skill) if checkout is not None else []
        states = _states([each.place for each in stand], known=checkout is not None)
        if shadows(skill.name, box.settings.home, skill_roots(box)):
            states.append("shadowed")
        if (record.project, skill.name) in newer or any(each.place == "ours" for each in stand):
            states.append("outdated")
        found.append(
            SkillState(
                skill.name,
                skill.title,
                record.project,
                record.id,
                tuple(states or ["accepted"]),
                usages[record.id],
                tuple(each.name for each in stand),
                skill.accepted_at,
            )
        )
    return found


def _states(stand: Sequence[Place], *, known: bool) -> list[str]:
    if not known:
        return ["missing"]
    states = []
    for place, state in (("missing", "missing"), ("edited", "edited"), ("foreign", "foreign")):
        if place in stand:
            states.append(state)
    return states


def write_missing(box: Toolbox, project: str | None, cwd: str = "") -> list[str]:
    """Writes accepted skills whose files are missing or are an older text of ours; files that were edited stay as they are."""
    written = []
    for record, skill in list_skills(box.store, project):
        checkout = checkout_of(box, record.project, cwd)
        if checkout is not None:
            written += write_skill(box, checkout, skill)
    return written


# --- retirement -----------------------------------------------------------------------------------------------------------

_RETIRED = "Accepting this takes the skill back and removes its files. A file that was edited since stays as it is, for you to delete."


def propose_retirement(box: Toolbox, tx: Transaction, record: Record, skill: AcceptedSkill, why: str, at: datetime) -> Filed:
    """Files that a skill should go. A person decides."""
    new = Proposal(
        id="",
        kind="retirement",
        key=f"{skill.namespace}/{skill.name}" if skill.namespace != NAMESPACE else skill.name,
        name=derived(f"retire-{skill.name}"),
        project=record.project,
        title=derived(f"Retire the skill {skill.name}"),
        body=derived(f"# Retire the skill {skill.name}\n\n{why}\n\n{_RETIRED}\n"),
        target=derived(f"the skill {skill.name}"),
        payload={"record": record.id, "name": skill.name, "accepted_at": skill.accepted_at.isoformat()},
        created_at=at,
    )
    return file_proposal(box, tx, new, at=at, reopens=lambda old, fresh: old.payload.get("accepted_at") != fresh.payload.get("accepted_at"))


def retire(box: Toolbox, name: str, project: str | None, *, why: str, at: datetime) -> Proposal:
    """Files a retirement that a person wants. Raises NotFoundError."""
    record, skill = get_skill(box.store, name, project)
    reason = box.reader().redactor.redact(why.strip()) or "A person asked for it."
    with box.store.transaction(actor=box.actor, at=at) as tx:
        return propose_retirement(box, tx, record, skill, reason, at).proposal


def review_usefulness(box: Toolbox, project: str, at: datetime) -> list[Proposal]:
    """Files a retirement for each skill of a project that stopped helping."""
    filed = []
    listed = list_skills(box.store, project)
    usages = usages_of(box.store, listed)
    for record, skill in listed:
        why = _against(usages[record.id])
        if why:
            with box.store.transaction(actor=box.actor, at=at) as tx:
                filed.append(propose_retirement(box, tx, record, skill, why, at).proposal)
    return filed


def _against(usage: SkillUsage) -> str:
    recently = usage.recently_well + usage.recently_badly
    if recently >= FEWEST_TO_JUDGE and usage.recently_badly > usage.recently_well:
        return f"Of the last {recently} sessions that loaded it, {usage.recently_badly} ended badly and {usage.recently_well} well."
    if usage.objections >= 2 and usage.objections > usage.well:
        return f"It was called harmful or refuted {usage.objections} times."
    if usage.offered >= FEWEST_OFFERED and not usage.loaded:
        return f"It was offered to {usage.offered} sessions and none loaded it."
    if usage.runs >= FEWEST_RUNS and not usage.loaded:
        return f"None of the {usage.runs:,} runs since it was accepted loaded it."
    return ""
