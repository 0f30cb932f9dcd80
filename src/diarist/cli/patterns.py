"""`diarist patterns`: what runs had in common, as proposals of skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import (
    chosen_project,
    count,
    current_project,
    emit_json,
    here,
    json_option,
    open_workspace,
    parse_time,
    read_text,
    say,
    table,
)
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.model.proposal import Proposal

_project = click.option("--project", help="Default: the project of this folder.")


@click.group("patterns")
def patterns_command() -> None:
    """Find what finished runs had in common and draft skills from it. Nothing is written before a person agrees."""


@patterns_command.command("mine")
@click.option(
    "--window", "window", type=click.FloatRange(min=0, min_open=True), default=14, show_default=True, metavar="DAYS", help="How far back."
)
@click.option("--support", type=click.IntRange(2), default=3, show_default=True, help="Distinct sessions a habit needs.")
@_project
@click.option("--all-projects", is_flag=True, help="Every project, each for itself.")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed; write nothing.")
@click.option("--now", metavar="TIME", help="Pretend it is this time, for replays (2026-11-30T12:00, UTC).")
@json_option
@click.pass_context
def mine_command(
    ctx: click.Context,
    /,
    window: float,
    support: int,
    project: str | None,
    all_projects: bool,
    dry_run: bool,
    now: str | None,
    as_json: bool,
) -> None:
    """Look for habits in the runs of the last days and file them for review."""
    if all_projects and project is not None:
        raise UsageError("give --project or --all-projects, not both")
    memory = open_workspace(ctx, read_only=dry_run)
    where = chosen_project(project, all_projects)
    if where is not None and not memory.learning(where).enabled:
        say("Learning is disabled for this project; these waited already. `diarist patterns enable` switches it on.", err=True)
    moment = parse_time(now, "--now") if now else None
    cwd = str(here()) if project is None and not all_projects else ""
    found = memory.mine_patterns(now=moment, window_days=window, support=support, project=where, write=not dry_run, cwd=cwd)
    _tell(memory, found, as_json, "would be proposed" if dry_run else "waiting for review")


@patterns_command.command("list")
@_project
@click.option("--all-projects", is_flag=True, help="Those of every project.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, project: str | None, all_projects: bool, as_json: bool) -> None:
    """List the skill proposals that wait for review, with what stands in the way of each."""
    memory = open_workspace(ctx, read_only=True)
    where = chosen_project(project, all_projects)
    found = sorted(memory.proposals(kinds=("skill",), project=where), key=lambda each: (-len(each.session_ids), each.name, each.id))
    _tell(memory, found, as_json, "waiting for review", elsewhere=where is not None and bool(memory.proposals(kinds=("skill",))))


@patterns_command.command("propose")
@click.argument("source", metavar="FILE|-")
@click.option("--evidence", "evidence", multiple=True, required=True, metavar="ID", help="Record it rests on; may be repeated.")
@_project
@json_option
@click.pass_context
def propose_command(ctx: click.Context, /, source: str, evidence: tuple[str, ...], project: str | None, as_json: bool) -> None:
    """File a skill of your own (a SKILL.md) for review, with the records it rests on."""
    from diarist.app.mining import Curated
    from diarist.errors import InvalidInputError
    from diarist.stages.skillfile import parse_skill

    memory = open_workspace(ctx)
    parsed = parse_skill(read_text(source))
    name, description = parsed.fields.get("name"), parsed.fields.get("description")
    if not isinstance(name, str) or not isinstance(description, str):
        raise InvalidInputError("the frontmatter needs a name and a description")
    title = next((line.lstrip("# ") for line in parsed.body.splitlines() if line.startswith("#")), name)
    where = current_project() if project is None else project
    filed = memory.propose_skill(
        Curated(name=name, title=title, description=description, body=parsed.body.strip() + "\n", evidence=evidence, project=where)
    )
    if as_json:
        emit_json({"id": filed.proposal.id, "name": filed.proposal.name, "what": filed.what})
    else:
        say(f"Filed {filed.proposal.name} ({filed.what}). `diarist review show {filed.proposal.name}` shows it.")


@patterns_command.command("enable")
@_project
@click.pass_context
def enable_command(ctx: click.Context, /, project: str | None) -> None:
    """Learn from this project's runs (the default)."""
    _switch(ctx, project, enabled=True)


@patterns_command.command("disable")
@_project
@click.pass_context
def disable_command(ctx: click.Context, /, project: str | None) -> None:
    """Stop: no run of this project is observed or mined any more. What was learned stays."""
    _switch(ctx, project, enabled=False)


def _switch(ctx: click.Context, project: str | None, *, enabled: bool) -> None:
    where = current_project() if project is None else project
    open_workspace(ctx).set_learning(enabled, where)
    say(f"Learning is {'on' if enabled else 'off'} for {where or 'runs without a project'}.")


def _tell(memory: Memory, found: list[Proposal], as_json: bool, what: str, *, elsewhere: bool = False) -> None:
    """Prints proposals. `elsewhere`: other projects have some."""
    if as_json:
        emit_json([_as_row(memory, each) for each in found])
        return
    if not found:
        say(f"No skill proposal is {what}{' in this project; --all-projects shows others' if elsewhere else ''}.")
        return
    rows = [(each.name, str(len(each.session_ids)), str(each.payload.get("failed", 0)), each.shown_title) for each in found]
    table(rows, ("name", "sessions", "failed", "title"), (40, 8, 6))
    for each in found:
        for reason in _objections(memory, each):
            say(f"  {each.name}: {reason.splitlines()[0]}")
    say(f"{count(len(found), 'proposal')} {what}. `diarist review show NAME` shows one, `review accept NAME` makes it a skill.")


def tell_skill(memory: Memory, proposal: Proposal) -> None:
    """A proposed skill as its reviewer needs it: text, what it rests on, what stands in the way, what it would replace."""
    if not proposal.shown_body.lstrip().startswith("#"):
        say(f"# {proposal.shown_title}\n")
    say(proposal.shown_body.rstrip() + "\n")
    counter = set(proposal.payload.get("counter_evidence", ()))
    quotes = {quote["id"]: quote["text"] for quote in proposal.payload.get("quotes", ())}
    say(f"It rests on {count(len(proposal.session_ids), 'session')} that did not fail; {proposal.payload.get('failed', 0)} failed at it.")
    for each in proposal.evidence:
        quote = f'  "{quotes[each]}"' if each in quotes else ""
        say(f"  {each}{'  (failed)' if each in counter else ''}{quote}")
    say()
    if proposal.state == "pending":
        difference = memory.skill_difference(proposal.id)
        if difference:
            say(f"It would replace the accepted {proposal.name}. The difference:\n{difference}")
        for reason in _objections(memory, proposal):
            say(f"It cannot be accepted as it is: {reason}")


def _objections(memory: Memory, proposal: Proposal) -> list[str]:
    from diarist.errors import NotFoundError

    try:
        return memory.objections(proposal.id)
    except NotFoundError:
        return []  # not filed: a dry run


def _as_row(memory: Memory, proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "name": proposal.name,
        "title": proposal.shown_title,
        "body": proposal.shown_body,
        "project": proposal.project,
        "support": len(proposal.session_ids),
        "failed": proposal.payload.get("failed", 0),
        "session_ids": proposal.session_ids,
        "evidence": proposal.evidence,
        "objections": _objections(memory, proposal),
    }
