"""`/v1/reviews`, `/v1/skills`: what waits for a person, and what a person accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from diarist.asgi.reading import iso
from diarist.errors import UsageError
from diarist.http_api.answered import Decided, Review, ReviewFull, Reviews, Ruling, SkillAnswer, SkillList, SkillText
from diarist.http_api.lists import page
from diarist.model.proposal import review_digest

if TYPE_CHECKING:
    from diarist.http_api.route import Call
    from diarist.model.proposal import Proposal


def list_reviews(call: Call) -> Reviews:
    """The review queue, newest first."""
    asked = call.query
    states = () if asked.state == "all" else (asked.state,)
    kinds = (asked.kind,) if asked.kind else ()
    found, cursor = page(call.memory.proposals(states=states, kinds=kinds), asked.cursor, asked.limit)
    return Reviews(reviews=[_review(call, each) for each in found], next_cursor=cursor)


def get_review(call: Call) -> ReviewFull:
    """A proposal as a reviewer reads it, with the diff it would make and what stands against it."""
    return review_of(call, call.memory.get_proposal(call.ids["id"]))


def decide(call: Call) -> Decided:
    """Accepts, rejects or reopens a proposal, exactly as it was read. A proposal that reads differently by now is a 409."""
    body = call.body
    made = call.memory.decide(
        call.ids["id"], body.verdict, seen=body.seen, why=body.why, who=call.caller.name if call.caller.key_id else ""
    )
    return Decided(id=made.id, state=made.state)


def reword(call: Call) -> ReviewFull:
    """Puts a pending proposal into a reviewer's own words."""
    body = call.body
    if body.title is None and body.body is None:
        raise UsageError("give a title, a body, or both")
    return review_of(call, call.memory.reword(call.ids["id"], title=body.title, body=body.body))


def list_skills(call: Call) -> SkillList:
    """Accepted skills, and what later runs did with them."""
    return SkillList(
        skills=[
            SkillAnswer(
                name=each.name,
                title=each.title,
                project=each.project,
                id=each.id,
                states=list(each.states),
                usage=msgspec.to_builtins(each.usage),
                accepted_at=iso(each.accepted_at),
            )
            for each in call.memory.skills()
        ]
    )


def get_skill(call: Call) -> SkillText:
    """SKILL.md of an accepted skill."""
    skill = call.memory.get_skill(call.ids["name"])
    return SkillText(name=skill.name, title=skill.title, description=skill.description, text=skill.text, evidence=list(skill.evidence))


def review_of(call: Call, proposal: Proposal) -> ReviewFull:
    """A proposal whole."""
    against = call.memory.objections(proposal.id) if proposal.kind == "skill" and proposal.state == "pending" else []
    return ReviewFull(
        id=proposal.id,
        name=proposal.name,
        kind=proposal.kind,
        state=proposal.state,
        project=proposal.project,
        title=proposal.shown_title,
        body=proposal.shown_body,
        target=proposal.target,
        diff=call.memory.diff(proposal),
        evidence=list(proposal.evidence),
        digest=review_digest(proposal),
        objections=[*against, *call.memory.review_warnings(proposal)],
        decisions=[Ruling(verdict=each.verdict, who=each.who, at=iso(each.at), why=each.why) for each in proposal.decisions],
        created_at=iso(proposal.created_at),
        url=f"{call.base_url}/review/{proposal.id}",
    )


def _review(call: Call, proposal: Proposal) -> Review:
    return Review(
        id=proposal.id,
        name=proposal.name,
        kind=proposal.kind,
        state=proposal.state,
        project=proposal.project,
        title=proposal.shown_title,
        target=proposal.target,
        evidence=len(proposal.evidence),
        created_at=iso(proposal.created_at),
        url=f"{call.base_url}/review/{proposal.id}",
    )
