"""`diarist skills`: accepted skills and skill folders."""

from __future__ import annotations

from pathlib import Path

import click

from diarist.cli.common import chosen_project, current_project, emit_json, here, json_option, open_workspace, say, table

_project = click.option("--project", help="Default: the project of this folder.")


@click.group("skills")
def skills_command() -> None:
    """Skills that a person accepted: whether they are in place, whether they help."""


@skills_command.command("list")
@_project
@click.option("--all-projects", is_flag=True, help="Those of every project.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, project: str | None, all_projects: bool, as_json: bool) -> None:
    """List accepted skills: in place, edited by hand, missing, shadowed or outdated, and what later runs did with them."""
    memory = open_workspace(ctx, read_only=True)
    where = chosen_project(project, all_projects)
    found = memory.skills(where, cwd=str(here()))
    if as_json:
        emit_json(found)
        return
    if not found:
        say(f"No skill was accepted yet{'' if where is None else ' in this project'}. `diarist patterns mine` proposes some.")
        return
    rows = [
        (
            each.name,
            ", ".join(each.states),
            f"{each.usage.offered}/{each.usage.loaded}/{each.usage.followed}",
            f"{each.usage.well}/{each.usage.badly}",
            each.title,
        )
        for each in found
    ]
    table(rows, ("name", "state", "offered/loaded/followed", "well/badly", "title"), (32, 18, 23, 10))


@skills_command.command("show")
@click.argument("name")
@_project
@json_option
@click.pass_context
def show_command(ctx: click.Context, /, name: str, project: str | None, as_json: bool) -> None:
    """Show an accepted skill as it was accepted."""
    memory = open_workspace(ctx, read_only=True)
    skill = memory.get_skill(name, current_project() if project is None else project)
    if as_json:
        emit_json(skill)
    else:
        say(skill.text)


@skills_command.command("accept")
@click.argument("name")
@click.option("--overwrite", "choice", flag_value="overwrite", help="Write over files that are in the way.")
@click.option("--keep", "choice", flag_value="keep", help="Leave files that are in the way as they are.")
@click.option("--seen", metavar="DIGEST", help="Digest that `review show` gave: refuse if it reads differently by now.")
@click.option("--why", default="", help="Reason, kept with the decision.")
@json_option
@click.pass_context
def accept_command(ctx: click.Context, /, name: str, choice: str | None, seen: str | None, why: str, as_json: bool) -> None:
    """Accept a skill proposal, as `review accept` does, and say what to do with files in the way."""
    memory = open_workspace(ctx)
    overwrite = None if choice is None else choice == "overwrite"
    proposal = memory.accept_skill(name, overwrite=overwrite, seen=seen, why=why, cwd=str(here()))
    written = [each for each in memory.skills(proposal.project, cwd=str(here())) if each.name == proposal.name]
    if as_json:
        emit_json({"name": proposal.name, "state": proposal.state, "skill": written})
        return
    say(f"Accepted {proposal.name}: {proposal.shown_title}")
    for each in written:
        for file in each.files:
            say(f"  {file} ({', '.join(each.states)})")
    if proposal.project and not any(each.files for each in written):
        say(f"No file was written: this folder is not of {proposal.project}. Run `diarist skills write` there.")


@skills_command.command("write")
@_project
@click.pass_context
def write_command(ctx: click.Context, /, project: str | None) -> None:
    """Write accepted skills whose files are missing here. Files that were edited stay as they are."""
    memory = open_workspace(ctx)
    written = memory.write_skills(current_project() if project is None else project, cwd=str(here()))
    for name in written:
        say(f"Wrote {name}")
    if not written:
        say("Everything is in place.")


@skills_command.command("validate")
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...")
@json_option
def validate_command(paths: tuple[str, ...], as_json: bool) -> int:
    """Check skill folders against the Agent Skills format, and what clients stumble over. Exit code 1 for an error."""
    from diarist.app.skill_check import validate_folder

    found = {path: validate_folder(Path(path)) for path in paths}
    if as_json:
        emit_json({path: [each._asdict() for each in findings] for path, findings in found.items()})
    else:
        for path, findings in found.items():
            for each in findings:
                say(f"{path}: {each.level}: {each.message} ({each.rule})")
            if not findings:
                say(f"{path}: good")
    return int(any(each.level == "error" for findings in found.values() for each in findings))


@skills_command.command("retire")
@click.argument("name")
@click.option("--why", default="", help="Reason, shown with the proposal.")
@_project
@json_option
@click.pass_context
def retire_command(ctx: click.Context, /, name: str, why: str, project: str | None, as_json: bool) -> None:
    """Propose that a skill goes. Accept the proposal to take it back and remove its files."""
    memory = open_workspace(ctx)
    proposal = memory.retire_skill(name, current_project() if project is None else project, why=why)
    if as_json:
        emit_json({"id": proposal.id, "name": proposal.name, "state": proposal.state})
    else:
        say(f"Filed {proposal.name}. `diarist review accept {proposal.name}` carries it out.")
