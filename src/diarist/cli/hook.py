"""`diarist hook`: help for it, and the way to it when options stand before the command."""

from __future__ import annotations

import click


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("event")
@click.option("--client", default="claude-code", show_default=True, help="claude-code, codex, gemini, copilot, cursor or opencode.")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def hook_command(ctx: click.Context, /, event: str, client: str, rest: tuple[str, ...]) -> int:
    """What an agent's client calls at every turn, with the event as JSON on standard input. Not for people.

    It always exits 0, and prints nothing or exactly what the client's schema asks for. `diarist connect` writes it into the
    client's settings.
    """
    root = ctx.find_root().obj
    place = ["--workspace", root["workspace"]] if root["workspace"] else []
    start = root.get("surfaces", {}).get("hook")
    return int(start([event, "--client", client, *place, *rest])) if start else 0
