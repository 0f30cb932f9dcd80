"""Synthesis reports as drafts for review: written, found again, and decided on exactly as they were read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.publishing import publish_root
from diarist.app.review import Filed, file_proposal, get_proposal, list_proposals, supersede
from diarist.app.setting_aside import set_aside, waits_in_own_words
from diarist.errors import NotFoundError, StaleReviewError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.proposal import Proposal, evidence_digest, proposal_id, review_digest
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Draft, Parameters, Theme
from diarist.stages.synthesis import Approval, render_body, render_file, render_theme, report_fields

if TYPE_CHECKING:
    from diarist.app.synthesizing import Findings
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

NAMESPACE = derived("syntheses")
PROJECTION = "synthesis"
SHOWN_IDS = 20
"""Entry ids that a line of a stored theme keeps; the proposal's evidence has them all."""


class Written(NamedTuple):
    """A draft, its record's id and the file it stands in. `what`: what became of each theme, by theme id."""

    record_id: str
    draft: Draft
    file: Path
    what: Mapping[str, str] = {}


def write_draft(box: Toolbox, findings: Findings, *, at: datetime, cwd: str = "") -> Written:
    """Files the themes that say something to act on for review, and writes the report of one project.

    A second report of one day takes the place of the first, unless that one was approved or edited: then it is written beside
    it as `<date>-2.md`.
    """
    report, versions = findings
    project = derived(report.parameters.project or "")
    root = publish_root(box, project, cwd)
    with box.store.transaction(actor=box.actor, at=at) as tx:
        number, path = _free_place(box, root, project, report.window_end)
        known = {each.key: each for each in list_proposals(box.store, states=(), kinds=("theme",), project=project)}
        body = render_body(report, {lineage: _decided(each) for lineage, each in known.items()})
        filed = {}
        for theme in (*report.themes, *report.errors):
            proposal = _proposal(theme, project, versions, at)
            if theme.is_telling or waits_in_own_words(box, proposal):
                filed[theme.id] = file_proposal(box, tx, proposal, at=at)
            else:
                set_aside(box, tx, proposal, at=at)
        draft = Draft(
            parameters=report.parameters,
            window_end=report.window_end,
            input_digest=report.input_digest,
            path=path,
            fields=report_fields(report),
            body=body,
            themes={theme: (each.proposal.id, review_digest(each.proposal)) for theme, each in filed.items()},
        )
        record_id = make_id("synthesis", project, f"{report.window_end:%Y-%m-%d}", str(number))
        draft = _keep(box, tx, record_id, draft, at, "draft")
        _close_others(box, tx, draft, project, filed, at)
    return Written(record_id, draft, _publish(box, record_id, root, path), {theme: each.what for theme, each in filed.items()})


def find_draft(box: Toolbox, parameters: Parameters, cwd: str = "") -> Written | None:
    """The newest report with these parameters, approved or not."""
    project = parameters.project or ""
    for record, draft in _drafts(box, project):
        if draft.parameters == parameters:
            return Written(record.id, draft, publish_root(box, derived(project), cwd) / PurePosixPath(draft.path))
    return None


def newest_drafts(box: Toolbox, parameters: Parameters) -> dict[str, datetime]:
    """By project: when its last report with these parameters (but for the project) was drafted for."""
    newest: dict[str, datetime] = {}
    for record in box.store.list_records(RecordFilter(kinds=("state",), namespace=NAMESPACE)):
        draft = from_json(record.body, Draft)
        if msgspec.structs.replace(draft.parameters, project=parameters.project) == parameters:
            newest[record.project] = max(newest.get(record.project, draft.window_end), draft.window_end)
    return newest


def get_report(box: Toolbox, wanted: str, *, project: str, cwd: str = "") -> Written | None:
    """The report that an id, a file, or the day and number of one of this project's ("2026-03-15-2") names; None: no such report."""
    file = Path(wanted).absolute()
    for record in box.store.list_records(RecordFilter(kinds=("state",), namespace=NAMESPACE)):
        draft = from_json(record.body, Draft)
        known = publish_root(box, record.project, cwd if record.project == project else "") / PurePosixPath(draft.path)
        named = record.project == project and PurePosixPath(draft.path).stem == wanted
        if named or record.id == wanted or known == file:
            return Written(record.id, draft, known)
    return None


def draft_of_theme(box: Toolbox, proposal: Proposal) -> tuple[str, Draft] | None:
    """The newest report that shows this proposal."""
    for record, draft in _drafts(box, proposal.project):
        if any(each == proposal.id for each, _ in draft.themes.values()):
            return record.id, draft
    return None


def refresh_states(box: Toolbox, record_id: str, *, at: datetime, cwd: str = "") -> Path | None:
    """Writes the report's file anew with what was decided on its themes; the path, or None where somebody edited it."""
    draft, root = load_draft(box, record_id), publish_root(box, _project(box, record_id), cwd)
    if not is_as_written(root, draft):
        return None
    with box.store.transaction(actor=box.actor, at=at) as tx:
        _keep(box, tx, record_id, draft, at, "decide")
    return _publish(box, record_id, root, draft.path)


def mark_approved(box: Toolbox, tx: Transaction, record_id: str, *, who: Redacted, why: Redacted, at: datetime) -> Draft:
    """Writes down that the report was approved; `publish` then brings the file up to date."""
    draft = msgspec.structs.replace(load_draft(box, record_id), approved=True, approved_by=who, approved_at=at, why=why)
    return _keep(box, tx, record_id, draft, at, "approve")


def publish(box: Toolbox, record_id: str, cwd: str = "") -> Path:
    """Writes the report's file as the store has it."""
    draft = load_draft(box, record_id)
    return _publish(box, record_id, publish_root(box, _project(box, record_id), cwd), draft.path)


def check_unedited(box: Toolbox, record_id: str, cwd: str = "") -> None:
    """Raises StaleReviewError where the report's file is not what Diarist wrote."""
    draft = load_draft(box, record_id)
    root = publish_root(box, _project(box, record_id), cwd)
    file = root / PurePosixPath(draft.path)
    if not file.is_file():
        raise StaleReviewError(f"the report {file} is gone, so nobody can have read it. Run `diarist synthesize` to draft it anew.")
    if not is_as_written(root, draft):
        raise StaleReviewError(
            f"{file} was edited since it was drafted, so it is no longer what would be approved. Put your wording into "
            "`diarist review edit THEME`, or remove the file and draft it anew."
        )


def is_as_written(root: Path, draft: Draft) -> bool:
    """Does the file hold what was written?"""
    try:
        content = (root / PurePosixPath(draft.path)).read_bytes()
    except OSError:
        return False
    return content == draft.text.encode("utf-8", "replace")


def load_draft(box: Toolbox, record_id: str) -> Draft:
    """Raises NotFoundError."""
    record = box.store.get_record(record_id)
    if record is None:
        raise NotFoundError(f"there is no synthesis report {record_id}")
    return from_json(record.body, Draft)


def theme_of(proposal: Proposal) -> Theme:
    """The theme that a proposal holds; of its ids the first of each line only."""
    return msgspec.convert(proposal.payload, Theme)


# --- inner ----------------------------------------------------------------------------------------------------------------


def _drafts(box: Toolbox, project: str) -> Iterator[tuple[Record, Draft]]:
    """Reports of a project, those drafted for the latest time first. Numbers of one day do not tell: a lower one may be drafted anew."""
    found = []
    for record in box.store.list_records(RecordFilter(kinds=("state",), namespace=NAMESPACE, project=project)):
        draft = from_json(record.body, Draft)
        found.append(((draft.window_end, _number(draft.path)), record, draft))
    for _, record, draft in sorted(found, key=lambda each: each[0], reverse=True):
        yield record, draft


def _number(path: str) -> int:
    """2 of "runtime/syntheses/2026-03-15-2.md"."""
    stem = PurePosixPath(path).stem[len("2026-03-15") :]
    return int(stem[1:]) if stem else 1


def _free_place(box: Toolbox, root: Path, project: str, now: datetime) -> tuple[int, str]:
    """Number and path of the first report of the day that may be written: none there yet, or ours, open and unedited."""
    day = f"{now.astimezone(UTC):%Y-%m-%d}"
    number = 1
    while True:
        path = f"runtime/syntheses/{day}{f'-{number}' if number > 1 else ''}.md"
        record = box.store.get_record(make_id("synthesis", project, day, str(number)))
        there = (root / PurePosixPath(path)).exists()
        if record is None:
            if not there:
                return number, path
        else:
            draft = from_json(record.body, Draft)
            if not draft.approved and (not there or is_as_written(root, draft)):
                return number, path
        number += 1


def _proposal(theme: Theme, project: Redacted, versions: Mapping[str, str], at: datetime) -> Proposal:
    return Proposal(
        id=proposal_id("theme", project, theme.lineage),
        kind="theme",
        key=theme.lineage,
        name=derived(theme.id),
        project=project,
        title=theme.label,
        body=render_theme(theme),
        target=theme.target,
        evidence=theme.entries,
        evidence_digest=evidence_digest((each, versions[each]) for each in theme.entries),
        payload=_compact(theme),
        created_at=at,
    )


def _compact(theme: Theme) -> dict[str, Any]:
    """The theme as plain JSON, with a bounded number of ids."""
    plain = json.loads(to_json(theme))
    plain["entries"] = plain["task_ids"] = []
    for name in ("errors", "worked", "failed", "contradictions", "tried"):
        for each in plain[name]:
            for ids in ("entries", "worked", "failed"):
                if ids in each:
                    each[ids] = each[ids][:SHOWN_IDS]
            for fix in (*each.get("fixes", ()), *each.get("failed_fixes", ())):
                fix["entries"] = fix["entries"][:SHOWN_IDS]
    assert isinstance(plain, dict)
    return plain


def _decided(proposal: Proposal) -> str:
    if proposal.state != "accepted":
        return ""
    return f"approved on {proposal.decisions[-1].at:%Y-%m-%d}"


def _close_others(box: Toolbox, tx: Transaction, draft: Draft, project: str, filed: Mapping[str, Filed], at: datetime) -> None:
    """Themes of earlier reports with these parameters that wait for review and did not come up again leave the queue."""
    shown = {each.proposal.id for each in filed.values()}
    before = {
        proposal for _, other in _drafts(box, project) if other.parameters == draft.parameters for proposal, _ in other.themes.values()
    }
    for wanted in sorted(before - shown):
        old = get_proposal(box.store, wanted)
        if old.state == "pending":
            supersede(tx, old, by="", actor=box.actor, at=at, why="did not come up again in a newer report")


def _keep(box: Toolbox, tx: Transaction, record_id: str, draft: Draft, at: datetime, action: str) -> Draft:
    states = {theme: get_proposal(box.store, proposal).state for theme, (proposal, _) in draft.themes.items()}
    approval = Approval(draft.approved, draft.approved_by, draft.approved_at, draft.why, states)
    draft = msgspec.structs.replace(draft, text=render_file(draft.fields, draft.body, approval))
    body = to_json(draft)
    record = Record(
        id=record_id,
        kind="state",
        namespace=NAMESPACE,
        project=derived(draft.parameters.project or ""),
        outcome="approved" if draft.approved else "draft",
        title=derived(f"Diary synthesis report {PurePosixPath(draft.path).stem}"),
        created_at=draft.window_end,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    tx.put_record(record, SearchText(), action=action)
    return draft


def _project(box: Toolbox, record_id: str) -> Redacted:
    record = box.store.get_record(record_id)
    return record.project if record is not None else Redacted("")


def _publish(box: Toolbox, record_id: str, root: Path, path: str) -> Path:
    record = box.store.get_record(record_id)
    assert record is not None, "it was committed just now"
    return box.publisher().write(record, PROJECTION, root, path)
