"""`diarist redact`."""

from __future__ import annotations

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, read_text, say
from diarist.text.terminal import safe


@click.command("redact")
@click.argument("source", metavar="[FILE|-]", required=False)
@click.option("--explain", is_flag=True, help="List what would be masked and by which rule, instead of the text.")
@click.option("--rescan", is_flag=True, help="Rewrite what is kept already and what the rules of today would mask.")
@json_option
@click.pass_context
def redact_command(ctx: click.Context, /, source: str | None, explain: bool, rescan: bool, as_json: bool) -> None:
    """Mask secrets in a text, exactly as it is done before anything is kept.

    \b
    diarist redact build.log > build.redacted.log
    diarist redact --explain build.log
    diarist redact --rescan                         after a change of rules
    """
    if rescan == (source is not None) or (rescan and explain):
        raise click.UsageError("give a file (or - for standard input), or --rescan alone")
    if source is None:
        _rescan(ctx, as_json)
        return
    from diarist.bootstrap import build_redactor
    from diarist.config import load_settings

    redactor = build_redactor(load_settings(ctx.find_root().obj["workspace"]))
    text = read_text(source)
    if not (explain or as_json):
        click.echo(redactor.redact(text), nl=False)
        return
    found = redactor.find(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    from bisect import bisect_right

    places = [
        {"line": bisect_right(starts, each.start), "kind": each.kind, "rule": each.rule, "characters": each.end - each.start}
        for each in found
    ]
    if as_json:
        emit_json(places)
        return
    for place in places:
        say(safe(f"line {place['line']}: {place['kind']} ({place['characters']} characters, rule {place['rule']})"))
    say(f"{count(len(places), 'place')} would be masked.")


def _rescan(ctx: click.Context, as_json: bool) -> None:
    from msgspec.structs import asdict

    with open_workspace(ctx, of_all_projects=True) as memory:
        report = memory.rescan()
    if as_json:
        emit_json(asdict(report))
    elif report.current:
        say(f"Nothing to do: rules {report.rules_version} have seen everything that is kept.")
    else:
        say(
            f"Masked {report.places:,} places by rules {report.rules_version}. Rewritten: {report.parts:,} parts of sessions, "
            f"{report.records:,} records, {report.files:,} files; {report.payloads:,} earlier revisions were taken out of history."
        )
    if report.dropped and not as_json:
        say(f"{report.dropped:,} steps could not be redacted and were left out.")
