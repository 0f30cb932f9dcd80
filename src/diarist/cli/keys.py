"""`diarist keys add|list|revoke`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import emit_json, json_option, open_workspace, say, table

if TYPE_CHECKING:
    from diarist.model.access import ApiKey

ROLES = ("read", "write", "review", "admin")


@click.group("keys")
def keys_command() -> None:
    """Keys for `diarist serve`. Once there is one, every request needs one."""


@keys_command.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="write", show_default=True, help="Each may do what those before it may.")
@click.option("--project", help="Only this project's records. Default: all.")
@click.option("--tenant", default="local", show_default=True, help="Whose records: tenants see nothing of each other.")
@click.option("--expires", metavar="SPAN", help="For how long it is good, as 90d. Default: until it is revoked.")
@json_option
@click.pass_context
def add_command(ctx: click.Context, /, name: str, role: Any, project: str | None, tenant: str, expires: str | None, as_json: bool) -> None:
    """Make a key. It is shown this once and never again; only its hash is kept."""
    from diarist.app.keys import Grant
    from diarist.text.durations import parse_duration

    memory = open_workspace(ctx)
    until = memory.now() + parse_duration(expires) if expires else None
    made = memory.add_key(Grant(name, role, tenant, project, until))
    if as_json:
        emit_json({**_told(made.key), "secret": made.secret})
        return
    say(f"{made.key.id}: {made.key.name}, role {made.key.role}, tenant {made.key.opens}, project {made.key.project or 'any'}")
    say("Keep it now; it cannot be shown again:", err=True)
    say(made.secret)


@keys_command.command("list")
@click.option("--all", "everything", is_flag=True, help="Revoked and expired ones too.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, everything: bool, as_json: bool) -> None:
    """List keys: what they allow, and when they were last used."""
    memory = open_workspace(ctx, read_only=True)
    now = memory.now()
    found = [key for key in memory.api_keys() if everything or key.is_good(now)]
    if as_json:
        emit_json([_told(key) for key in found])
        return
    if not found:
        say("No key. On a loopback address `diarist serve` needs none; `diarist keys add NAME` makes one.")
        return
    rows = [
        (
            key.id,
            key.role,
            key.opens,
            f"{key.used_at:%Y-%m-%d %H:%M}" if key.used_at else "never",
            _end(key),
            key.name + (f" ({key.project})" if key.project is not None else ""),
        )
        for key in found
    ]
    table(rows, ("id", "role", "tenant", "last used", "until", "name"), (16, 6, 12, 16, 18))


@keys_command.command("revoke")
@click.argument("wanted", metavar="ID|NAME")
@json_option
@click.pass_context
def revoke_command(ctx: click.Context, /, wanted: str, as_json: bool) -> None:
    """Make a key worthless from now on."""
    key = open_workspace(ctx).revoke_key(wanted)
    if as_json:
        emit_json(_told(key))
    else:
        say(f"Revoked {key.id} ({key.name}).")


def _end(key: ApiKey) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    return f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "it is revoked"


def _told(key: ApiKey) -> dict[str, Any]:
    told = key._asdict()
    told["tenant"] = told.pop("opens")
    del told["hash"]
    return told
