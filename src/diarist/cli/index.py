"""`diarist index status|rebuild|verify`."""

from __future__ import annotations

import click

from diarist.cli.common import emit_json, json_option, open_workspace, say


@click.group("index")
def index_command() -> None:
    """The search index: derived from the store, never the only copy of anything."""


@index_command.command("status")
@json_option
@click.pass_context
def status_command(ctx: click.Context, /, as_json: bool) -> None:
    """How current the index is."""
    memory = open_workspace(ctx, read_only=True)
    status, vectors = memory.index_status(), memory.embedding_status()
    if as_json:
        emit_json({**status, "embeddings": vectors})
        return
    say(f"indexed up to change {status['position']:,} of {status['last_change']:,}; {status['behind']:,} behind")
    say(f"{status['records']:,} records" if "problem" not in status else f"no index: {status['problem']}")
    if vectors["model"]:
        held = f"{vectors['records']:,} records, {vectors['vectors']:,} vectors; {vectors['waiting']:,} waiting"
        say(f"embeddings of {vectors['model']}: {held}; compared by {vectors['compared']}")
    if vectors["problem"]:
        say(f"embeddings: {vectors['problem']}")


@index_command.command("rebuild")
@json_option
@click.pass_context
def rebuild_command(ctx: click.Context, /, as_json: bool) -> None:
    """Make the index anew from the store. Searches go on in the old one until the new one is whole."""
    number = open_workspace(ctx).rebuild_index()
    if as_json:
        emit_json({"records": number})
    else:
        say(f"rebuilt: {number:,} records")


@index_command.command("verify")
@json_option
@click.pass_context
def verify_command(ctx: click.Context, /, as_json: bool) -> int:
    """Check the files of the index, and compare it with the store. Exit code 1 where anything is wrong."""
    faults = open_workspace(ctx).verify_index()
    if as_json:
        emit_json(faults)
    else:
        for fault in faults:
            say(fault)
        say("the index holds what the store holds" if not faults else "`diarist index rebuild` makes it anew")
    return int(bool(faults))
