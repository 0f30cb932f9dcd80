"""`diarist correct`."""

from __future__ import annotations

import click

from diarist.cli.common import emit_json, json_option, open_workspace, parse_time, read_text, say
from diarist.errors import UsageError

_SHAPES = ("replaced", "reversed", "partly")


@click.command("correct")
@click.argument("wanted", metavar="ID")
@click.option("--replaced", metavar="TEXT|-", help="Something else holds: this.")
@click.option("--reversed", "reversed_", metavar="TEXT|-", help="The opposite holds: this.")
@click.option("--retracted", is_flag=True, help="It does not hold, and nothing takes its place.")
@click.option("--partly", metavar="TEXT|-", help="A part of it no longer holds: this does. The rest stays.")
@click.option("--until", metavar="DATE", help="It holds up to this date (UTC), not after.")
@click.option("--then", metavar="TEXT|-", help="With --until: what holds afterwards.")
@click.option("--why", default="", help="The reason, for those who read it later.")
@click.option("--undo", is_flag=True, help="ID is a correction: take it back.")
@json_option
@click.pass_context
def correct_command(ctx: click.Context, /, wanted: str, as_json: bool, undo: bool, **given: object) -> None:
    """Say that an entry, note, lesson or item was wrong, or is no longer so. Search and recall then tell what stands.

    It holds also when the old session is imported again. History keeps what was said before.

    \b
    diarist correct kh-3f6x --replaced "Deploys go through the blue gate." --why "Moved in May."
    diarist correct kh-3f6x --retracted
    diarist correct kh-3f6x --until 2026-12-31 --then "Use the v2 endpoint."
    diarist correct kh-7ab2 --undo
    """
    memory = open_workspace(ctx)
    if undo:
        target = memory.take_back_correction(wanted)
        if as_json:
            emit_json({"target": target})
        else:
            say(f"{target} counts as before.")
        return
    done = memory.correct(wanted, **_amends(given))  # type: ignore[arg-type]
    if as_json:
        emit_json(done._asdict())
        return
    shape = {"partly": "replaced in part", "until": "holds up to that date"}.get(done.shape, done.shape)
    say(f"{done.target}: {shape}. The correction is {done.correction}; `diarist correct {done.correction} --undo` takes it back.")
    for each in done.lessons:
        say(f"superseded with it: the lesson {each}")
    for each in done.look_at:
        say(f"rests on it too, read it again: {each}")
    for each in done.files:
        say(f"written anew: {each}")


def _amends(given: dict[str, object]) -> dict[str, object]:
    texts = {"replaced": given["replaced"], "reversed": given["reversed_"], "partly": given["partly"]}
    named = [shape for shape in _SHAPES if texts[shape] is not None]
    named += ["retracted"] if given["retracted"] else []
    named += ["until"] if given["until"] else []
    if len(named) != 1:
        raise UsageError("say one of --replaced, --reversed, --retracted, --partly and --until")
    (shape,) = named
    if given["then"] is not None and shape != "until":
        raise UsageError("--then goes with --until")
    text = texts.get(shape) if shape != "until" else given["then"]
    told = "" if text is None else read_text("-") if text == "-" else str(text)
    until = parse_time(str(given["until"]), "--until") if shape == "until" else None
    return {"shape": shape, "text": told, "why": str(given["why"]), "until": until}
