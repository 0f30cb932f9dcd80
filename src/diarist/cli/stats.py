"""`diarist stats`: what the workspace holds, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.insights import Share, Stats
    from diarist.app.worth import Overview

ALL_DAYS = 36_500


@click.command("stats")
@click.option(
    "--days", type=click.IntRange(1, ALL_DAYS), default=30, show_default=True, help="Only runs that ended in the last so many days."
)
@click.option("--project", help="Only this project. Default: every project.")
@json_option
@click.pass_context
def stats_command(ctx: click.Context, /, days: int, project: str | None, as_json: bool) -> None:
    """Runs by outcome, agent and project; errors with and without a fix; tokens and cost; what was shown and of use."""
    memory = open_workspace(ctx, read_only=True)
    told, useful = memory.stats(days=days, project=project), memory.usefulness()
    if as_json:
        from diarist.app.worth import as_plain

        plain = told._asdict() | {
            name: [each._asdict() for each in getattr(told, name)] for name in ("by_day", "agents", "projects", "errors")
        }
        emit_json({**plain, "usefulness": as_plain(useful)})
        return
    _tell_runs(told)
    _tell_shares("agents", told.agents)
    _tell_shares("projects", told.projects)
    _tell_errors(told)
    _tell_usefulness(useful)


def _tell_runs(told: Stats) -> None:
    outcomes = ", ".join(f"{number:,} {name}" for name, number in told.outcomes.items())
    say(f"{count(told.entries, 'run')} in {count(told.days, 'day')}" + (f": {outcomes}" if outcomes else ""))
    if told.recovery_rate is not None:
        say(f"  of those that met trouble, {told.recovery_rate:.0%} got past it")
    say(f"  {told.tokens:,} tokens" + (f", ${told.cost_usd:,.2f}" if told.cost_usd else "") + _counted_over(told))
    say(f"  {count(told.documents, 'note or lesson', 'notes and lessons')}, {count(told.waiting, 'proposal')} to review")


def _counted_over(told: Stats) -> str:
    return f" (counted over the newest {told.read:,})" if told.read < told.entries else ""


def _tell_shares(title: str, shares: Sequence[Share]) -> None:
    if shares:
        say(f"\n{title}")
        rows = [
            (f"{each.entries:,}", f"{each.recovered:,}", f"{each.failed:,}", f"{each.tokens:,}", each.name or "(none)") for each in shares
        ]
        table(rows, ("runs", "recovered", "failed", "tokens", "name"), (8, 9, 8, 14))


def _tell_errors(told: Stats) -> None:
    say(f"\nerrors: {told.errors_solved:,} with a fix, {told.errors_open:,} without" + _counted_over(told))
    for error in told.errors:
        solved = f"solved in {error.solved} of {error.runs} runs" if error.solved else f"met in {error.runs} runs, never solved"
        say(f"  {error.record_id}  {solved}: {' '.join(error.message.split())[:120]}")


def _tell_usefulness(useful: Overview) -> None:
    shown = [each for each in useful.surfaces if each.event in ("shown", "fetched")]
    if not useful.surfaces:
        say("\nusefulness: nothing was shown to an agent yet")
        return
    say("\nusefulness: " + "; ".join(f"{each.rows:,} {each.event} by {each.surface or 'a hook'} to {each.sessions:,}" for each in shown))
    total = useful.total
    say(
        f"  what came of it: cited {total.cited:,} times, followed {total.followed:,}; errors gone {total.errors_gone:,}, "
        f"left {total.errors_left:,}; helped {total.helped:,}, misled {total.harmed:,}"
    )
    for each in (*useful.best, *useful.worst):
        say(f"  {each.id}  score × {each.factor:.2f}  {' '.join(each.title.split())[:100]}")
