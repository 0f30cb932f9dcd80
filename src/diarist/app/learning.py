"""The part of the façade about what is learned over many sessions: themes, review, lessons, patterns, skills.

`Memory` is this and `app.memory`; surfaces know `Memory` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from diarist.app.pattern_verbs import PatternVerbs
from diarist.errors import ReadOnlyError

if TYPE_CHECKING:
    from diarist.app.approving import Approved
    from diarist.app.drafts import Written
    from diarist.app.targets import Change
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal, ProposalKind, ProposalState, Verdict
    from diarist.model.theme import Parameters, Report


class Learning(PatternVerbs):
    """Verbs over many sessions. Times are aware UTC datetimes; `project=None` means every project."""

    def __init__(self, box: Toolbox, *, read_only: bool = False) -> None:
        self._box = box
        self._read_only = read_only
        self._stale = False

    # --- learning ---------------------------------------------------------------------------------------------------------

    def synthesize(
        self,
        *,
        since: str = "14d",
        threshold: float = 0.34,
        min_cluster_size: int = 2,
        now: datetime | None = None,
        project: str | None = None,
        write: bool = False,
        cwd: str = "",
    ) -> Report:
        """Themes of the entries of the last `since`; see `app.learn`. Writes nothing unless `write`.

        `cwd`: a folder of the project, where its files may be published. Raises UsageError for parameters that make no sense.
        """
        from diarist.app.learn import synthesize

        if write:
            self._writable()
        return synthesize(self._box, _parameters(since, threshold, min_cluster_size, project), now=now, write=write, cwd=cwd)

    def due_projects(self, now: datetime | None = None) -> list[str]:
        """Projects whose synthesis report is due by `synthesis.every`, sorted. Raises UsageError for a setting that is no span."""
        from diarist.app.learn import due_projects

        return due_projects(self._box, now or self._box.now())

    def draft_due_reports(self, now: datetime | None = None, *, project: str | None = None) -> list[str]:
        """Drafts the report of every project (or of the one given) that is due by `synthesis.every`; their names. For servers.

        Raises as `due_projects`.
        """
        from diarist.app.learn import draft_due

        self._writable()
        return draft_due(self._box, now, project)

    def find_report(
        self, *, since: str = "14d", threshold: float = 0.34, min_cluster_size: int = 2, project: str = "", cwd: str = ""
    ) -> Written | None:
        """The newest synthesis report of a project that was written with these parameters, approved or not."""
        from diarist.app.drafts import find_draft

        return find_draft(self._box, _parameters(since, threshold, min_cluster_size, project), cwd)

    def get_report(self, wanted: str, *, project: str = "", cwd: str = "") -> Written | None:
        """The synthesis report of this id or file, or of this day (2026-03-15) and project; None where there is none."""
        from diarist.app.drafts import get_report

        return get_report(self._box, wanted, project=project, cwd=cwd)

    def approve_report(self, written: Written, *, why: str = "", who: str = "", cwd: str = "") -> Approved:
        """Approves a report exactly as it was written. Raises ReviewError, StaleReviewError."""
        from diarist.app.approving import approve_report

        self._writable()
        self._stale = True
        return approve_report(self._box, written, at=self._box.now(), why=why, who=who, cwd=cwd)

    def proposals(
        self, *, states: Sequence[ProposalState] = ("pending",), kinds: Sequence[ProposalKind] = (), project: str | None = None
    ) -> list[Proposal]:
        """The review queue: proposals in these states (none given: all), newest first."""
        from diarist.app.review import list_proposals

        return list(list_proposals(self._box.store, states=states, kinds=kinds, project=project))

    def get_proposal(self, wanted: str) -> Proposal:
        """The proposal with this id, name or unique beginning. Raises NotFoundError, AmbiguousIdError."""
        from diarist.app.review import get_proposal

        return get_proposal(self._box.store, wanted)

    def decide(self, wanted: str, verdict: Verdict, *, seen: str | None = None, why: str = "", who: str = "", cwd: str = "") -> Proposal:
        """Accepts, rejects or reopens one proposal. `seen`: digest of what was read (`review_digest`); None: as it is now.

        Raises NotFoundError, AmbiguousIdError, ReviewError, StaleReviewError.
        """
        from diarist.app.approving import rule
        from diarist.app.review import Ruling

        self._writable()
        self._stale = True
        return rule(self._box, wanted, Ruling(verdict, self._box.now(), seen=seen, why=why, who=who), cwd)

    def reword(self, wanted: str, *, title: str | None = None, body: str | None = None) -> Proposal:
        """Puts a pending proposal into a reviewer's words. Raises as `decide` does."""
        from diarist.app.review import get_proposal, reword_proposal

        self._writable()
        return reword_proposal(self._box, get_proposal(self._box.store, wanted), title=title, body=body, at=self._box.now())

    def plan_targets(self, project: str, *, cwd: str = "", revert: bool = False) -> list[Change]:
        """What the configured instruction files would become with the approved lessons, or with `revert` had been before."""
        from diarist.app.targets import plan_block, plan_revert

        return (plan_revert if revert else plan_block)(self._box, project, cwd)

    def write_targets(self, project: str, changes: Sequence[Change], *, revert: bool = False) -> list[Path]:
        """Writes the files exactly as planned. Raises StaleReviewError where one changed meanwhile."""
        from diarist.app.targets import carry_out

        self._writable()
        return carry_out(self._box, project, changes, at=self._box.now(), revert=revert)

    def _writable(self) -> None:
        if self._read_only:
            raise ReadOnlyError("this workspace was opened for reading only")


def _parameters(since: str, threshold: float, min_cluster_size: int, project: str | None) -> Parameters:
    from diarist.model.theme import Parameters

    return Parameters(since=since.strip(), threshold=float(threshold), min_cluster_size=min_cluster_size, project=project)
