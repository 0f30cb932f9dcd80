"""`diarist connect` and `diarist disconnect`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diarist.app.connect.connecting import CLIENTS
from diarist.cli.common import count, emit_json, here, json_option, say
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.connect.client import Where
    from diarist.app.connect.connecting import Change
    from diarist.app.connect.program import Program
    from diarist.config import Settings

_scope_options = (
    click.option("--user", "scope", flag_value="user", default="user", help="For all your projects (the default)."),
    click.option("--project", "scope", flag_value="project", help="For the project of this folder only."),
    click.option("--dry-run", is_flag=True, help="Show what would change in which file; change nothing."),
)


def _scoped(command: Any) -> Any:
    for option in reversed(_scope_options):
        command = option(command)
    return command


@click.command("connect")
@click.argument("client", required=False, type=click.Choice(CLIENTS))
@_scoped
@click.option("--instructions", is_flag=True, help="Also tell agents in AGENTS.md, CLAUDE.md or the like when to look things up.")
@click.option("--list", "listing", is_flag=True, help="Show which clients are installed and connected, and when they were last heard of.")
@click.option("--import/--no-import", "history", default=None, help="Import the sessions that lie here already; asked where not said.")
@json_option
@click.pass_context
def connect_command(
    ctx: click.Context,
    /,
    client: str | None,
    scope: str,
    dry_run: bool,
    instructions: bool,
    listing: bool,
    history: bool | None,
    as_json: bool,
) -> None:
    """Let an agent's client report its sessions and look things up by itself: hooks, MCP server and, if wanted, instructions.

    It only adds to the client's settings files: what is there stays byte for byte, and `diarist disconnect` takes it out again.

    \b
    diarist connect claude-code
    diarist connect codex --project --dry-run
    diarist connect --list
    """
    from diarist.config import load_settings

    settings = load_settings(ctx.find_root().obj["workspace"])
    if listing or client is None:
        _list(settings, as_json=as_json)
        return
    from diarist.app.connect.connecting import apply_changes, get_client, plan_connect

    chosen, where = get_client(client), _where(settings, scope)
    program = _program(settings, shared=scope == "project")
    changes = plan_connect(settings.workspace, chosen, where, program, instructions=instructions)
    if _shown(changes, dry_run=dry_run):
        return
    apply_changes(settings.workspace, changes)
    say(f"{chosen.title} is connected." if changes else f"{chosen.title} was connected already; nothing changed.")
    for change in changes:
        say(f"  {change.path}")
    for note in chosen.notes(where):
        say(f"To do: {note}")
    _offer_history(ctx, client, history)
    say("Next: work as usual; `diarist status` tells when the first session was heard of.")


@click.command("disconnect")
@click.argument("client", required=False, type=click.Choice(CLIENTS))
@_scoped
@click.option("--purge", is_flag=True, help="Disconnect everything and delete the workspace: all entries, evidence, logs and settings.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def disconnect_command(ctx: click.Context, /, client: str | None, scope: str, dry_run: bool, purge: bool, yes: bool) -> None:
    """Take Diarist out of a client's settings again; the files get back the bytes they had."""
    from diarist.config import load_settings

    settings = load_settings(ctx.find_root().obj["workspace"])
    if purge:
        _purge(settings, dry_run=dry_run, yes=yes)
        return
    if client is None:
        raise UsageError("name the client to disconnect, or give --purge for all of them and the workspace")
    from diarist.app.connect.connecting import apply_changes, get_client, plan_disconnect

    chosen = get_client(client)
    changes = plan_disconnect(settings.workspace, chosen, _where(settings, scope), _program(settings, shared=scope == "project"))
    if _shown(changes, dry_run=dry_run):
        return
    apply_changes(settings.workspace, changes)
    say(f"{chosen.title} is disconnected." if changes else f"{chosen.title} was not connected.")
    for change in changes:
        say(f"  {change.path}" + (" (removed)" if change.after is None else ""))


def _shown(changes: list[Change], *, dry_run: bool) -> bool:
    if not dry_run:
        return False
    for change in changes:
        say(change.diff().rstrip("\n") if change.after is not None else f"{change.path} would be removed.")
    if not changes:
        say("Nothing would change.")
    return True


def _where(settings: Settings, scope: str) -> Where:
    from diarist.app.connect.client import Where

    if scope == "user":
        return Where("user", settings.home, settings.environ)
    place = here()
    root = next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), place)
    return Where("project", root, settings.environ)


def _program(settings: Settings, *, shared: bool) -> Program:
    """The command to write: with the workspace named, if it is another one than a hook would find by itself."""
    from diarist.app.connect.program import find_program
    from diarist.config import user_data_path

    usual = user_data_path(settings.environ).absolute()
    return find_program("" if settings.workspace == usual else str(settings.workspace), shared=shared)


def connected_clients(settings: Settings) -> list[str]:
    """Titles of the clients that are connected here, for the user or for the project of this folder."""
    from diarist.app.connect.connecting import get_client, is_connected
    from diarist.app.connect.program import find_program

    program, wheres = find_program("", shared=False), _places(settings).values()
    found = [get_client(name) for name in CLIENTS]
    return [client.title for client in found if any(is_connected(client, where, program) for where in wheres)]


def _places(settings: Settings) -> dict[str, Where]:
    """Where clients may be connected, by scope: for the user, and for the project one stands in, if that is one."""
    places = {"user": _where(settings, "user")}
    with suppress(UsageError):  # the folder is not there any more
        project = _where(settings, "project")
        if project.root != settings.home:
            places["project"] = project
    return places


def _list(settings: Settings, *, as_json: bool) -> None:
    from diarist.app.backlog import Seen, read_backlog
    from diarist.app.connect.connecting import get_client, is_connected
    from diarist.app.connect.program import find_program
    from diarist.app.status import clients_seen

    seen = clients_seen(read_backlog(settings.workspace), Seen(settings.workspace))
    program = find_program("", shared=False)
    wheres = _places(settings)
    rows: list[dict[str, Any]] = []
    for name in CLIENTS:
        client = get_client(name)
        scopes = [scope for scope, where in wheres.items() if is_connected(client, where, program)]
        heard = seen.get(name)
        installed = shutil.which(client.binary) is not None
        rows.append({"client": name, "title": client.title, "installed": installed, "connected": scopes, "last_event": heard})
    if as_json:
        emit_json(rows)
        return
    for row in rows:
        state = f"connected ({', '.join(row['connected'])})" if row["connected"] else "not connected"
        heard = row["last_event"]
        told = (
            f"last event {heard['event']} at {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(heard['at']))}" if heard else "no event yet"
        )
        say(f"{row['title']}: {'installed' if row['installed'] else 'not found on PATH'}, {state}, {told}")


def _offer_history(ctx: click.Context, client: str, history: bool | None) -> None:
    """Old sessions are imported only by consent, once it is clear what they are."""
    from diarist.app.ingest import IngestOptions
    from diarist.cli.common import open_workspace

    memory = open_workspace(ctx)
    roots = memory.find_sessions().get(client, [])
    files = [path for root in roots for path in root.rglob("*") if path.is_file()]
    if not files or not memory.ingest(roots, IngestOptions(dry_run=True)).files_read:  # none, or all are in the diary
        return
    times = sorted(path.stat().st_mtime for path in files)
    size = sum(path.stat().st_size for path in files)
    span = " to ".join(time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (times[0], times[-1]))
    say(f"Here lie {count(len(files), 'file')} of earlier sessions ({size / 1e6:,.1f} MB, {span}) in {', '.join(map(str, roots))}.")
    if history is None and sys.stdin.isatty():
        history = click.confirm("Import them now? Secrets are masked before anything is kept; nothing leaves this machine.", default=False)
    if not history:
        say(f"Nothing was imported now. `diarist ingest --agent {client}` imports those that are not in the diary yet.")
        return
    report = memory.ingest(roots)
    say(f"{count(report.created, 'new entry', 'new entries')} from {count(report.files_read, 'file')}.")


def _purge(settings: Settings, *, dry_run: bool, yes: bool) -> None:
    from diarist.app.connect.connecting import apply_changes, get_client, plan_disconnect

    program = _program(settings, shared=False)
    wheres = [_where(settings, "user"), *_project_places(settings)]
    plans = [plan_disconnect(settings.workspace, get_client(name), where, program) for name in CLIENTS for where in wheres]
    changes = [change for plan in plans for change in plan]
    kept = sorted(settings.workspace.parent.glob(f"{settings.workspace.name}.before-*"))  # what `restore --replace` put aside
    own = [settings.workspace, *kept, *([path] if (path := _config_folder()).is_dir() else [])]
    for change in changes:
        say(f"{'would change' if dry_run else 'changes'}: {change.path}")
    for folder in own:
        say(f"{'would delete' if dry_run else 'deletes'}: {folder}")
    if dry_run:
        return
    if not yes:
        click.confirm("Delete all entries, evidence, logs and settings of Diarist on this machine for good?", abort=True)
    _stop_worker(settings.workspace)
    apply_changes(settings.workspace, changes)
    for folder in own:
        shutil.rmtree(folder, ignore_errors=True)
    left = [str(folder) for folder in own if folder.exists()]
    say(
        f"Could not be deleted: {', '.join(left)}."
        if left
        else "Nothing of Diarist is left. What projects published in .diarist or .sdd is theirs."
    )


def _project_places(settings: Settings) -> list[Where]:
    """Every project that a connection was made for: the folders above the files that were changed."""
    from diarist.app.connect.client import Where
    from diarist.app.connect.connecting import noted_files

    roots = {parent for path in noted_files(settings.workspace) for parent in list(path.parents)[:3]}
    roots.update(where.root for scope, where in _places(settings).items() if scope == "project")
    return [Where("project", root, settings.environ) for root in sorted(roots) if root != settings.home]


def _config_folder() -> Path:
    from diarist.config import user_config_path

    return user_config_path(os.environ).parent


def _stop_worker(workspace: Path) -> None:
    """Waits for a worker to end: it stops before its next step once the workspace is paused."""
    from diarist.app.consent import pause
    from diarist.app.wake import take_lock

    pause(workspace, None)
    for _ in range(100):
        lock = take_lock(str(workspace))
        if lock is not None:
            os.close(lock)
            return
        time.sleep(0.1)
    raise UsageError("a worker is still importing; wait for it (`diarist status`) and run this again")
