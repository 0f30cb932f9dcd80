"""`diarist init`."""

from __future__ import annotations

from pathlib import Path

import click

from diarist.cli.common import current_project, here, open_workspace, say


@click.command("init")
@click.pass_context
def init_command(ctx: click.Context, /) -> None:
    """Let this project publish its diary in its own .diarist folder, to be read and committed like any file."""
    memory = open_workspace(ctx)
    folder = memory.init_project(_checkout(), current_project())
    say(f"Entries of {current_project()} will be published in {folder}. `diarist sync` takes over what others publish there.")


def _checkout() -> Path:
    place = here()
    return next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), place)
