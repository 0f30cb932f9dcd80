"""`diarist hub fetch|edit|list|node|history|revert`: documents of the hub, by path and id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, current_project, emit_json, json_option, open_workspace, read_text, say

if TYPE_CHECKING:
    from diarist.app.documents import Edited


@click.group("hub")
def hub_command() -> None:
    """Documents of the hub: curated notes and diaries alike."""


@hub_command.command("fetch")
@click.argument("wanted", metavar="ID")
@json_option
@click.pass_context
def fetch_command(ctx: click.Context, /, wanted: str, as_json: bool) -> None:
    """Print one document as Markdown."""
    from diarist.app.documents import path_of

    memory = open_workspace(ctx, read_only=True)
    record = memory.get(wanted)
    text = memory.markdown(record.id)
    if as_json:
        emit_json({"id": record.id, "path": path_of(record), "title": record.title, "revision": record.revision, "body": text})
    else:
        say(text)


@hub_command.command("edit")
@click.argument("path")
@click.argument("source", metavar="FILE|-")
@click.option("--title", required=True)
@click.option("--tag", "tags", multiple=True, help="May be repeated.")
@click.option("--related", multiple=True, metavar="ID", help="Id of another document; may be repeated.")
@click.option("--source-type", default="", help="diary, note, …")
@click.option("--actor", default="", help="Who wrote it; default: you.")
@click.option("--base-revision", type=click.IntRange(0), help="Revision it was made on; refuse where that is another by now.")
@click.option("--project", help="Default: the project of this folder.")
@json_option
@click.pass_context
def edit_command(
    ctx: click.Context,
    /,
    path: str,
    source: str,
    title: str,
    tags: tuple[str, ...],
    related: tuple[str, ...],
    source_type: str,
    actor: str,
    base_revision: int | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Write the document at PATH. Below an auto-merge prefix (diaries/) it lands at once; elsewhere it waits for review."""
    from diarist.app.documents import Edit

    memory = open_workspace(ctx)
    where = current_project() if project is None else project
    edit = Edit(path, title, read_text(source), tags, source_type, related, actor, base_revision, project=where)
    _told(memory.edit_document(edit), as_json)


@hub_command.command("list")
@click.argument("prefix", required=False, default="")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, prefix: str, as_json: bool) -> None:
    """Show the scope tree, or the part of it below PREFIX."""
    from diarist.app.graph import SHOWN, in_scope, scope_of

    memory = open_workspace(ctx, read_only=True)
    counts: dict[str, int] = {}
    for scope in memory.scopes():
        place = scope_of(scope.kind, scope.project, scope.agent)
        if scope.kind in SHOWN and in_scope(place, prefix):
            counts[place] = counts.get(place, 0) + scope.records
    if as_json:
        emit_json([{"scope": place, "documents": number} for place, number in sorted(counts.items())])
        return
    for place, number in sorted(counts.items()):
        say(f"{number:>8,}  {place}")
    if not counts:
        say("Nothing there. `diarist ingest` brings the sessions on this machine in.")


@hub_command.command("node")
@click.argument("wanted", metavar="ID")
@click.option("--supersedes", metavar="ID", help="Say that it replaces this earlier record.")
@click.option("--does-not-supersede", "stands", metavar="ID", help="Say that it does not: both hold, whatever their texts seem to say.")
@click.option("--undecided", metavar="ID", help="Take back what was said of the two: their texts decide.")
@json_option
@click.pass_context
def node_command(
    ctx: click.Context, /, wanted: str, supersedes: str | None, stands: str | None, undecided: str | None, as_json: bool
) -> None:
    """Show what a record is related to, one step away: what it replaces, and why; what it names; the same run.

    What was judged from the texts can be corrected here.
    """
    said = {"supersedes": supersedes, "stands": stands, "undecided": undecided}
    memory = open_workspace(ctx, read_only=not any(said.values()))
    for verdict, earlier in said.items():
        if earlier:
            memory.judge(wanted, earlier, verdict)
    record = memory.get(wanted)
    found = memory.neighbours(record.id)
    if as_json:
        near = [
            {"relation": each.relation, "id": each.record.id, "kind": each.record.kind, "title": each.record.title, "why": each.why}
            for each in found
        ]
        emit_json({"id": record.id, "kind": record.kind, "title": record.title, "neighbours": near})
        return
    say(f"{record.id}  {record.kind}  {record.title}")
    for each in found:
        say(f"  {each.relation}: {each.record.id}  {each.record.kind}  {each.record.title}")
        if each.why:
            say(f"      {each.why}")
    if not found:
        say("  related to nothing")


@hub_command.command("history")
@click.argument("wanted", metavar="ID")
@json_option
@click.pass_context
def history_command(ctx: click.Context, /, wanted: str, as_json: bool) -> None:
    """Show every change of a record: who, when, what."""
    found = open_workspace(ctx, read_only=True).history(wanted)
    if as_json:
        emit_json(found)
        return
    for each in found:
        erased = "  (text erased)" if each.text is None else ""
        say(f"{each.revision:>4}  {each.at:%Y-%m-%d %H:%M}  {each.action:<12}  {each.actor}  {each.title}{erased}")
    say(f"{count(len(found), 'change')}. `diarist hub revert ID --to REVISION` brings a text back.")


@hub_command.command("revert")
@click.argument("wanted", metavar="ID")
@click.option("--to", "revision", type=click.IntRange(1), required=True, help="Revision whose text is to come back.")
@json_option
@click.pass_context
def revert_command(ctx: click.Context, /, wanted: str, revision: int, as_json: bool) -> None:
    """Bring the text of an earlier revision back, as a new edit."""
    _told(open_workspace(ctx).revert(wanted, revision), as_json)


def _told(edited: Edited, as_json: bool) -> None:
    if as_json:
        emit_json(edited)
    elif edited.status == "merged":
        say(f"Merged: {edited.path} is at revision {edited.revision} ({edited.id}).")
    else:
        say(f"Waits for review: {edited.path}. `diarist review show {edited.review_id}` shows it.")
