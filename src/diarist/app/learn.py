"""`synthesize` as a whole: find themes, and on request file them and write each project's report."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.approving import approve_report
from diarist.app.drafts import Written, find_draft, write_draft
from diarist.app.hosting import utc
from diarist.app.synthesizing import find_themes
from diarist.model.record import RecordFilter
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.approving import Approved
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Parameters, Report

__all__ = ["approve_report", "find_draft", "synthesize"]


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


def draft_and_find(box: Toolbox, parameters: Parameters, *, now: datetime | None, cwd: str = "") -> tuple[Report, Written]:
    """Drafts the report of one project; the report and where it was written."""
    findings = find_themes(box, parameters, utc(now or box.now(), "now"))
    return findings.report, write_draft(box, findings, at=box.now(), cwd=cwd)


def already_approved(box: Toolbox, parameters: Parameters, *, now: datetime | None, cwd: str = "") -> Written | None:
    """The newest report with these parameters, if it is approved and nothing has changed in the window since."""
    newest = find_draft(box, parameters, cwd)
    if newest is None or not newest.draft.approved:
        return None
    report = find_themes(box, parameters, utc(now or box.now(), "now")).report
    return newest if report.input_digest == newest.draft.input_digest else None


def approve(box: Toolbox, written: Written, *, why: str = "", who: str = "", cwd: str = "") -> Approved:
    """Approves a report; see `app.approving.approve_report`."""
    return approve_report(box, written, at=box.now(), why=why, who=who, cwd=cwd)


def _projects(box: Toolbox, parameters: Parameters, now: datetime) -> list[str]:
    """Projects with entries in the window, sorted."""
    where = RecordFilter(kinds=("entry",), since=now - parse_duration(parameters.since))
    return sorted({record.project for record in box.store.list_records(where) if record.created_at <= now})
