"""One round of pattern learning: legacy stores taken over, habits looked for, accepted skills judged by what later runs did."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.migrating import ensure_migrated
from diarist.app.mining import mine_patterns
from diarist.app.observing import learning_state
from diarist.app.skills import review_usefulness

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal


class LearningRound(NamedTuple):
    """What is wanted. `filing`: write what is found; else only tell it."""

    now: datetime
    window_days: float
    support: int
    filing: bool

    def run(self, box: Toolbox, project: str | None, cwd: str = "") -> list[Proposal]:
        """What is pending then, most support first. `project=None`: each project that was observed, for itself; `cwd` counts
        for a single one only. Raises as `mine_patterns` does.
        """
        if project is not None:
            return self._of_project(box, project, cwd)
        observed = sorted({scope.project for scope in box.store.list_scopes() if scope.kind == "observation"})
        found = [proposal for each in observed for proposal in self._of_project(box, each, "")]
        return sorted(found, key=lambda each: (-len(each.session_ids), each.name, each.id))

    def _of_project(self, box: Toolbox, project: str, cwd: str) -> list[Proposal]:
        if self.filing:
            ensure_migrated(box, project, cwd)
        found = mine_patterns(box, now=self.now, project=project, window_days=self.window_days, support=self.support, write=self.filing)
        if self.filing and learning_state(box.store, box.reader().redactor.redact(project)).enabled:
            review_usefulness(box, project, self.now)
        return found
