"""`diarist feedback`: the usefulness ledger."""

from __future__ import annotations

import click

from diarist.cli.common import emit_json, json_option, open_workspace, say, table
from diarist.cli.show import show_worth
from diarist.errors import UsageError

VERDICTS = ("helpful", "helped", "harmful", "ignored", "followed", "refuted")


@click.command("feedback")
@click.argument("wanted", required=False, metavar="[ID]")
@click.argument("verdict", required=False, type=click.Choice(VERDICTS))
@click.option("--session", default="", metavar="AGENT:ID", help="The session this is said in. Default: you say it.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Rows shown of the ledger.")
@json_option
@click.pass_context
def feedback_command(ctx: click.Context, /, wanted: str | None, verdict: str | None, session: str, limit: int, as_json: bool) -> None:
    """Say whether a record helped, or show what was shown to whom and what became of it.

    \b
    diarist feedback                       the newest rows of the ledger
    diarist feedback kh-abc…               those of one record, and what came of it
    diarist feedback kh-abc… helpful       say so
    diarist feedback kh-abc… harmful
    """
    memory = open_workspace(ctx, read_only=verdict is None)
    if verdict is not None:
        if wanted is None:
            raise UsageError("name the record: `diarist feedback ID helpful`")
        memory.feedback(wanted, verdict, session=session, surface="cli")
    uses = memory.uses(wanted, limit=limit)
    worth = memory.worth(wanted) if wanted is not None else None
    if as_json:
        emit_json([use._asdict() for use in uses])
        return
    if not uses:
        say("Nothing was shown or told yet.")
        return
    rows = [(use.record_id, f"{use.at:%Y-%m-%d %H:%M}", use.event, use.surface, str(use.place or ""), use.session) for use in uses]
    table(rows, ("id", "at", "what", "where", "place", "session"), (19, 16, 8, 14, 5))
    if worth is not None:
        show_worth(worth)
