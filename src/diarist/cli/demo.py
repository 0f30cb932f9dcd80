"""`diarist demo`."""

from __future__ import annotations

import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import click

from diarist.cli.common import count, say, table
from diarist.cli.show import show_entry


@click.command("demo")
@click.option("--keep", metavar="FOLDER", help="Use this workspace folder and keep it. Default: a temporary one.")
@click.pass_context
def demo_command(ctx: click.Context, /, keep: str | None) -> None:
    """Import example sessions that ship with Diarist, print the diary, and find a past fix."""
    del ctx
    if keep:
        _run(Path(keep))
        return
    with tempfile.TemporaryDirectory(prefix="diarist-demo-") as folder:
        _run(Path(folder) / "workspace")


def _run(workspace: Path) -> None:
    from diarist.bootstrap import open_memory
    from diarist.model.record import RecordFilter

    with open_memory(workspace, embedded=True) as memory, as_file(files("diarist") / "examples") as examples:
        say("1. Import the example sessions (Claude Code and Codex):\n")
        report = memory.ingest([examples])
        masked = sum(capture.redacted for capture in report.captures)
        say(f"   {count(len(report.entries), 'entry', 'entries')} new or changed; {count(masked, 'secret')} masked.\n")
        say("2. The diary:\n")
        records = list(memory.list_records(RecordFilter(kinds=("entry",)), sort="created_at"))
        rows = [(record.id, f"{record.created_at:%Y-%m-%d}", record.outcome, record.agent, str(record.title)) for record in records]
        table(rows, ("id", "ended", "outcome", "agent", "title"), (19, 10, 11, 12))
        query = "ModuleNotFoundError: No module named 'tomli'"
        say(f'\n3. Tonight an agent meets an error. Who has fixed it before?\n\n   diarist search --error -   <<< "{query}"\n')
        hits = memory.search_error(query)
        if hits:
            show_entry(memory.get_entry(hits[0].id))
    say("\nNow yours: `diarist ingest` imports the sessions of the agents on this machine.")
