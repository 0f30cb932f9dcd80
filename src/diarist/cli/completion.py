"""`diarist completion`."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, /, shell: str) -> None:
    """Print the script that completes commands and options in a shell.

    \b
    diarist completion bash > ~/.local/share/bash-completion/completions/diarist
    diarist completion zsh > ~/.zfunc/_diarist
    diarist completion fish > ~/.config/fish/completions/diarist.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "diarist", "_DIARIST_COMPLETE").source())
