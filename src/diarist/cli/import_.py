"""`diarist import`, and `diarist export --format store`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, emit_json, open_workspace, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from diarist.app.memory import Memory


@click.command("import")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def import_command(ctx: click.Context, /, file: str, as_json: bool) -> None:
    """Read a whole store that `diarist export --format store` wrote, into an empty one.

    Ids, history, hashes, tombstones and decisions stay as they were. With DIARIST_DATABASE_URL it moves to PostgreSQL, without it
    into the workspace folder. If it is broken off, run it again: it goes on.

    \b
    diarist export --format store -o diary.store
    DIARIST_DATABASE_URL=postgresql://diarist@db/diarist diarist import diary.store
    """
    moved = open_workspace(ctx, of_all_projects=True).import_store(file, _shown(as_json))
    if as_json:
        emit_json({"lines": moved.lines, "added": moved.added})
        return
    say(f"{count(moved.added, 'row', 'rows')} imported from {file}. `diarist doctor` checks that everything fits together.")


def export_whole(memory: Memory, output: str | None) -> None:
    """Writes the whole store to the file `output`."""
    if output in (None, "-"):
        raise click.UsageError("a whole store goes to a file: give -o FILE")
    moved = memory.export_store(Path(str(output)), _shown(False))
    say(f"{count(moved.lines, 'line', 'lines')} written to {output}. Keep it as safe as the workspace itself.", err=True)


def _shown(quiet: bool) -> Callable[[int, int], None] | None:
    if quiet:
        return None
    return _Shown()


class _Shown:
    """A line that is written over: how far, how fast, how long yet. What an earlier import left counts as done, not as speed."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Told lines done and in all."""
        now = time.monotonic()
        if self._began is None:
            self._began = now, done
        seconds, lines = now - self._began[0], done - self._began[1]
        rate = lines / seconds if seconds > 0 else 0.0
        left = f", {rate:,.0f} a second, {_span((total - done) / rate)} left" if rate and done < total else ""
        click.echo(f"\r{done:,} of {total:,}{left}".ljust(72), nl=done >= total, err=True)


def _span(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
