"""`diarist serve`."""

from __future__ import annotations

import click

from diarist.errors import UsageError


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=7788, show_default=True)
@click.option("--host-name", "hosts", multiple=True, metavar="NAME", help="Name it answers to beside loopback ones. May be repeated.")
@click.option("--base-url", default="", metavar="URL", help="Where people reach it, for links; default: the address itself.")
@click.option("--rate", type=click.IntRange(0), default=1200, show_default=True, help="Requests a minute from one caller; 0: any.")
@click.option("--max-body", type=click.IntRange(1), default=8, show_default=True, metavar="MIB", help="Largest body of a request.")
@click.option("--max-upload", type=click.IntRange(1), default=256, show_default=True, metavar="MIB", help="Largest transcript, in memory.")
@click.pass_context
def serve_command(
    ctx: click.Context, /, host: str, port: int, hosts: tuple[str, ...], base_url: str, rate: int, max_body: int, max_upload: int
) -> int:
    """Serve the workspace to a team: the knowledge hub's HTTP API, MCP at /mcp, and Atlas for people.

    On a loopback address nobody needs a key until the first one is made. On any other address it starts only once there is one:
    `diarist keys add NAME --role admin`. Ctrl-C finishes what is at work, then ends. See docs/howto/serve.md.
    """
    root = ctx.find_root().obj
    start = root.get("surfaces", {}).get("serve")
    if start is None:
        raise UsageError("the server can only be started from the `diarist` command")
    return int(
        start(
            root["workspace"],
            host=host,
            port=port,
            hosts=hosts,
            base_url=base_url,
            rate=rate,
            body_bytes=max_body << 20,
            stream_bytes=max_upload << 20,
        )
    )
