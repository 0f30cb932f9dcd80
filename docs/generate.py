"""Writes the reference pages from the code: commands, settings, JSON schemas. `--check` only says which are stale."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import msgspec

from diarist.cli import cli
from diarist.config import SETTINGS
from diarist.model.entry import Entry
from diarist.model.session import CaptureReport, Step

REFERENCE = Path(__file__).resolve().parent / "reference"


def main() -> int:
    """0 when every page is fresh (or was written)."""
    pages = {
        "commands.md": commands(),
        "settings.md": settings(),
        "schemas/entry.json": schema(Entry),
        "schemas/capture-report.json": schema(CaptureReport),
        "schemas/step.json": schema(Step),
    }
    stale = [name for name, text in pages.items() if not (REFERENCE / name).is_file() or (REFERENCE / name).read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is stale: run python docs/generate.py\n")
        return int(bool(stale))
    for name in stale:
        (REFERENCE / name).parent.mkdir(parents=True, exist_ok=True)
        (REFERENCE / name).write_text(pages[name], "utf-8")
    return 0


def commands() -> str:
    """Every command with its help, in the order of the command line."""
    parts = ["# Commands\n\nMade from the code by `docs/generate.py`.\n"]
    parts += [f"## `{path}`\n\n```text\n{text}\n```\n" for path, text in _helps(cli, click.Context(cli, info_name="diarist"))]
    return "\n".join(parts)


def _helps(command: click.Command, ctx: click.Context) -> list[tuple[str, str]]:
    ctx.terminal_width = ctx.max_content_width = 110
    found = [(ctx.command_path, command.get_help(ctx).rstrip())]
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            if child is not None and not child.hidden:
                found += _helps(child, click.Context(child, info_name=name, parent=ctx))
    return found


def settings() -> str:
    """Every setting with type, default and meaning."""
    rows = [
        f"| `{each.name}` | {each.kind.__name__} | `{json.dumps(each.default)}` | {f'`{each.env}`' if each.env else ''} "
        f"| {'yes' if each.project else ''} | {each.help} |"
        for each in SETTINGS
    ]
    head = [
        "# Settings",
        "",
        "Made from the code by `docs/generate.py`. Environment wins over the project's `.diarist/config.toml`, which wins over the",
        "user's `config.toml` (`diarist config path`). `DIARIST_HOME` or `--workspace` names the workspace folder.",
        "",
        "| setting | type | default | environment | project may set it | meaning |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def schema(kind: type) -> str:
    """JSON Schema of a model value."""
    return json.dumps(msgspec.json.schema(kind), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
