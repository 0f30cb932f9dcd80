"""`diarist ingest`."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, parse_time, say
from diarist.cli.progress import Bar
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.ingest import IngestOptions, IngestReport
    from diarist.app.memory import Memory


@click.command("ingest")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--since", metavar="TIME", help="Only files changed since: 14d, 36h, or a date.")
@click.option("--agent", help="Only sessions of this agent.")
@click.option("--project", help="Only sessions of this project.")
@click.option("--dry-run", is_flag=True, help="Say what would be read; write nothing.")
@click.option("--watch", is_flag=True, help="Go on: import files as they grow, until Ctrl-C.")
@click.option(
    "--explain", is_flag=True, help="Show how each FILE would be understood: format, records, what is skipped, steps. Keeps nothing."
)
@click.option("--jobs", type=click.IntRange(0), default=0, help="Processes to read with; 0: as `ingest.jobs` says.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def ingest_command(ctx: click.Context, /, paths: tuple[str, ...], as_json: bool, yes: bool, **options: Any) -> int:
    """Import finished sessions.

    Without PATH: every session of every supported agent that lies on this machine. With PATH: files, folders, or - for
    standard input. Running it again reads only what is new.

    \b
    diarist ingest
    diarist ingest --since 14d --agent codex
    diarist ingest ~/.claude/projects/-home-me-app
    diarist ingest --watch ~/.codex/sessions
    diarist ingest --explain run.jsonl
    """
    from diarist.app.ingest import IngestOptions

    if options["explain"]:
        return _explain(ctx, paths, as_json)
    memory = open_workspace(ctx, of_all_projects=True)
    since = parse_time(options["since"], "--since") if options["since"] else None
    stdin = sys.stdin.buffer.read() if "-" in paths else None
    chosen: list[Path] = [Path(path).expanduser() for path in paths if path != "-"]
    if not paths:
        chosen = _found(memory, options["agent"], ask=not yes and not as_json and not options["dry_run"])
    if options["watch"] and (stdin is not None or options["dry_run"]):
        raise UsageError("--watch follows files and folders: it goes neither with - nor with --dry-run")
    wanted = IngestOptions(
        since=since, agent=options["agent"], project=options["project"], dry_run=options["dry_run"], jobs=options["jobs"]
    )
    if options["watch"]:
        return _watch(memory, chosen, wanted, as_json)
    with Bar(enabled=sys.stderr.isatty() and not as_json) as bar:
        report = memory.ingest(chosen, wanted, stdin=stdin, on_progress=lambda at: bar.show(at.stage, at.done, at.total))
    if as_json:
        emit_json(as_plain(report))
    else:
        _tell(report, dry_run=options["dry_run"])
    return 130 if report.interrupted else int(report.lost)


def _watch(memory: Memory, paths: list[Path], wanted: IngestOptions, as_json: bool) -> int:
    """Says what each import did, a line each (JSON: an object each); ends well when it is told to end."""
    import signal
    from threading import Event

    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def tell_each(report: IngestReport) -> None:
        if as_json:
            emit_json(as_plain(report))
        else:
            _tell(report, dry_run=False, hint=False)
        sys.stdout.flush()

    say("Watching; stop with Ctrl-C.", err=True)
    with suppress(KeyboardInterrupt):
        memory.watch(paths, wanted, tell_each, stop)
    say("Stopped watching. Nothing is lost: the next `diarist ingest` goes on from here.", err=True)
    return 0


def _explain(ctx: click.Context, paths: tuple[str, ...], as_json: bool) -> int:
    """Nothing is kept, so that there need be no workspace yet."""
    from tempfile import TemporaryDirectory

    from diarist.bootstrap import open_memory
    from diarist.errors import NotFoundError

    if not paths:
        raise UsageError("--explain needs a file: `diarist ingest --explain FILE`")
    try:
        memory = open_workspace(ctx, read_only=True)
    except NotFoundError:
        memory = open_memory(ctx.with_resource(TemporaryDirectory(prefix="diarist-")), embedded=True)
        ctx.call_on_close(memory.close)
    return max(_explain_one(memory, path, as_json) for path in paths)


def _explain_one(memory: Memory, path: str, as_json: bool) -> int:
    from diarist.cli.explain import show

    data = sys.stdin.buffer.read() if path == "-" else None
    return show(memory.explain(Path(path).expanduser(), data), as_json=as_json)


def _found(memory: Memory, agent: str | None, *, ask: bool) -> list[Path]:
    found = {name: roots for name, roots in memory.find_sessions().items() if agent in (None, name)}
    if not found:
        raise UsageError("no agent's sessions were found in the usual folders. Name a file or folder: `diarist ingest PATH`.")
    for name, roots in found.items():
        for root in roots:
            files = [path for path in root.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            say(f"{name}: {count(len(files), 'file')}, {size / 1e6:,.1f} MB in {root}", err=True)
    if ask and sys.stdin.isatty():
        click.confirm("Import them? Secrets are masked before anything is kept; nothing leaves this machine.", abort=True, err=True)
    return [root for roots in found.values() for root in roots]


def as_plain(report: IngestReport) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "entries": [{"id": entry.id, "task_id": entry.task_id, "outcome": entry.outcome, "title": entry.title} for entry in report.entries],
        "created": report.created,
        "updated": report.updated,
        "files_read": report.files_read,
        "files_unchanged": report.files_unchanged,
        "files_skipped": report.files_skipped,
        "bytes_read": report.bytes_read,
        "sessions_without_entry": report.without_entry,
        "captures": list(report.captures),
        "problems": [{"path": problem.path, "reason": problem.reason, "lost": problem.lost} for problem in report.problems],
        "interrupted": report.interrupted,
    }


def _tell(report: IngestReport, *, dry_run: bool, hint: bool = True) -> None:
    for problem in report.problems[:20]:
        say(f"{'lost' if problem.lost else 'note'}: {problem.path}: {problem.reason}", err=True)
    if len(report.problems) > 20:
        say(f"… and {len(report.problems) - 20} more; `--json` lists all.", err=True)
    if dry_run:
        say(f"Would read {count(report.files_read, 'file')} ({report.bytes_read / 1e6:,.1f} MB); {report.files_unchanged:,} unchanged.")
        return
    say(
        f"{count(report.created, 'new entry', 'new entries')}, {report.updated:,} updated, from {count(report.files_read, 'file')} "
        f"({report.bytes_read / 1e6:,.1f} MB). Unchanged: {report.files_unchanged:,}; not transcripts: {report.files_skipped:,}; "
        f"sessions that say nothing: {report.without_entry:,}."
    )
    if report.interrupted:
        say("Stopped. Run the same command again to go on where it was.", err=True)
    elif report.created and hint:
        say('Next: `diarist diary list`, or `diarist search "what you remember of it"`.')
