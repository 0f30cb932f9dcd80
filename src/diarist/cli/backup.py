"""`diarist backup` and `diarist restore`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, say


@click.command("backup")
@click.argument("target", metavar="[FILE]", required=False)
@click.option("--verify", "verify", metavar="FILE", help="Write nothing: check that this backup is whole.")
@json_option
@click.pass_context
def backup_command(ctx: click.Context, /, target: str | None, verify: str | None, as_json: bool) -> int:
    """Write everything to one file, while agents go on working: records, history, evidence, tombstones.

    It is read back before it gets its name. What is erased later stays in backups made before: the receipt names them.

    \b
    diarist backup /mnt/stick/diarist.backup
    diarist backup --verify /mnt/stick/diarist.backup
    """
    if (target is not None) == (verify is not None) and verify is not None:
        raise click.UsageError("give a file to write, or --verify and the file to check")
    if verify is not None:
        from diarist.app.backing_up import read_manifest

        manifest = read_manifest(Path(verify), check=True)
        if as_json:
            emit_json(manifest)
        else:
            say(f"{verify} is whole: made {manifest.made_at:%Y-%m-%d %H:%M} UTC, up to change {manifest.seq:,}.")
        return 0
    place = Path(target) if target else Path(f"diarist-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup")
    manifest = open_workspace(ctx).back_up(place.absolute())
    if as_json:
        emit_json({"path": str(place.absolute()), "seq": manifest.seq, "workspace_id": manifest.workspace_id})
    else:
        say(f"{place.absolute()}: everything up to change {manifest.seq:,}, read back and whole.")
    return 0


@click.command("restore")
@click.argument("source", metavar="FILE")
@click.option("--replace", is_flag=True, help="There is a workspace already: put the backup in its place. The old one is kept beside it.")
@json_option
@click.pass_context
def restore_command(ctx: click.Context, /, source: str, replace: bool, as_json: bool) -> int:
    """Make a backup the workspace, once it was checked. What was erased here since it was made does not come back.

    \b
    diarist restore diarist.backup                              into a workspace that is not there yet
    diarist --workspace /tmp/look restore diarist.backup        to look into it
    """
    from diarist.bootstrap import restore

    done = restore(Path(source), ctx.find_root().obj["workspace"], replace=replace)
    if as_json:
        emit_json(done._asdict())
        return 0
    say(f"{done.workspace}: {count(done.records, 'record')}, up to change {done.seq:,}.")
    if done.erased:
        say(f"{count(done.erased, 'thing')} that had been erased did not come back.")
    if done.before:
        say(f"The workspace that was there is in {done.before}.")
    say("`diarist doctor --repair` writes the published files anew.")
    return 0
