"""`diarist sync`."""

from __future__ import annotations

from pathlib import Path

import click

from diarist.cli.common import count, current_project, emit_json, here, json_option, open_workspace, say
from diarist.errors import UsageError


@click.command("sync")
@click.argument("root", required=False, metavar="[FOLDER]")
@click.option("--project", help="Project the diaries belong to. Default: the project of this folder.")
@json_option
@click.pass_context
def sync_command(ctx: click.Context, /, root: str | None, project: str | None, as_json: bool) -> int:
    """Take over published diaries: a Bernstein tree (.sdd) or a teammate's .diarist folder. Write accepted skills.

    Without FOLDER: the .diarist and .sdd folders here or above. Files that cannot be read are named and left out.
    """
    memory = open_workspace(ctx)
    where = current_project() if project is None else project
    folders = [Path(root)] if root else _near()
    skills = memory.write_skills(where, cwd=str(here())) if not root else []
    if not (folders or skills) or not all(folder.is_dir() for folder in folders):
        raise UsageError("there is no .diarist or .sdd folder here. Name one: `diarist sync path/to/.sdd`.")
    reports = [memory.sync(folder, where) for folder in folders]
    problems = [problem for report in reports for problem in report.problems]
    totals = {name: sum(getattr(report, name) for report in reports) for name in ("read", "added", "updated", "unchanged")}
    if as_json:
        emit_json({**totals, "skills": skills, "problems": [{"path": problem.path, "reason": problem.reason} for problem in problems]})
        return int(bool(problems))
    for name in skills:
        say(f"Wrote {name}")
    for problem in problems:
        say(f"skipped: {problem.path}: {problem.reason}", err=True)
    say(f"{count(totals['added'], 'entry', 'entries')} added, {totals['updated']} updated, {totals['unchanged']} unchanged.")
    return int(bool(problems))


def _near() -> list[Path]:
    place = here()
    for folder in (place, *place.parents):
        found = [folder / name for name in (".diarist", ".sdd") if (folder / name).is_dir()]
        if found:
            return found
    return []
