"""`diarist config list|path`."""

from __future__ import annotations

import os

import click

from diarist.cli.common import emit_json, json_option, say


@click.group("config")
def config_command() -> None:
    """Settings: environment over project file over user file over default."""


@config_command.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, as_json: bool) -> None:
    """Every setting with its value."""
    from diarist.config import SETTINGS, load_settings

    settings = load_settings(ctx.find_root().obj["workspace"])
    if as_json:
        emit_json({"workspace": str(settings.workspace), **settings.values})
        return
    say(f"workspace = {settings.workspace}")
    for setting in SETTINGS:
        env = f" (environment: {setting.env})" if setting.env else ""
        say(f"{setting.name} = {settings.get(setting.name)!r}\n    {setting.help}{env}")


@config_command.command("path")
def path_command() -> None:
    """Where the user's settings file is looked for."""
    from diarist.config import user_config_path

    say(str(user_config_path(os.environ)))
