"""`diarist knowledge diary|synthesize …`: the same commands under Bernstein's names."""

from __future__ import annotations

import click

from diarist.cli.diary import diary_command
from diarist.cli.synthesize import synthesize_command


@click.group("knowledge")
def knowledge_command() -> None:
    """Bernstein's command names, for those who are used to them."""


knowledge_command.add_command(diary_command, "diary")
knowledge_command.add_command(synthesize_command, "synthesize")
