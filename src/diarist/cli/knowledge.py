"""`diarist knowledge diary …`: the same commands under Bernstein's names."""

from __future__ import annotations

import click

from diarist.cli.diary import diary_command


@click.group("knowledge")
def knowledge_command() -> None:
    """Bernstein's command names, for those who are used to them."""


knowledge_command.add_command(diary_command, "diary")
