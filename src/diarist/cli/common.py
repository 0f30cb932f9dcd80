"""What several commands share: opening the workspace, options for filters, times, output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from diarist.errors import UsageError
from diarist.text.terminal import safe

if TYPE_CHECKING:
    from msgspec import Struct

    from diarist.app.memory import Memory
    from diarist.model.record import RecordFilter

F = TypeVar("F", bound=Callable[..., Any])

OUTCOMES = ("completed", "recovered", "failed", "interrupted", "unknown")

json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")


def open_workspace(ctx: click.Context, *, read_only: bool = False, of_all_projects: bool = False) -> Memory:
    """The workspace this command line means, closed again when the command ends.

    `of_all_projects`: what it does concerns other projects than the one in whose folder one stands, so that one's file has no say.
    """
    from diarist.bootstrap import open_memory

    memory = open_memory(ctx.find_root().obj["workspace"], read_only, project_root=None if of_all_projects else _project_root())
    ctx.call_on_close(memory.close)
    return memory


def here() -> Path:
    """The folder one stands in. Raises UsageError where it was removed meanwhile."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the folder you are in is not there any more; go to another one and try again") from error


def _project_root() -> Path | None:
    """The folder of the checkout one stands in whose `.diarist/config.toml` has a say, if there is one."""
    try:
        place = here()
    except UsageError:
        return None
    for folder in (place, *place.parents):
        if (folder / ".diarist" / "config.toml").is_file():
            return folder
        if (folder / ".git").exists():
            break
    return None


def filter_options(command: F) -> F:
    """--since --before --agent --project --workflow --outcome --tag, as parameters of those names."""
    for option in reversed(
        [
            click.option("--since", metavar="TIME", help="Not older than: 14d, 36h, 30m, or a date (2026-11-30, UTC)."),
            click.option("--before", metavar="TIME", help="Older than, in the same forms."),
            click.option("--agent", help="Only this agent's, as claude-code or codex."),
            click.option("--project", help="Only this project's."),
            click.option("--workflow", help="Only this workflow's."),
            click.option("--outcome", type=click.Choice(OUTCOMES), help="Only runs that ended so."),
            click.option("--tag", help="Only what carries this tag."),
        ]
    ):
        command = option(command)
    return command


def make_filter(kinds: tuple[str, ...], since: str | None = None, before: str | None = None, **exact: Any) -> RecordFilter:
    """The filter that the options of `filter_options` mean. Raises UsageError for a time that cannot be read."""
    from typing import cast

    from diarist.model.record import Kind, RecordFilter

    return RecordFilter(
        kinds=cast("tuple[Kind, ...]", kinds),
        since=parse_time(since, "--since") if since else None,
        before=parse_time(before, "--before") if before else None,
        **exact,
    )


def parse_time(text: str, name: str) -> datetime:
    """A duration back from now ("14d"), or an ISO date or time (UTC unless it tells its zone).

    Raises UsageError naming the option.
    """
    from diarist.text.durations import parse_moment

    try:
        return parse_moment(text, datetime.now(UTC))
    except UsageError as error:
        raise UsageError(f"{name}: {error} Or give a date: 2026-11-30, or 2026-11-30T12:00 (UTC).") from error


def read_text(source: str) -> str:
    """Text of a file, or of standard input for "-". Raises UsageError where it cannot be read."""
    if source == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(source).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror or error}") from error


def current_project() -> str:
    """The project of the folder the command runs in."""
    from diarist.app.projects import resolve_project

    return resolve_project(str(here()))


def chosen_project(project: str | None, all_projects: bool) -> str | None:
    """What `--project` and `--all-projects` ask for: the current project where neither was given, None for every project."""
    if all_projects:
        return None
    return current_project() if project is None else project


def facts_of(value: Struct) -> dict[str, Any]:
    """What a report tells, by name."""
    from msgspec.structs import asdict

    return asdict(value)


def emit_json(value: object) -> None:
    """One JSON document on standard output."""
    from diarist.model.codec import to_json

    click.echo(to_json(value).decode())


def say(text: str = "", *, err: bool = False) -> None:
    """A line for people. What a transcript says cannot steer the terminal."""
    click.echo(safe(text), err=err)


def table(rows: Sequence[tuple[str, ...]], head: tuple[str, ...], widths: tuple[int, ...]) -> None:
    """A plain table: every column cut to its width but the last, which goes on to the edge of the terminal."""
    import shutil

    room = shutil.get_terminal_size((120, 24)).columns - sum(widths) - 2 * len(widths)
    sizes = (*widths, max(24, room))
    for row in (head, *rows):
        cells = [_cut(safe(" ".join(cell.split())), size) for cell, size in zip(row, sizes, strict=True)]
        click.echo("  ".join(cell.ljust(size) for cell, size in zip(cells, sizes, strict=True)).rstrip())


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, as "1 entry" or "2 entries"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
