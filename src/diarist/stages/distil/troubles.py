"""The errors of a run as they come and go: each once, open until the same thing is seen to go well."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from diarist.stages.distil.ledger import Trouble
from diarist.text.clip import clip
from diarist.text.fingerprint import FoundError

MOST = 400
_STEPS = 8


class Place(NamedTuple):
    """What a call was about: its tool, the path or subject, and the kind of act."""

    tool: str
    target: str
    kind: str

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Going well at one of these settles what failed at the same."""
        if self.kind in ("edit", "create", "delete", "move", "read"):
            name = self.target.replace("\\", "/").rsplit("/", 1)[-1]
            return (("path", self.target), ("name", name)) if self.target else ()
        return (("tool", self.tool),)


class TroubleBook:
    """Keeps the distinct errors, at most `MOST`."""

    def __init__(self, troubles: dict[str, Trouble]) -> None:
        self._troubles = troubles
        self._open: dict[tuple[str, str], list[Trouble]] = {}
        self._recent: deque[tuple[int, str, str]] = deque(maxlen=24)

    def add(self, error: FoundError, step: int, place: Place, quote: str, about: str = "") -> Trouble | None:
        """Notes one occurrence; None where there is no more room."""
        trouble = self._troubles.get(error.fingerprint)
        if trouble is None:
            if len(self._troubles) >= MOST:
                return None
            trouble = self._troubles[error.fingerprint] = Trouble(error.fingerprint, error.message, place.tool, error.where, quote)
        trouble.count += 1
        trouble.last, trouble.target, trouble.kind = step, place.target, place.kind
        trouble.about = about or trouble.about
        trouble.resolved = None
        if len(trouble.steps) < _STEPS and step not in trouble.steps:
            trouble.steps.append(step)
        return trouble

    def close(self) -> None:
        """At the end: an error that was met in many places is resolved if it was got past in most of them."""
        for trouble in self._troubles.values():
            if trouble.resolved is None and trouble.settled and 2 * trouble.settled >= trouble.count:
                trouble.resolved = True

    def failed_at(self, trouble: Trouble, place: Place) -> None:
        """The error stands until the same thing goes well."""
        for key in place.keys[:1] if place.kind in ("edit", "create", "delete", "move") else place.keys:
            self._open.setdefault(key, []).append(trouble)

    def went_well(self, step: int, place: Place, words: str) -> None:
        """A call went well: what had failed at the same place is settled by it and by what was done there since."""
        self._recent.append((step, place.target, words))
        for key in place.keys:
            for trouble in self._open.pop(key, ()):
                done = [told for at, target, told in self._recent if trouble.steps[0] < at < step and _same_place(target, place.target)]
                trouble.settled += 1
                trouble.resolved = True
                trouble.resolved_by = clip(", then ".join([*dict.fromkeys(done[-2:]), f"{words} went through"]), 300)


def _same_place(one: str, other: str) -> bool:
    return bool(one) and one.rsplit("/", 1)[-1] == other.rsplit("/", 1)[-1]
