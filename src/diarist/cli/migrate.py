"""`diarist migrate`: take over what other systems kept. Sources are never changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, current_project, emit_json, facts_of, json_option, open_workspace, say
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.legacy_records import Migrated

_project = click.option("--project", help="Default: the project of this folder.")
_dry_run = click.option("--dry-run", is_flag=True, help="Say what would be taken over; write nothing.")


@click.group("migrate")
def migrate_command() -> None:
    """Take over what Burin, Harn and Bernstein kept. A second time adds nothing."""


@migrate_command.command("burin")
@click.argument("checkout", required=False, default=".", metavar="[CHECKOUT]")
@click.option("--harn-root", metavar="FOLDER", help="Also write Harn's own events.jsonl and marker below this folder, as .harn.")
@_project
@_dry_run
@json_option
@click.pass_context
def burin_command(ctx: click.Context, /, checkout: str, harn_root: str | None, project: str | None, dry_run: bool, as_json: bool) -> int:
    """Legacy pattern stores of a checkout (.harn/session-store/burin.agent_context.pattern_learning.*.jsonl)."""
    folder = Path(checkout)
    if not folder.is_dir():
        raise UsageError(f"{checkout} is no folder")
    memory = open_workspace(ctx)
    where = current_project() if project is None else project
    done = memory.migrate_burin(folder, where, dry_run=dry_run, harn_root=Path(harn_root) if harn_root else None)
    return _tell(done, as_json)


@migrate_command.command("sessions")
@click.argument("path", metavar="SESSION-STORE.SQLITE")
@click.option("--tenant", default="", help="Whose sessions; needed where the store holds several tenants'.")
@_project
@_dry_run
@json_option
@click.pass_context
def sessions_command(ctx: click.Context, /, path: str, tenant: str, project: str | None, dry_run: bool, as_json: bool) -> int:
    """Runs in a Harn session store that ended by themselves and were marked as eligible for learning."""
    where = current_project() if project is None else project
    return _tell(open_workspace(ctx).migrate_session_store(Path(path), where, tenant=tenant, dry_run=dry_run), as_json)


@migrate_command.command("events")
@click.argument("path", metavar="EVENTS.JSONL")
@click.argument("namespace")
@click.option("--project", default="", help="Project it belongs to. Default: none.")
@_dry_run
@json_option
@click.pass_context
def events_command(ctx: click.Context, /, path: str, namespace: str, project: str, dry_run: bool, as_json: bool) -> int:
    """An `events.jsonl` of Harn's memory; the same as `diarist memory import`."""
    from diarist.cli.memory import import_command

    result = ctx.invoke(import_command, path=path, namespace=namespace, dry_run=dry_run, project=project, as_json=as_json)
    return int(result or 0)


@migrate_command.command("sdd")
@click.argument("folder", metavar="FOLDER")
@_project
@_dry_run
@json_option
@click.pass_context
def sdd_command(ctx: click.Context, /, folder: str, project: str | None, dry_run: bool, as_json: bool) -> int:
    """A Bernstein tree (.sdd); the same as `diarist sync`."""
    from diarist.cli.sync import sync_command

    if not dry_run:
        return int(ctx.invoke(sync_command, root=folder, project=project, as_json=as_json) or 0)
    if not Path(folder).is_dir():
        raise UsageError(f"{folder} is no folder")
    report = open_workspace(ctx).sync(Path(folder), current_project() if project is None else project, dry_run=True)
    if as_json:
        emit_json({**facts_of(report), "problems": [each._asdict() for each in report.problems], "dry_run": True})
    else:
        for problem in report.problems:
            say(f"skipped: {problem.path}: {problem.reason}", err=True)
        say(f"Would take over {count(report.added, 'entry', 'entries')}; {report.updated} would change; {report.unchanged} known before.")
    return int(bool(report.problems))


def _tell(done: Migrated, as_json: bool) -> int:
    if as_json:
        emit_json(done.as_dict())
        return int(done.unavailable or bool(done.problems))
    for problem in done.problems:
        say(f"skipped: {problem.path}: {problem.reason}", err=True)
    if done.unavailable:
        say(f"Nothing was written: the marker cannot be looked at ({done.marker_status}). {done.why}", err=True)
    elif done.already_done:
        say("It was taken over before.")
    elif done.skipped:
        say(f"There is nothing to take over{': ' + done.why if done.why else ''}.")
    else:
        parts = (count(done.observations, "observation"), count(done.proposals, "proposal"), count(done.states, "state"))
        say(f"{'Would take' if done.dry_run else 'Took'} over {', '.join(parts)}; {done.known} known before.")
    return int(done.unavailable or bool(done.problems))
