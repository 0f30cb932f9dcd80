"""What the acceptance of a theme brings about: a lesson that recall may use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from diarist.app.drafts import check_unedited, draft_of_theme, refresh_states, theme_of
from diarist.errors import StaleReviewError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.proposal import Decision, Proposal, proposal_id
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Lesson, Theme
from diarist.stages.synthesis import make_lesson

if TYPE_CHECKING:
    from diarist.app.review import Finish
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Store, Transaction


class ThemeEffect:
    """Implements `app.review.Effect` for themes."""

    def __init__(self, *, cwd: str = "", whole_report: bool = False) -> None:
        self._cwd = cwd
        self._whole_report = whole_report

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """A theme that is accepted alone must still stand in its report as it was drafted; whole reports are checked as one."""
        shown = None if self._whole_report else draft_of_theme(box, proposal)
        if shown is not None:
            try:
                check_unedited(box, shown[0], self._cwd)
            except StaleReviewError as error:
                return [str(error)]
        return []

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Writes the lesson, if there is anything to tell; that of an earlier round is superseded."""
        theme = theme_of(proposal)
        if makes_lesson(proposal):
            record, search = lesson_record(make_lesson(theme, proposal, decision), theme, proposal)
            tx.put_record(record, search, action="accept")
        for round_ in range(proposal.round):
            tx_id = lesson_id(proposal_id("theme", proposal.project, proposal.key, round_))
            earlier = box.store.get_record(tx_id)
            if earlier is not None and earlier.status == "active":
                tx.set_status(tx_id, "superseded", action="supersede")
        return self._finish(box, proposal, decision)

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Retracts the lesson, if there is one; history keeps it."""
        if box.store.get_record(lesson_id(proposal.id)) is not None:
            tx.set_status(lesson_id(proposal.id), "retracted", action="retract")
        return self._finish(box, proposal, decision)

    def _finish(self, box: Toolbox, proposal: Proposal, decision: Decision) -> Finish | None:
        shown = None if self._whole_report else draft_of_theme(box, proposal)
        if shown is None:
            return None
        record_id = shown[0]

        def write() -> None:
            refresh_states(box, record_id, at=decision.at, cwd=self._cwd)

        return write


def makes_lesson(proposal: Proposal) -> bool:
    """Does the acceptance of this theme tell later sessions anything? Entries that are only about the same thing teach nothing."""
    return proposal.edit is not None or theme_of(proposal).is_telling


def lesson_id(proposal: str) -> str:
    """Id of the lesson that the acceptance of this proposal makes."""
    return make_id("lesson", proposal)


def lesson_record(lesson: Lesson, theme: Theme, proposal: Proposal) -> tuple[Record, SearchText]:
    """The record of a lesson, and what the index is told of it."""
    assert lesson.approved_at is not None
    body = to_json(lesson)
    record = Record(
        id=lesson_id(proposal.id),
        kind="lesson",
        namespace=derived("lessons"),
        project=proposal.project,
        title=lesson.title,
        tags=lesson.tags,
        trust="person",
        created_at=lesson.approved_at,
        updated_at=lesson.approved_at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    fixed = [error for error in theme.errors if error.fixes]
    search = SearchText(
        title=lesson.title,
        errors=derived("\n".join(error.message for error in theme.errors)),
        fixes=derived("\n".join(fix.text for error in fixed for fix in error.fixes)),
        tags=derived(" ".join(lesson.tags)),
        body=_plain(lesson),
        fingerprints=lesson.fingerprints,
        fixed_fingerprints=tuple(error.fingerprint for error in fixed),
    )
    return record, search


def _plain(lesson: Lesson) -> Redacted:
    """As recall tells it: a line that is torn out must still say whether it is to be done or avoided."""
    lines = [f"Do: {each}" for each in lesson.amplify] + [f"Avoid: {each}" for each in lesson.guard]
    return derived("\n".join(lines)) if lines else lesson.text


def list_lessons(store: Store, project: str) -> Iterator[Lesson]:
    """Lessons of a project that stand, oldest first."""
    for record in store.list_records(RecordFilter(kinds=("lesson",), project=project), sort="created_at"):
        yield from_json(record.body, Lesson)
