"""`diarist status`, `diarist pause` and `diarist resume`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, say
from diarist.errors import NotFoundError


@click.command("status")
@json_option
@click.pass_context
def status_command(ctx: click.Context, /, as_json: bool) -> int:
    """Is it working? Last event of each agent, backlog, last entry, last errors. Exit code 1 when it is behind."""
    from diarist.app.status import spool_status
    from diarist.cli.connect import connected_clients
    from diarist.config import load_settings

    try:
        told = open_workspace(ctx, read_only=True).status()
    except NotFoundError:
        told = spool_status(load_settings(ctx.find_root().obj["workspace"]).workspace)
    if as_json:
        emit_json(told)
    else:
        _tell(told, connected_clients(load_settings(ctx.find_root().obj["workspace"])))
    return int(told["health"] == "behind")


def _tell(told: dict[str, Any], connected: list[str]) -> None:
    now = time.time()
    say(f"{told['health']}  ({told['workspace']})")
    for client, facts in told["clients"].items():
        say(f"  {client}: last event {facts['event']} {_ago(now - facts['at'])}, {count(facts['events'], 'event')} in all")
    if not told["clients"] and connected:
        say(f"  {', '.join(connected)}: connected, nothing was heard yet. Sessions that began before are not reported: start a new one.")
    elif not told["clients"]:
        say("  No agent is connected: `diarist connect claude-code` (or codex, gemini, …) lets it report by itself.")
    backlog = told["backlog"]
    waiting = f", the oldest for {_span(backlog['oldest_seconds'])}" if backlog["events"] else ""
    say(f"  waiting: {count(backlog['events'], 'event')} of {count(backlog['sessions'], 'session')}{waiting}")
    for name, text in (("set_aside", "could not be worked off (spool/failed)"), ("dropped", "were dropped: the spool was full")):
        if backlog[name]:
            say(f"  {count(backlog[name], 'event')} {text}")
    worker = told["worker"]
    say(f"  worker: at work since {_ago(now - worker['since'])} (process {worker['pid']})" if worker else "  worker: none needed now")
    last = told.get("last_entry")
    if last:
        say(f"  last entry: {last['id']}  {last['created_at']:%Y-%m-%d %H:%M}  {last['agent']}  {last['title']}")
        say(f"  entries: {told['entries']:,}")
    for error in told["errors"]:
        say(f"  error {_ago(now - error['at'])}: {error['message']}")


def _ago(seconds: float) -> str:
    return f"{_span(seconds)} ago"


def _span(seconds: float) -> str:
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{max(0, seconds):.0f} s"


@click.command("pause")
@click.option("--for", "span", metavar="SPAN", help="As 30m, 2h or 1d. Default: until `diarist resume`.")
@click.pass_context
def pause_command(ctx: click.Context, /, span: str | None) -> None:
    """Capture and recall nothing. What agents do meanwhile is left out of later imports too, where its steps carry times."""
    from diarist.app.consent import pause
    from diarist.config import load_settings
    from diarist.text.durations import parse_duration

    workspace = load_settings(ctx.find_root().obj["workspace"]).workspace
    until = time.time() + parse_duration(span).total_seconds() if span else None
    pause(workspace, until)
    say("Paused" + (f" until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC." if until else ". `diarist resume` goes on."))


@click.command("resume")
@click.pass_context
def resume_command(ctx: click.Context, /) -> None:
    """Go on after a pause."""
    from diarist.app.consent import resume
    from diarist.app.wake import wake
    from diarist.config import load_settings

    workspace = load_settings(ctx.find_root().obj["workspace"]).workspace
    if not resume(workspace):
        say("Nothing was paused.")
        return
    wake(str(workspace))
    say("Resumed.")
