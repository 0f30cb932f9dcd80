"""`diarist search` and `diarist recall` with help and explained mistakes; what they do is in `diarist.asking`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from diarist.asking import OPTIONS, Option, perform

F = TypeVar("F", bound=Callable[..., Any])


def _options(command: str) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(OPTIONS[command]):
            function = _option(option)(function)
        return function

    return add


def _option(option: Option) -> Callable[[F], F]:
    settings: dict[str, Any] = {"help": option.help, "metavar": option.metavar}
    if option.kind == "flag":
        settings |= {"is_flag": True}
    elif option.kind == "many":
        settings |= {"multiple": True}
    elif option.kind == "number":
        settings |= {"type": click.IntRange(option.least, option.most), "default": option.default, "show_default": True}
    elif option.choices:
        settings |= {"type": click.Choice(option.choices)}
    return click.option(option.flag, option.name, **settings)


def _run(ctx: click.Context, command: str, query: tuple[str, ...], values: dict[str, Any]) -> int:
    if bool(query) == bool(values["error"]):
        raise click.UsageError("give a QUERY or --error FILE, not both." if query else "give a QUERY, or --error FILE.")
    return perform(command, ctx.find_root().obj["workspace"], query, values)


@click.command("search")
@click.argument("query", nargs=-1, metavar="QUERY...")
@_options("search")
@click.pass_context
def search_command(ctx: click.Context, /, query: tuple[str, ...], **values: Any) -> int:
    """Find past runs, errors and notes.

    Words are matched by their stems, "phrases" exactly. Filters stand in the query too: agent: project: outcome: tag: kind:
    since: before: file: tool: workflow:

    \b
    diarist search "flaky login test"
    diarist search timeout outcome:recovered since:30d
    make 2>&1 | diarist search --error -
    """
    return _run(ctx, "search", query, values)


@click.command("recall")
@click.argument("query", nargs=-1, metavar="QUERY...")
@_options("recall")
@click.pass_context
def recall_command(ctx: click.Context, /, query: tuple[str, ...], **values: Any) -> int:
    """What an agent should know before it starts: few, cited, within a budget; nothing when nothing fits."""
    return _run(ctx, "recall", query, values)
