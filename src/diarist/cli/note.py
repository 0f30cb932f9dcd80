"""`diarist note add|edit`."""

from __future__ import annotations

import click

from diarist.cli.common import current_project, emit_json, json_option, open_workspace, read_text, say


@click.group("note")
def note_command() -> None:
    """Curated notes: what a person wants kept and found."""


@note_command.command("add")
@click.argument("source", metavar="FILE|-")
@click.option("--title", required=True)
@click.option("--tag", "tags", multiple=True, help="May be repeated.")
@click.option("--project", help="Default: the project of this folder.")
@click.option("--workflow", default="", help="What it is noted on: `diarist trail` shows it there.")
@click.option("--agent", default="", help="The agent that notes it, if it is one.")
@json_option
@click.pass_context
def add_command(
    ctx: click.Context, /, source: str, title: str, tags: tuple[str, ...], project: str | None, workflow: str, agent: str, as_json: bool
) -> None:
    """Add a note; its text comes from FILE or standard input."""
    memory = open_workspace(ctx)
    where = current_project() if project is None else project
    record = memory.add_note(title=title, body=read_text(source), tags=tags, project=where, workflow=workflow, agent=agent)
    if as_json:
        emit_json({"id": record.id, "title": record.title, "project": record.project})
    else:
        say(f"Added {record.id}: {record.title}")


@note_command.command("edit")
@click.argument("wanted", metavar="ID")
@click.argument("source", metavar="FILE|-")
@click.option("--title", help="Default: as it was.")
@click.option("--tag", "tags", multiple=True, help="Replaces the tags; may be repeated.")
@json_option
@click.pass_context
def edit_command(ctx: click.Context, /, wanted: str, source: str, title: str | None, tags: tuple[str, ...], as_json: bool) -> None:
    """Replace the text of a note; history keeps what it was."""
    memory = open_workspace(ctx)
    record = memory.edit_note(wanted, body=read_text(source), title=title, tags=tags or None)
    if as_json:
        emit_json({"id": record.id, "title": record.title, "project": record.project})
    else:
        say(f"Changed {record.id}: {record.title}")
