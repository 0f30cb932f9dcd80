"""`diarist review list|show|accept|reject|reopen|edit|revert-targets`: the one queue of what waits for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import count, current_project, emit_json, here, json_option, open_workspace, read_text, say, table

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.model.proposal import Proposal, Verdict

STATES = ("pending", "accepted", "rejected", "superseded")
KINDS = ("theme", "skill", "edit", "retirement")


@click.group("review")
def review_command() -> None:
    """Decide on what Diarist proposes: themes, skills, edits and retirements."""


@review_command.command("list")
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="May be repeated; default: pending.")
@click.option("--all", "everything", is_flag=True, help="In every state.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="May be repeated.")
@click.option("--project", help="Only this project's.")
@json_option
@click.pass_context
def list_command(
    ctx: click.Context, /, states: tuple[str, ...], everything: bool, kinds: tuple[str, ...], project: str | None, as_json: bool
) -> None:
    """List what waits for review, newest first."""
    memory = open_workspace(ctx, read_only=True)
    wanted: Any = () if everything else states or ("pending",)
    chosen: Any = kinds
    found = memory.proposals(states=wanted, kinds=chosen, project=project)
    if as_json:
        emit_json([_listed(each) for each in found])
        return
    if not found:
        say("Nothing waits for review." if not (everything or states or kinds or project) else "No proposal passes this filter.")
        return
    rows = [(each.name, each.kind, each.state, f"{len(each.evidence)}", f"{each.created_at:%Y-%m-%d}", each.shown_title) for each in found]
    table(rows, ("name", "kind", "state", "entries", "since", "title"), (22, 10, 10, 7, 10))
    say(f"{count(len(found), 'proposal')}. `diarist review show NAME` shows one.")


@review_command.command("show")
@click.argument("wanted", metavar="NAME")
@json_option
@click.pass_context
def show_command(ctx: click.Context, /, wanted: str, as_json: bool) -> None:
    """Show one proposal: NAME, its id, or the beginning of either."""
    from diarist.model.proposal import review_digest

    memory = open_workspace(ctx, read_only=True)
    proposal = memory.get_proposal(wanted)
    if as_json:
        emit_json({"digest": review_digest(proposal), "proposal": proposal, "warnings": memory.review_warnings(proposal)})
        return
    say(f"{proposal.kind} {proposal.name} ({proposal.id}), {proposal.state}; project {proposal.project or 'none'}")
    say(f"digest: {review_digest(proposal)}")
    for warning in memory.review_warnings(proposal):
        say(f"⚠ {warning}")
    if proposal.target:
        say(f"would change: {proposal.target}")
    say()
    if proposal.kind == "skill":
        from diarist.cli.patterns import tell_skill

        tell_skill(memory, proposal)
    else:
        say(f"# {proposal.shown_title}\n\n{proposal.shown_body}" if proposal.edit or proposal.kind != "theme" else proposal.shown_body)
    for decision in proposal.decisions:
        why = f": {decision.why}" if decision.why else ""
        say(f"{decision.at:%Y-%m-%d %H:%M} UTC  {decision.verdict} by {decision.who}{why}")


def _verdict_options(command: Any) -> Any:
    for option in (
        click.option("--why", default="", help="Reason, kept with the decision."),
        click.option("--by", "who", default="", help="Who decides; default: the actor of this workspace."),
        click.option("--seen", metavar="DIGEST", help="Digest that `review show` gave: refuse if it reads differently by now."),
        json_option,
    ):
        command = option(command)
    return command


@review_command.command("accept")
@click.argument("wanted", metavar="NAME")
@_verdict_options
@click.pass_context
def accept_command(ctx: click.Context, /, wanted: str, why: str, who: str, seen: str | None, as_json: bool) -> None:
    """Accept one proposal, or a whole synthesis report by its file or date (2026-03-15)."""
    from diarist.cli.synthesize import lessons_made

    memory = open_workspace(ctx)
    cwd = str(here())
    written = memory.get_report(wanted, project=current_project(), cwd=cwd)
    if written is None:
        _told(memory, wanted, "accept", {"why": why, "who": who, "seen": seen, "cwd": cwd}, as_json)
        return
    approved = memory.approve_report(written, why=why, who=who, cwd=cwd)
    if as_json:
        emit_json({"path": str(written.file), "approved": True, "accepted": [each.name for each in approved.accepted]})
    else:
        say(f"Approved: {written.file} ({lessons_made(approved.lessons)})")


@review_command.command("reject")
@click.argument("wanted", metavar="NAME")
@_verdict_options
@click.pass_context
def reject_command(ctx: click.Context, /, wanted: str, why: str, who: str, seen: str | None, as_json: bool) -> None:
    """Reject one proposal. It stays away until its evidence has materially changed."""
    _told(open_workspace(ctx), wanted, "reject", {"why": why, "who": who, "seen": seen, "cwd": str(here())}, as_json)


@review_command.command("reopen")
@click.argument("wanted", metavar="NAME")
@_verdict_options
@click.pass_context
def reopen_command(ctx: click.Context, /, wanted: str, why: str, who: str, seen: str | None, as_json: bool) -> None:
    """Take a decision back: the proposal waits again, and what its acceptance wrote is undone."""
    _told(open_workspace(ctx), wanted, "reopen", {"why": why, "who": who, "seen": seen, "cwd": str(here())}, as_json)


@review_command.command("edit")
@click.argument("wanted", metavar="NAME")
@click.argument("source", metavar="[FILE|-]", required=False)
@click.option("--title", help="Default: as it is.")
@json_option
@click.pass_context
def edit_command(ctx: click.Context, /, wanted: str, source: str | None, title: str | None, as_json: bool) -> None:
    """Put a pending proposal into your own words; what you accept then is that."""
    if source is None and title is None:
        raise click.UsageError("give a FILE (or - for standard input), a --title, or both.")
    memory = open_workspace(ctx)
    proposal = memory.reword(wanted, title=title, body=None if source is None else read_text(source))
    _say_one(proposal, "Changed", as_json)


@review_command.command("revert-targets")
@click.option("--project", help="Default: the project of this folder.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def revert_command(ctx: click.Context, /, project: str | None, yes: bool) -> int:
    """Take the last `--write-targets` back: each file's block becomes what it was before."""
    from diarist.cli.synthesize import write_changes

    memory = open_workspace(ctx)
    where = current_project() if project is None else project
    changes = memory.plan_targets(where, cwd=str(here()), revert=True)
    if not changes:
        say("There is nothing to take back.")
        return 0
    return write_changes(memory, where, changes, yes=yes, revert=True)


def _told(memory: Memory, wanted: str, verdict: Verdict, how: dict[str, Any], as_json: bool) -> None:
    words = {"accept": "Accepted", "reject": "Rejected", "reopen": "Open again:", "supersede": "Superseded"}
    _say_one(memory.decide(wanted, verdict, **how), words[verdict], as_json)


def _say_one(proposal: Proposal, word: str, as_json: bool) -> None:
    if as_json:
        emit_json(_listed(proposal))
    else:
        say(f"{word} {proposal.kind} {proposal.name}: {proposal.shown_title}")


def _listed(proposal: Proposal) -> dict[str, Any]:
    from diarist.model.proposal import review_digest

    return {
        "id": proposal.id,
        "name": proposal.name,
        "kind": proposal.kind,
        "state": proposal.state,
        "project": proposal.project,
        "title": proposal.shown_title,
        "target": proposal.target,
        "evidence": proposal.evidence,
        "digest": review_digest(proposal),
        "decisions": proposal.decisions,
        "created_at": proposal.created_at,
    }
