"""`diarist search` and `diarist recall`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from diarist.errors import UsageError
from diarist.text.terminal import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.memory import Memory
    from diarist.model.hit import Hit


def _open(ctx: click.Context) -> Memory:
    from diarist.bootstrap import open_memory

    memory = open_memory(ctx.find_root().obj["workspace"])
    ctx.call_on_close(memory.close)
    return memory


def _read(source: str) -> str:
    if source == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with open(source, "rb") as stream:  # noqa: PTH123 - pathlib costs start-up time here
            return stream.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror or error}") from error


mode_option = click.option(
    "--mode", type=click.Choice(["bm25", "hybrid"]), help="By words, or by words and meaning. Default: the setting search.mode."
)


@click.command("search")
@click.argument("query", nargs=-1, metavar="QUERY...")
@click.option("--error", metavar="FILE|-", help="Look up this error output instead; entries that fixed it come first.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--project", help="Only this project. Default: every project.")
@click.option("--here", is_flag=True, help="Only the project of this folder.")
@click.option("--kind", "kinds", multiple=True, help="Only records of this kind (entry, note, lesson, …); may be repeated.")
@click.option("--explain", is_flag=True, help="Say why each hit ranks where it does.")
@mode_option
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_context
def search_command(
    ctx: click.Context,
    /,
    query: tuple[str, ...],
    error: str | None,
    limit: int,
    here: bool,
    kinds: tuple[str, ...],
    explain: bool,
    mode: str | None,
    as_json: bool,
    project: str | None,
) -> None:
    """Find past runs, errors and notes.

    Words are matched by their stems, "phrases" exactly. Filters stand in the query: agent: project: outcome: tag: kind:
    since: before: file: tool:

    \b
    diarist search "flaky login test"
    diarist search timeout outcome:recovered since:30d
    make 2>&1 | diarist search --error -
    """
    if bool(query) == bool(error):
        raise click.UsageError("give a QUERY or --error FILE, not both.")
    memory = _open(ctx)
    if here:
        from diarist.cli.common import current_project

        project = current_project()
    if error:
        hits = memory.search_error(_read(error), limit=limit, project=project)
    else:
        hits = memory.search(" ".join(query), limit=limit, project=project, kinds=kinds or None, mode=mode, explain=explain)
    if as_json:
        import json

        told = {"mode": hits.mode, "mode_reason": hits.mode_reason}
        click.echo(json.dumps([hit._asdict() | told for hit in hits], ensure_ascii=False))
        return
    _show(hits, explain=explain)
    _tell_mode(hits.mode, hits.mode_reason, explain=explain)
    if not hits:
        said = memory.suggest(" ".join(query)) if query else []
        click.echo("Nothing found." + (f" Did you mean: {', '.join(said)}?" if said else ""))


def _show(hits: Sequence[Hit], *, explain: bool) -> None:
    for hit in hits:
        what = f"{hit.outcome}" + (", verified" if hit.verified else "") if hit.outcome else hit.kind
        click.echo(f"{hit.id}  {hit.created_at[:10]}  {what}  {safe(_flat(hit.title))}")
        if hit.superseded_by:
            click.echo(f"    superseded by {hit.superseded_by}")
        if hit.snippet:
            click.echo(f"    {safe(_flat(hit.snippet))}")
        for reason in hit.reasons if explain else ():
            click.echo(f"    {safe(reason)}")


def _tell_mode(mode: str, reason: str, *, explain: bool) -> None:
    """On standard error, unless it is what everybody gets who asked for nothing else."""
    if explain or mode != "bm25" or reason.startswith("hybrid was wanted"):
        click.echo(f"found by {mode}: {reason}", err=True)


def _flat(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 240 else flat[:239] + "…"


@click.command("recall")
@click.argument("query", nargs=-1, metavar="QUERY...", required=True)
@click.option("--budget", type=click.IntRange(50, 100_000), default=2000, show_default=True, help="Tokens at most.")
@mode_option
@click.option("--project", help="Only this project. Default: every project.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_context
def recall_command(
    ctx: click.Context, /, query: tuple[str, ...], budget: int, mode: str | None, project: str | None, as_json: bool
) -> None:
    """What an agent should know before it starts: few, cited, within a budget; nothing when nothing fits."""
    pack = _open(ctx).recall(" ".join(query), budget=budget, project=project, mode=mode)
    if as_json:
        import json

        shown: dict[str, Any] = {"text": pack.text, "tokens": pack.tokens, "items": [hit._asdict() for hit in pack.items]}
        shown |= {"mode": pack.mode, "mode_reason": pack.mode_reason}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    if pack.text:
        click.echo(safe(pack.text))
    _tell_mode(pack.mode, pack.mode_reason, explain=False)
