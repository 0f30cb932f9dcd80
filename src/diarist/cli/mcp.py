"""`diarist mcp`."""

from __future__ import annotations

import click

from diarist.errors import UsageError


@click.command("mcp")
@click.option("--write", is_flag=True, help="Offer kb_edit and record_diary too. Default: reading only.")
@click.pass_context
def mcp_command(ctx: click.Context, /, write: bool) -> int:
    """Serve the workspace to an agent over MCP, on standard input and output. Clients start it; see `diarist connect`.

    With `--write`, or DIARIST_MCP_WRITE=1 in its environment, the agent may also write notes and diary entries.
    """
    root = ctx.find_root().obj
    start = root.get("surfaces", {}).get("mcp")
    if start is None:
        raise UsageError("the MCP server can only be started from the `diarist` command")
    return int(start(root["workspace"], write=write))
