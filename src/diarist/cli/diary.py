"""`diarist diary list|show|add|verify|export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import (
    count,
    current_project,
    emit_json,
    facts_of,
    filter_options,
    json_option,
    make_filter,
    open_workspace,
    parse_time,
    read_text,
    say,
    table,
)
from diarist.cli.show import show_entry, show_worth

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.app.verifying import Verification
    from diarist.model.record import Record

SORTS = ("created_at", "updated_at", "title", "outcome", "task_id")


@click.group("diary")
def diary_command() -> None:
    """Entries: one for each finished run."""


@diary_command.command("list")
@filter_options
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@click.option("--sort", type=click.Choice([*SORTS, *(f"-{name}" for name in SORTS)]), default="-created_at", help="- for descending.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, limit: int | None, sort: str, as_json: bool, **filters: str | None) -> None:
    """List entries, newest first."""
    memory = open_workspace(ctx, read_only=True)
    where = make_filter(("entry",), **filters)
    records = list(memory.list_records(where, sort=sort, limit=limit))
    if as_json:
        emit_json([_listed(record) for record in records])
        return
    if not records:
        say(
            "No entries"
            + (" pass this filter." if any(filters.values()) else " yet. `diarist ingest` imports the sessions on this machine.")
        )
        return
    rows = [(record.id, f"{record.created_at:%Y-%m-%d %H:%M}", record.outcome, record.agent, str(record.title)) for record in records]
    table(rows, ("id", "ended (UTC)", "outcome", "agent", "title"), (19, 16, 11, 12))
    say(count(len(records), "entry", "entries"))


def _listed(record: Any) -> dict[str, Any]:
    names = (
        "id",
        "task_id",
        "session_id",
        "agent",
        "project",
        "workflow",
        "outcome",
        "verified",
        "title",
        "tags",
        "trust",
        "created_at",
        "updated_at",
    )
    return {name: getattr(record, name) for name in names}


@diary_command.command("show")
@click.argument("wanted", metavar="ID")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
@click.option("--transcript", is_flag=True, help="Print the redacted transcript it was made from.")
@json_option
@click.pass_context
def show_command(ctx: click.Context, /, wanted: str, form: str, transcript: bool, as_json: bool) -> None:
    """Show one entry. ID: its kh- id, its task id, or the beginning of either. Notes and whatever else search finds are shown too."""
    memory = open_workspace(ctx, read_only=True)
    other = None if transcript else _other(memory, wanted)
    if other is not None:
        _show_other(memory, other, as_json=as_json or form == "json", markdown=form == "markdown")
    elif transcript:
        say(memory.transcript(wanted))
    elif as_json or form == "json":
        emit_json(memory.get_entry(wanted))
    elif form == "markdown":
        say(memory.render(wanted, "hub"))
    else:
        entry = memory.get_entry(wanted)
        show_entry(entry)
        show_worth(memory.worth(entry.id))


def _other(memory: Memory, wanted: str) -> Record | None:
    """The note, lesson or the like that this is the id of, where no entry has it."""
    from diarist.errors import NotFoundError

    try:
        memory.get(wanted, ("entry",))
    except NotFoundError:
        return memory.get(wanted)
    return None


def _show_other(memory: Memory, record: Record, *, as_json: bool, markdown: bool) -> None:
    text = memory.markdown(record.id)
    if as_json:
        emit_json({"id": record.id, "kind": record.kind, "title": record.title, "project": record.project, "body": text})
        return
    if not markdown:
        say(f"{record.title}")
        say(f"{record.id}  {record.kind}  {record.project}  {record.updated_at:%Y-%m-%d %H:%M} UTC\n")
    say(text.rstrip())


@diary_command.command("add")
@click.argument("source", metavar="FILE|-")
@click.option("--task-id", required=True, help="The host's own name for the run; the same one again replaces the entry.")
@click.option("--agent", default="agent", show_default=True)
@click.option("--project", help="Default: the project of this folder.")
@click.option("--created-at", metavar="TIME", help="When the run ended; default: now.")
@click.option("--workflow", help="Workflow the run was part of.")
@click.option("--model", help="Model that was used.")
@click.option("--route", help="Route the host chose.")
@click.option("--outcome", type=click.Choice(["completed", "recovered", "failed", "interrupted"]), help="What the host knows of the end.")
@click.option("--verified/--not-verified", default=None, help="Whether the host's own check passed.")
@click.option("--escalations", type=click.IntRange(0))
@click.option("--build-attempts", type=click.IntRange(0))
@click.option("--latency-ms", type=click.IntRange(0))
@json_option
@click.pass_context
def add_command(
    ctx: click.Context, /, source: str, task_id: str, agent: str, project: str | None, created_at: str | None, as_json: bool, **host: Any
) -> None:
    """Add a run from a plain transcript (text or JSON lines)."""
    memory = open_workspace(ctx)
    stated = {name: value for name, value in host.items() if value is not None}
    entry = memory.add_entry(
        task_id=task_id,
        transcript=read_text(source),
        agent=agent,
        project=current_project() if project is None else project,
        created_at=parse_time(created_at, "--created-at") if created_at else None,
        host=stated or None,
    )
    if as_json:
        emit_json(entry)
    else:
        say(f"Added {entry.id} ({entry.outcome}): {entry.title}")


@diary_command.command("verify")
@click.argument("wanted", metavar="[ID|FILE.json]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every entry.")
@click.option("--transcript", metavar="FILE|-", help="Also compare with this plain transcript.")
@json_option
@click.pass_context
def verify_command(ctx: click.Context, /, wanted: tuple[str, ...], everything: bool, transcript: str | None, as_json: bool) -> int:
    """Check that entries are what their evidence gives: hashes, quotes, every derived field."""
    memory = open_workspace(ctx, read_only=True)
    given = read_text(transcript) if transcript else None
    if everything:
        wanted = tuple(record.id for record in memory.list_records(make_filter(("entry",))))
    if not wanted and not everything:
        raise click.UsageError("name an ID or a published FILE.json, or say --all.")
    results = [_verified(memory, each, given) for each in wanted]
    if as_json:
        emit_json([{**facts_of(result), "ok": result.ok} for result in results])
    else:
        _tell(results)
    return 0 if all(result.ok for result in results) else 1


def _verified(memory: Any, wanted: str, transcript: str | None) -> Verification:
    path = Path(wanted)
    result = memory.verify_file(path, transcript) if path.suffix == ".json" else memory.verify(wanted, transcript)
    assert result is not None
    return result  # type: ignore[no-any-return]


def _tell(results: list[Verification]) -> None:
    for result in results:
        if len(results) == 1 or not result.ok:
            say(f"{result.id}: " + ("verified" if result.ok else "NOT verified"))
            for line in result.faults:
                say(f"  fault: {line}")
            for line in result.notes:
                say(f"  note: {line}")
            if result.ok:
                say(f"  checked: {', '.join(result.checked)}")
    good = sum(result.ok for result in results)
    if len(results) > 1:
        say(f"{good:,} of {count(len(results), 'entry', 'entries')} verified")


@diary_command.command("export")
@filter_options
@click.option("--format", "form", type=click.Choice(["jsonl", "markdown"]), default="jsonl", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, writable=True), help="Default: standard output.")
@click.pass_context
def export_command(ctx: click.Context, /, form: str, output: str | None, **filters: str | None) -> None:
    """Write entries out, sorted by id: the same entries give the same bytes."""
    memory = open_workspace(ctx, read_only=True)
    where = make_filter(("entry",), **filters)
    with open(output, "wb") if output else _stdout() as stream:  # noqa: PTH123 - "-" and paths alike
        for chunk in memory.export(where, form):
            stream.write(chunk)


def _stdout() -> Any:
    from contextlib import nullcontext

    return nullcontext(sys.stdout.buffer)


@diary_command.command("reflect")
@click.argument("wanted", metavar="ID...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Print what would be sent and its size; ask no model.")
@json_option
@click.pass_context
def reflect_command(ctx: click.Context, /, wanted: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Let the configured model write what was learned from a run, under the daily cap."""
    memory = open_workspace(ctx, read_only=dry_run)
    if dry_run:
        shown = memory.preview_reflections(wanted)
        if as_json:
            emit_json([facts_of(each) for each in shown])
            return 0
        for each in shown:
            say(f"{each.entry_id}: about {each.tokens:,} tokens\n\n{each.prompt}")
        return 0
    counts = memory.reflect(wanted)
    if as_json:
        emit_json(counts)
    else:
        say(", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items()))
        if not any(counts.values()):
            say("no model is configured: set reflect.model (`diarist config list`)", err=True)
    return int(bool(counts["failed"]) or not any(counts.values()))
