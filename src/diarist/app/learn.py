"""`synthesize` as a whole: find themes, and on request file them and write each project's report."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.synthesizing import INSTANT, find_themes
from diarist.app.times import utc
from diarist.model.record import RecordFilter
from diarist.model.theme import Parameters
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.synthesizing import Findings
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Report

DEFAULT_SINCE = "14d"


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


def due_projects(box: Toolbox, now: datetime, only: str | None = None) -> list[str]:
    """Projects whose newest scheduled report is as old as `synthesis.every` says, or that have none; sorted.

    Only those with entries in the window that a report would cover (`only`: that one). Empty where nothing is scheduled.

    Raises
    ------
    UsageError
        The setting is no span of time.
    """
    from diarist.app.drafts import newest_drafts

    every = box.settings.get("synthesis.every")
    if not every:
        return []
    span, parameters = parse_duration(every), scheduled_parameters(every)
    newest = newest_drafts(box, parameters)
    return [each for each in _projects(box, parameters, now, only) if each not in newest or now - newest[each] >= span]


def draft_due(box: Toolbox, now: datetime | None = None, only: str | None = None) -> list[str]:
    """What a server calls now and then: drafts the report of every project (`only`: of that one) that is due; their names.

    Raises as `due_projects`.
    """
    moment = utc(now or box.now(), "now")
    due = due_projects(box, moment, only)
    for project in due:
        parameters = msgspec.structs.replace(scheduled_parameters(box.settings.get("synthesis.every")), project=project)
        _draft(box, find_themes(box, parameters, moment), "")
    return due


def scheduled_parameters(every: str) -> Parameters:
    """The defaults, over a window that leaves no gap between two reports. Its `project` is to be filled in."""
    since = max(DEFAULT_SINCE, every.strip(), key=parse_duration)
    return Parameters(since=since, threshold=0.34, min_cluster_size=2, project=None)


def _projects(box: Toolbox, parameters: Parameters, now: datetime, only: str | None = None) -> list[str]:
    """Projects with entries in the window, sorted."""
    since, before = now - parse_duration(parameters.since), now + INSTANT
    known = sorted({scope.project for scope in box.store.list_scopes() if scope.kind == "entry" and only in (None, scope.project)})
    return [
        project for project in known if box.store.count_records(RecordFilter(kinds=("entry",), project=project, since=since, before=before))
    ]
