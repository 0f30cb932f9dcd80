"""Decisions of a person: on single proposals of any kind, and on a synthesis report as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.drafts import Written, check_unedited, load_draft, mark_approved, publish
from diarist.app.review import Ruling, decide_proposal, decide_within, get_proposal
from diarist.errors import ReviewError, StaleReviewError

if TYPE_CHECKING:
    from diarist.app.review import Effect
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal, ProposalKind


class Approved(NamedTuple):
    """A report that was approved, the themes that were accepted by it, and how many of them became lessons."""

    written: Written
    accepted: list[Proposal]
    lessons: int


def effect_of(kind: ProposalKind, cwd: str = "") -> Effect:
    """What decisions on proposals of this kind bring about. A new kind is one line here.

    Raises
    ------
    ReviewError
        Nothing carries out such proposals yet.
    """
    if kind == "theme":
        from diarist.app.lessons import ThemeEffect

        return ThemeEffect(cwd=cwd)
    if kind == "skill":
        from diarist.app.skills import SkillEffect

        return SkillEffect(cwd=cwd)
    if kind == "retirement":
        from diarist.app.skills import RetirementEffect

        return RetirementEffect(cwd=cwd)
    if kind == "edit":
        from diarist.app.edit_effect import EditEffect

        return EditEffect()
    raise ReviewError(f"this version of Diarist cannot carry out proposals of kind {kind!r}; they can only be listed and shown.")


def rule(box: Toolbox, wanted: str, ruling: Ruling, cwd: str = "") -> Proposal:
    """Decides on one proposal, by id, name or unique beginning.

    Raises
    ------
    NotFoundError, AmbiguousIdError, ReviewError, StaleReviewError
    """
    proposal = get_proposal(box.store, wanted)
    return decide_proposal(box, proposal, ruling, effect_of(proposal.kind, cwd))


def approve_report(box: Toolbox, written: Written, *, at: datetime, why: str = "", who: str = "", cwd: str = "") -> Approved:
    """Accepts every theme of a report that waits for review, exactly as the report tells it; themes decided before stay so.

    Raises
    ------
    StaleReviewError
        The file, a theme or an entry behind one changed since the report was drafted. Nothing is approved then.
    ReviewError
        It is approved already.
    """
    from diarist.app.lessons import ThemeEffect, makes_lesson

    draft = load_draft(box, written.record_id)
    if draft.approved:
        raise ReviewError(f"{written.file} was approved already, by {draft.approved_by} on {draft.approved_at:%Y-%m-%d}.")
    check_unedited(box, written.record_id, cwd)
    accepted = []
    redact = box.reader().redactor.redact
    with box.store.transaction(actor=redact(who or box.actor), at=at) as tx:
        for theme, (proposal, seen) in sorted(draft.themes.items()):
            waiting = get_proposal(box.store, proposal)
            if waiting.state == "superseded":
                raise StaleReviewError(f"{theme} is no longer in the newest report with these parameters. Read and approve that one.")
            if waiting.state == "pending":
                ruling = Ruling("accept", at, seen=seen, why=why, who=who)
                accepted.append(decide_within(box, tx, waiting, ruling, ThemeEffect(whole_report=True))[0])
        mark_approved(box, tx, written.record_id, who=redact(who or box.actor), why=redact(why), at=at)
    publish(box, written.record_id, cwd)
    return Approved(
        Written(written.record_id, load_draft(box, written.record_id), written.file), accepted, sum(map(makes_lesson, accepted))
    )
