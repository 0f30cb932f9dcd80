"""The façade's verb for what replaced what; `Memory` inherits it. `Memory.neighbours` shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record


class AmendVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox
    _stale: bool

    def _writable(self) -> None:
        raise NotImplementedError

    def get(self, wanted: str, kinds: Sequence[str] = ()) -> Record:
        """See `app.memory.Memory.get`."""
        raise NotImplementedError

    def judge(self, later: str, earlier: str, verdict: str) -> None:
        """Says of two records that the later one "supersedes" the earlier, that the earlier "stands", or nothing: "undecided".

        It counts before what searches read off the texts. Raises InvalidInputError, and as `get` does.
        """
        from diarist.app.amending import Verdict, judge

        self._writable()
        self._stale = True
        judge(self._box, self.get(later), self.get(earlier), cast("Verdict", verdict))
