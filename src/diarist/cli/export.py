"""`diarist export`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, filter_options, make_filter, open_workspace, say
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.exporting import Exported

_OF = {"atif": "sessions", "otel": "sessions", "jsonl": "entries", "markdown": "entries", "store": "all"}
"""What each form is for where nothing else is said."""


@click.command("export")
@click.argument("wanted", nargs=-1, metavar="[ID]...")
@click.option("--format", "form", type=click.Choice(list(_OF)), default="jsonl", show_default=True)
@click.option("--sessions/--entries", "sessions", default=None, help="What to write. Default: sessions for atif and otel, else entries.")
@filter_options
@click.option("--output", "-o", metavar="PATH", help="A file, or an existing folder for a file each. Default: standard output.")
@click.pass_context
def export_command(
    ctx: click.Context, /, wanted: tuple[str, ...], form: str, sessions: bool | None, output: str | None, **filters: str | None
) -> None:
    """Write sessions or entries out, redacted as they are kept. Without ID: all that the filters leave.

    atif is the Agent Trajectory Interchange Format, otel is OTLP JSON with the GenAI conventions, jsonl of sessions is Diarist's
    neutral form; `diarist ingest` reads all three. The same content gives the same bytes. store is everything there is in one file,
    which `diarist import` reads into another database; filters do not count for it.

    \b
    diarist export --format atif kh-3f6x -o run.json
    diarist export --format otel --since 7d -o traces.jsonl
    diarist export --format markdown --sessions --project shop -o pages/
    """
    if form == "store":
        from diarist.cli.import_ import export_whole

        export_whole(open_workspace(ctx, read_only=True), output)
        return
    of = _OF[form] if sessions is None else "sessions" if sessions else "entries"
    memory = open_workspace(ctx, read_only=True)
    exported = memory.export_each(make_filter(("entry",), **filters), form, of=of, wanted=wanted or None)
    if output is None or output == "-":
        from diarist.app.exporting import joined

        for piece in joined(exported):
            sys.stdout.buffer.write(piece)
        return
    try:
        written = _write(exported, Path(output), each=Path(output).is_dir() or output.endswith(("/", "\\")))
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from error
    say(f"{count(written, *(('entry', 'entries') if of == 'entries' else ('session', 'sessions')))} written to {output}", err=True)


def _write(exported: Iterable[Exported], target: Path, *, each: bool) -> int:
    """Writes a file for each, or all of them into one; returns how many there were."""
    number = 0
    if each:
        target.mkdir(parents=True, exist_ok=True)
        for one in exported:
            number += 1
            with (target / one.name).open("wb") as stream:
                stream.writelines(one.pieces)
        return number
    with target.open("wb") as stream:
        for one in exported:
            number += 1
            stream.write(one.between if number > 1 else b"")
            stream.writelines(one.pieces)
    return number
