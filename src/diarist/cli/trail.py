"""`diarist trail`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from diarist.cli.common import emit_json, json_option, make_filter, open_workspace, say
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.model.record import Record


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
        for line in _told(record):
            say(f"    {line}")


def _told(record: Record) -> list[str]:
    """What the record says first: of a run what worked and what failed, of a note its text."""
    body = json.loads(record.body)
    if record.kind == "entry":
        told = [f"{name}: {body[name][0]}" for name in ("worked", "failed") if body.get(name)]
    else:
        told = [str(body.get("body", "")).strip().partition("\n")[0]]
    return [clip(" ".join(text.split()), 160) for text in told if text]
