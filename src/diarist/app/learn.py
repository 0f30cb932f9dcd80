"""`synthesize` as a whole: find themes, and on request file them and write each project's report."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.synthesizing import find_themes
from diarist.app.times import utc
from diarist.model.record import RecordFilter
from diarist.model.theme import Parameters
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.synthesizing import Findings
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Report


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
        return _draft(box, findings, cwd)
    for project in _projects(box, parameters, moment):
        _draft(box, find_themes(box, msgspec.structs.replace(parameters, project=project), moment), cwd)
    return findings.report


def _draft(box: Toolbox, findings: Findings, cwd: str) -> Report:
    """Words, files and writes one project's report."""
    from diarist.app.drafts import write_draft
    from diarist.app.phrasing import reword_themes

    findings = findings._replace(report=reword_themes(box, findings.report))
    write_draft(box, findings, at=box.now(), cwd=cwd)
    return findings.report


def draft_if_due(box: Toolbox) -> bool:
    """What a server calls now and then: drafts every project's report where the last one is as old as `synthesis.every` says.

    True if it did. The parameters are the defaults.

    Raises
    ------
    UsageError
        The setting is no span of time.
    """
    from diarist.app.drafts import newest_draft

    every = box.settings.get("synthesis.every")
    if not every:
        return False
    newest = newest_draft(box)
    if newest is not None and box.now() - newest < parse_duration(every):
        return False
    synthesize(box, Parameters(since="14d", threshold=0.34, min_cluster_size=2, project=None), now=None, write=True)
    return True


def _projects(box: Toolbox, parameters: Parameters, now: datetime) -> list[str]:
    """Projects with entries in the window, sorted."""
    where = RecordFilter(kinds=("entry",), since=now - parse_duration(parameters.since))
    return sorted({record.project for record in box.store.list_records(where) if record.created_at <= now})
