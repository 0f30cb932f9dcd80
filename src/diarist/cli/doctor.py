"""`diarist doctor` and `diarist redistil`."""

from __future__ import annotations

from typing import Any

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, say


@click.command("doctor")
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, /, as_json: bool) -> int:
    """Check that nothing was lost and everything fits together: sources, evidence, entries, history, index."""
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
@click.pass_context
def redistil_command(ctx: click.Context, /) -> None:
    """Make every entry anew from the evidence kept, after an upgrade. Ids stay."""
    report = open_workspace(ctx).redistil()
    say(f"{count(report.updated, 'entry', 'entries')} changed, {report.created} new, {report.without_entry} sessions say nothing.")
