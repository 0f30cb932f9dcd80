"""`diarist worker --status`, `--retry` and `--cancel`: what a hub's background work is at."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from diarist.cli.common import emit_json, open_workspace, say, table

if TYPE_CHECKING:
    import click

    from diarist.model.job import JobState


def tell_jobs(ctx: click.Context, retry: str | None, cancel: str | None, *, as_json: bool) -> int:
    """Does what is asked of one job and shows it, or shows all. Exit code 1 where one that is shown has failed."""
    if retry or cancel:
        memory = open_workspace(ctx)
        found = [memory.cancel_job(cancel)] if cancel else [memory.retry_job(retry or "")]
    else:
        found = open_workspace(ctx, read_only=True).jobs()
    if as_json:
        emit_json([plain(state) for state in found])
    elif found:
        rows = [
            (each.phase, str(each.attempts or ""), _minute(each.ended_at or each.started_at), _minute(each.next_at), each.id)
            for each in found
        ]
        table(rows, ("is", "tries", "last run", "next", "job"), (9, 5, 16, 16))
        for each in found:
            if each.error:
                say(f"{each.id}: {each.error}")
    else:
        say("No background work was done yet. `diarist serve` does it, or on PostgreSQL `diarist worker --queue`.")
    return int(any(each.phase == "failed" for each in found))


def plain(state: JobState) -> dict[str, object]:
    """A job as JSON shows it, with its id."""
    names = ("job", "project", "phase", "attempts", "error", "started_at", "ended_at", "next_at")
    return {"id": state.id, **{name: getattr(state, name) for name in names}}


def _minute(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else ""
