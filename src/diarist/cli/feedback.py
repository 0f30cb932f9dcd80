"""`diarist feedback`: the usefulness ledger."""

from __future__ import annotations

import click

from diarist.cli.common import emit_json, json_option, open_workspace, say, table
from diarist.errors import UsageError

VERDICTS = ("helped", "harmful", "ignored", "followed", "refuted")


@click.command("feedback")
@click.argument("wanted", required=False, metavar="[ID]")
@click.argument("verdict", required=False, type=click.Choice(VERDICTS))
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Rows shown of the ledger.")
@json_option
@click.pass_context
def feedback_command(ctx: click.Context, /, wanted: str | None, verdict: str | None, limit: int, as_json: bool) -> None:
    """Say whether an entry helped, or show what was shown to whom and what became of it.

    \b
    diarist feedback                       the newest rows of the ledger
    diarist feedback kh-abc…               those of one entry
    diarist feedback kh-abc… helped        add to it
    """
    memory = open_workspace(ctx, read_only=verdict is None)
    if verdict is not None:
        if wanted is None:
            raise UsageError("name the entry: `diarist feedback ID helped`")
        memory.feedback(wanted, verdict)
    uses = memory.uses(wanted, limit=limit)
    if as_json:
        emit_json([use._asdict() for use in uses])
        return
    if not uses:
        say("Nothing was shown or told yet.")
        return
    table(
        [(use.record_id, f"{use.at:%Y-%m-%d %H:%M}", use.event, use.session) for use in uses], ("id", "at", "what", "session"), (19, 16, 8)
    )
