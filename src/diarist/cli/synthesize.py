"""`diarist synthesize`: themes over the diary, a report to read, and its approval."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from diarist.cli.common import chosen_project, count, current_project, emit_json, here, json_option, open_workspace, parse_time, say
from diarist.model.record import RecordFilter
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.drafts import Written
    from diarist.app.memory import Memory
    from diarist.model.theme import Report


@click.command("synthesize")
@click.option(
    "--since", default="14d", show_default=True, metavar="SPAN", help="Length of the window: 14d, 36h, 30m, 5s; a bare number is days."
)
@click.option(
    "--threshold", type=float, default=0.34, show_default=True, help="Least overlap of an entry with the rest of its theme, 0 to 1."
)
@click.option(
    "--min-cluster-size", type=int, default=2, show_default=True, help="Fewest entries, of different sessions, that make a theme."
)
@click.option("--project", help="Default: the project of this folder.")
@click.option("--all-projects", is_flag=True, help="Write each project's own report.")
@click.option("--dry-run", is_flag=True, help="Print the report; write nothing.")
@click.option("--apply", "approve", is_flag=True, help="Approve the newest draft with these options, exactly as it was written.")
@click.option("--yes", is_flag=True, help="Do not ask; for where nobody can answer.")
@click.option("--why", default="", help="Reason for the approval, kept with it.")
@click.option("--write-targets", is_flag=True, help="With --apply: write the approved lessons into the files of synthesis.targets.")
@click.option("--now", metavar="TIME", help="Pretend it is this time, for replays (2026-11-30T12:00, UTC).")
@json_option
@click.pass_context
def synthesize_command(
    ctx: click.Context,
    /,
    since: str,
    threshold: float,
    min_cluster_size: int,
    project: str | None,
    all_projects: bool,
    dry_run: bool,
    approve: bool,
    yes: bool,
    why: str,
    write_targets: bool,
    now: str | None,
    as_json: bool,
) -> int:
    """Group recent entries into themes and draft a report to review. Nothing changes by it until it is approved.

    \b
    diarist synthesize                   draft this project's report of the last 14 days
    diarist synthesize --dry-run         print it instead
    diarist synthesize --apply           approve the draft after reading it
    """
    _check_options(dry_run=dry_run, approve=approve, write_targets=write_targets, all_projects=all_projects, project=project)
    memory = open_workspace(ctx, read_only=dry_run)
    where = chosen_project(project, all_projects)
    window: dict[str, Any] = {"since": since, "threshold": threshold, "min_cluster_size": min_cluster_size}
    moment = parse_time(now, "--now") if now else None
    cwd = str(here()) if where == current_project() else ""
    if dry_run:
        return _print_only(memory.synthesize(**window, project=where, now=moment), as_json)
    if where is None:
        return _write_all(memory, window, moment, as_json)
    if approve:
        return _approve(memory, _Asked(window, where, cwd, moment, yes=yes, why=why, targets=write_targets, as_json=as_json))
    report = memory.synthesize(**window, project=where, now=moment, write=True, cwd=cwd)
    written = memory.find_report(**window, project=where, cwd=cwd)
    assert written is not None, "it was written just now"
    _tell(report, written, as_json)
    return 0


class _Asked:
    """What `--apply` was asked for."""

    def __init__(
        self, window: dict[str, Any], project: str, cwd: str, now: datetime | None, *, yes: bool, why: str, targets: bool, as_json: bool
    ) -> None:
        self.window, self.project, self.cwd, self.now = window, project, cwd, now
        self.yes, self.why, self.targets, self.as_json = yes, why, targets, as_json


def _check_options(*, dry_run: bool, approve: bool, write_targets: bool, all_projects: bool, project: str | None) -> None:
    if dry_run and approve:
        raise click.UsageError("--dry-run writes nothing and --apply approves: give one of them.")
    if write_targets and not approve:
        raise click.UsageError("--write-targets goes with --apply.")
    if all_projects and (approve or project is not None):
        raise click.UsageError("--all-projects drafts every project's report; approve one of them with --project NAME --apply.")


def _print_only(report: Report, as_json: bool) -> int:
    from diarist.stages.synthesis import render_report

    if as_json:
        emit_json(report)
    else:
        say(render_report(report))
    return 0


def _write_all(memory: Memory, window: dict[str, Any], now: datetime | None, as_json: bool) -> int:
    projects = sorted({scope.project for scope in memory.scopes() if scope.kind == "entry"})
    first = (now or memory.now()) - parse_duration(window["since"])
    for project in projects:
        if not any(memory.list_records(RecordFilter(kinds=("entry",), project=project, since=first), limit=1)):
            continue
        report = memory.synthesize(**window, project=project, now=now, write=True)
        written = memory.find_report(**window, project=project)
        if written is not None:
            if not as_json:
                say(f"{project or 'no project'}:")
            _tell(report, written, as_json)
    if not projects:
        say("No diary entries yet. `diarist ingest` imports the sessions on this machine.")
    return 0


def _tell(report: Report, written: Written, as_json: bool) -> None:
    if as_json:
        emit_json({"path": str(written.file), "approved": written.draft.approved, "report": report})
        return
    say(f"Wrote synthesis report: {written.file}")
    say(f"  themes:   {len(report.themes)}, holding {report.in_themes} of {count(report.entries, 'entry', 'entries')}")
    say(f"  approved: {written.draft.approved}")
    telling = [theme for theme in report.themes if theme.is_telling]
    for theme in telling[:20]:
        say(f"  {theme.size:>5}  {theme.label}  ({theme.id})")
    if len(telling) > 20:
        say(f"         and {len(telling) - 20} more")
    for theme in report.errors[:5]:
        say(f"  {theme.size:>5}  error: {theme.label}  ({theme.id})")
    if quiet := len(report.themes) - len(telling):
        say(f"         {count(quiet, 'theme', 'themes')} in which nothing recurs but the subject: listed in the report, nothing to decide")
    if report.skipped:
        say(f"  skipped:  {len(report.skipped)} that could not be read; the report names them")
    if (telling or report.errors) and not written.draft.approved:
        say("Read it, then approve it with the same options and --apply, or theme by theme with `diarist review`.")


def _approve(memory: Memory, asked: _Asked) -> int:
    if asked.targets:
        memory.plan_targets(asked.project, cwd=asked.cwd)  # what speaks against it is said before anything is approved
    written = memory.find_report(**asked.window, project=asked.project, cwd=asked.cwd)
    if written is None or written.draft.approved:
        report = memory.synthesize(**asked.window, project=asked.project, now=asked.now)
        if written is not None and written.draft.input_digest == report.input_digest:
            say(f"{written.file} is approved already, and nothing has changed in the window since.", err=asked.as_json)
            return _targets(memory, asked)
        written = _draft_and_ask(memory, asked)
        if written is None:
            return 1
    approved = memory.approve_report(written, why=asked.why, cwd=asked.cwd)
    if asked.as_json:
        emit_json({"path": str(written.file), "approved": True, "accepted": [each.name for each in approved.accepted]})
    else:
        say(f"Approved: {written.file}")
        say(f"  drafted for {written.draft.window_end:%Y-%m-%d %H:%M} UTC; {lessons_made(approved.lessons)}")
    return _targets(memory, asked)


def _draft_and_ask(memory: Memory, asked: _Asked) -> Written | None:
    """A fresh draft, if the user agrees to what it says."""
    memory.synthesize(**asked.window, project=asked.project, now=asked.now, write=True, cwd=asked.cwd)
    written = memory.find_report(**asked.window, project=asked.project, cwd=asked.cwd)
    assert written is not None, "it was written just now"
    say(written.draft.text, err=asked.as_json)
    if asked.yes or (sys.stdin.isatty() and click.confirm("Approve this report?", err=True)):
        return written
    say(f"Not approved. The draft is {written.file}; once it is read, --apply approves it (--yes where nobody can answer).", err=True)
    return None


def _targets(memory: Memory, asked: _Asked) -> int:
    if not asked.targets:
        return 0
    changes = memory.plan_targets(asked.project, cwd=asked.cwd)
    if not changes:
        say("The target files hold these lessons already.", err=asked.as_json)
        return 0
    return write_changes(memory, asked.project, changes, yes=asked.yes)


def lessons_made(number: int) -> str:
    """As "1 theme became a lesson"."""
    return "1 theme became a lesson" if number == 1 else f"{number} themes became lessons"


def write_changes(memory: Memory, project: str, changes: list[Any], *, yes: bool, revert: bool = False) -> int:
    """Shows the diffs, asks, writes; the exit code."""
    for change in changes:
        say(change.diff, err=True)
    if not yes and not (sys.stdin.isatty() and click.confirm("Write this?", err=True)):
        say("Not written. Run it where somebody can answer, or with --yes.", err=True)
        return 1
    for file in memory.write_targets(project, changes, revert=revert):
        say(f"Wrote {file}", err=True)
    return 0
