"""`synthesize` as a whole: find themes, and on request file them and write each project's report."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.drafts import write_draft
from diarist.app.hosting import utc
from diarist.app.synthesizing import find_themes
from diarist.model.record import RecordFilter
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Parameters, Report


def synthesize(box: Toolbox, parameters: Parameters, *, now: datetime | None, write: bool = False, cwd: str = "") -> Report:
    """Themes of one project, or (project None) over all of them.

    With `write`, the themes are filed for review and the report is written; over all projects, each project with entries in
    the window gets its own, about its own entries only.

    Raises
    ------
    UsageError, InvalidInputError
        A parameter makes no sense; `now` does not tell its zone.
    """
    moment = utc(now or box.now(), "now")
    findings = find_themes(box, parameters, moment)
    if not write:
        return findings.report
    if parameters.project is not None:
        write_draft(box, findings, at=box.now(), cwd=cwd)
        return findings.report
    for project in _projects(box, parameters, moment):
        write_draft(box, find_themes(box, msgspec.structs.replace(parameters, project=project), moment), at=box.now(), cwd=cwd)
    return findings.report


def _projects(box: Toolbox, parameters: Parameters, now: datetime) -> list[str]:
    """Projects with entries in the window, sorted."""
    where = RecordFilter(kinds=("entry",), since=now - parse_duration(parameters.since))
    return sorted({record.project for record in box.store.list_records(where) if record.created_at <= now})
