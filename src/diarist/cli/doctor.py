"""`diarist doctor` and `diarist redistil`."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from diarist.cli.common import count, emit_json, facts_of, json_option, open_workspace, say
from diarist.cli.progress import Bar


@click.command("doctor")
@click.option("--repair", "repairs", is_flag=True, help="Make it consistent again from what is whole. Damaged files are kept aside.")
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, /, repairs: bool, as_json: bool) -> int:
    """Check that nothing was lost and everything fits together: sources, evidence, entries, history, index."""
    if repairs:
        return _repair(ctx, as_json=as_json)
    report = open_workspace(ctx, read_only=True).doctor()
    if as_json:
        emit_json(report)
    else:
        for name, value in report["counts"].items():
            say(f"{name.replace('_', ' ')}: {value:,}")
        for fault in report["faults"]:
            say(f"fault: {fault}")
        for note in report["notes"]:
            say(f"note: {note}")
        _unknown(report["unknown"])
        say("everything fits together" if not report["faults"] else count(len(report["faults"]), "fault"))
    return int(bool(report["faults"]))


def _repair(ctx: click.Context, *, as_json: bool) -> int:
    from diarist.bootstrap import repair

    done = repair(ctx.find_root().obj["workspace"])
    if as_json:
        emit_json(facts_of(done))
        return int(bool(done.lost))
    for line in done.done:
        say(line)
    for path in done.kept:
        say(f"kept aside: {path}")
    for line in done.lost:
        say(f"could not be saved: {line}")
    say("nothing to repair" if not (done.done or done.lost) else "repaired" if not done.lost else "repaired, as far as it could be")
    return int(bool(done.lost))


def _unknown(found: list[dict[str, Any]]) -> None:
    """What no importer knew, in a form that can be handed on: names of fields and sizes, no words."""
    if found:
        say("\nno importer knew (for a report; no words of the files in it):")
    for each in found:
        what = f"{count(each['number'], 'record')} of {each['of']}" if each["of"] else count(each["number"], "file")
        say(f"- {what}" + (f", as {each['example']}" if each["example"] else ""))
        for line in each["shape"]:
            say(f"    {line}")


@click.command("redistil")
@click.option("--jobs", type=click.IntRange(0), default=0, help="Processes to distil with; 0: as `ingest.jobs` says.")
@click.pass_context
def redistil_command(ctx: click.Context, /, jobs: int) -> int:
    """Make every entry anew from the evidence kept, after an upgrade. Ids stay."""
    memory = open_workspace(ctx)
    with Bar(enabled=sys.stderr.isatty()) as bar:
        report = memory.redistil(jobs=jobs, on_progress=partial(bar.show, "distilling"))
    say(f"{count(report.updated, 'entry', 'entries')} changed, {report.created} new, {report.without_entry} sessions say nothing.")
    for (agent, session), problem in sorted(report.problems.items()):
        say(f"session {session} of {agent} could not be distilled ({problem}); what was told of it before stays.", err=True)
    return int(bool(report.problems))
