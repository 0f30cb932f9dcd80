"""`diarist trail`."""

from __future__ import annotations

import click

from diarist.cli.common import emit_json, json_option, make_filter, open_workspace, say


@click.command("trail")
@click.argument("workflow")
@json_option
@click.pass_context
def trail_command(ctx: click.Context, /, workflow: str, as_json: bool) -> None:
    """What agents did and noted on a workflow, in order."""
    memory = open_workspace(ctx, read_only=True)
    records = list(memory.list_records(make_filter((), workflow=workflow), sort="created_at"))
    if as_json:
        names = ("id", "kind", "agent", "outcome", "verified", "title", "created_at", "task_id")
        emit_json([{name: getattr(record, name) for name in names} for record in records])
        return
    if not records:
        say(f"nothing is known of workflow {workflow}. `diarist diary list --json` shows the workflow of each entry.")
    for record in records:
        what = record.outcome or record.kind
        say(f"{record.created_at:%Y-%m-%d %H:%M}  {record.id}  {record.agent or record.trust}  {what}  {record.title}")
