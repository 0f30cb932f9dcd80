"""`diarist mcp`."""

from __future__ import annotations

import click

from diarist.errors import UsageError


@click.command("mcp")
@click.option("--write", is_flag=True, help="Offer the tools that write too. Default: reading only, and feedback.")
@click.pass_context
def mcp_command(ctx: click.Context, /, write: bool) -> int:
    """Serve the workspace to an agent over MCP, on standard input and output. Clients start it; see `diarist connect`.

    With `--write`, or DIARIST_MCP_WRITE=1 in its environment, the agent may also propose edits and skills, hand in
    runs, and store facts. A person decides on what it proposes.
    """
    root = ctx.find_root().obj
    start = root.get("surfaces", {}).get("mcp")
    if start is None:
        raise UsageError("the MCP server can only be started from the `diarist` command")
    return int(start(root["workspace"], write=write))
