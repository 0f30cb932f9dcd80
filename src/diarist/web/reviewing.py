"""Review: the queue, one proposal with its evidence beside it, the decision. Reports, skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from diarist.asgi.problems import Problem
from diarist.asgi.reading import body_of
from diarist.errors import DiaristError, NotFoundError, ReviewError
from diarist.model.codec import from_json
from diarist.model.proposal import review_digest
from diarist.model.record import RecordFilter
from diarist.model.theme import Draft
from diarist.web.page import Go, Raw, Shown, Visit
from diarist.web.render import diff_lines

if TYPE_CHECKING:
    from diarist.model.proposal import Proposal, ProposalState, Verdict
    from diarist.model.record import Record

STATES = ("pending", "accepted", "rejected", "superseded")
SHOWN = 40
REPORTS = "syntheses"


def queue(visit: Visit) -> Shown:
    """What waits, or what was decided."""
    state = visit.query.get("state", "pending")
    state = state if state in STATES else "pending"
    found = visit.memory.proposals(states=(cast("ProposalState", state),))
    return Shown("queue.html", {"state": state, "states": STATES, "found": found[:200], "total": len(found)})


def show(visit: Visit, problem: str = "", status: int = 200) -> Shown:
    """One proposal: the difference or the text, what speaks for it and against it, the decision."""
    proposal = visit.memory.get_proposal(visit.ids["id"])
    against = visit.memory.objections(proposal.id) if proposal.kind == "skill" and proposal.state == "pending" else []
    counter = proposal.payload.get("counter_evidence", ()) if proposal.kind == "skill" else ()
    values = {
        "proposal": proposal,
        "digest": review_digest(proposal),
        "diff": diff_lines(visit.memory.diff(proposal)),
        "evidence": _records(visit, proposal.evidence),
        "counter": _records(visit, counter),
        "more": max(0, len(proposal.evidence) - SHOWN),
        "against": [*against, *visit.memory.review_warnings(proposal)],
        "problem": problem,
        "following": _following(visit, proposal),
    }
    return Shown("review.html", values, status)


def decide(visit: Visit) -> Shown | Go:
    """Carries a decision out on exactly what was read, then shows the next one."""
    verdict, why = visit.form.get("verdict", ""), visit.form.get("why", "")
    if verdict not in ("accept", "reject", "reopen"):
        raise Problem(422, "that is no decision")
    if verdict == "reject" and not why.strip():
        return show(visit, "Say why: the next draft learns from it.", 422)
    proposal = visit.memory.get_proposal(visit.ids["id"])
    following = _following(visit, proposal)
    try:
        visit.memory.decide(proposal.id, cast("Verdict", verdict), seen=visit.form.get("seen", ""), why=why, who=visit.who)
    except ReviewError as error:
        return show(visit, str(error), 409)
    if verdict == "reopen":
        return Go(f"/review/{proposal.id}")
    return Go(f"/review/{following}" if following else "/review")


def reword(visit: Visit) -> Go:
    """Puts a proposal into the reviewer's words."""
    body = visit.form.get("body", "").replace("\r\n", "\n")
    visit.memory.reword(visit.ids["id"], title=visit.form.get("title", ""), body=body)
    return Go(f"/review/{visit.ids['id']}")


def reports(visit: Visit) -> Shown:
    """Synthesis reports, newest first."""
    return Shown("reports.html", {"reports": [(record, from_json(record.body, Draft)) for record in _reports(visit)[:100]]})


def report(visit: Visit) -> Shown:
    """One report, made to be printed."""
    record, draft = _report(visit)
    return Shown("report.html", {"record": record, "draft": draft, "problem": ""})


def report_file(visit: Visit) -> Raw:
    """The report as Markdown, to save."""
    record, draft = _report(visit)
    headers = {"content-disposition": f"attachment; filename={record.id}.md"}
    return Raw((draft.text or draft.body).encode("utf-8", "replace"), "text/markdown; charset=utf-8", headers)


def approve(visit: Visit) -> Shown | Go:
    """Approves a report as a whole, exactly as it was written."""
    record, draft = _report(visit)
    written = visit.memory.get_report(record.id)
    if written is None:
        raise NotFoundError("there is no such report")
    try:
        visit.memory.approve_report(written, why=visit.form.get("why", ""), who=visit.who)
    except ReviewError as error:
        return Shown("report.html", {"record": record, "draft": draft, "problem": str(error)}, 409)
    return Go(f"/reports/{record.id}")


def draft(visit: Visit) -> Go:
    """Drafts a report over the last two weeks."""
    project = visit.caller.project if visit.caller.project is not None else visit.form.get("project") or None
    visit.memory.synthesize(since="14d", project=project, write=True)
    return Go("/reports")


def skills(visit: Visit) -> Shown:
    """Accepted skills, what later runs did with them, and whether that went well."""
    return Shown("skills.html", {"skills": visit.memory.skills()})


def skill(visit: Visit) -> Shown:
    """One accepted skill."""
    name = visit.ids["name"]
    found = visit.memory.get_skill(name)
    state = next((each for each in visit.memory.skills() if each.name == name), None)
    return Shown("skill.html", {"skill": found, "state": state, "evidence": _records(visit, found.evidence)})


def _records(visit: Visit, ids: Any) -> list[tuple[Record, str]]:
    """Records and the line that tells most of each."""
    found = []
    for each in list(ids)[:SHOWN]:
        try:
            record = visit.memory.get(each)
        except DiaristError:
            continue
        found.append((record, _gist(record)))
    return found


def _gist(record: Record) -> str:
    body = body_of(record)
    for name in ("learned", "rationale", "prompt", "body"):
        if isinstance(body.get(name), str) and body[name].strip():
            return str(body[name])[:400]
    return ""


def _following(visit: Visit, proposal: Proposal) -> str:
    """The proposal that comes after this one in the queue; "" after the last."""
    waiting = [each.id for each in visit.memory.proposals()]
    if proposal.id not in waiting:
        return waiting[0] if waiting else ""
    rest = waiting[waiting.index(proposal.id) + 1 :] + waiting[: waiting.index(proposal.id)]
    return rest[0] if rest else ""


def _reports(visit: Visit) -> list[Record]:
    return list(visit.memory.list_records(RecordFilter(kinds=("state",), namespace=REPORTS)))


def _report(visit: Visit) -> tuple[Record, Draft]:
    wanted = visit.ids["id"]
    for record in _reports(visit):
        if record.id == wanted:
            try:
                return record, from_json(record.body, Draft)
            except msgspec.ValidationError as error:
                raise NotFoundError("the report cannot be read") from error
    raise NotFoundError(f"there is no report {wanted[:40]}")
