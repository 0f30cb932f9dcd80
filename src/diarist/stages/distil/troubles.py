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
    def is_write(self) -> bool:
        """Did it change a file?"""
        return self.kind in ("edit", "create", "delete", "move")

    @property
    def failing(self) -> tuple[str, str]:
        """What has to go well for a failure here to be settled."""
        if self.is_write and self.target:
            return ("write", self.target)
        if self.kind == "read" and self.target:
            return ("name", _name(self.target))
        return ("tool", self.tool)

    @property
    def settling(self) -> tuple[tuple[str, str], ...]:
        """What going well here settles."""
        own = ("tool", self.tool)
        if self.is_write:
            return (("write", self.target), ("name", _name(self.target)), own)
        return (("name", _name(self.target)), own) if self.kind == "read" else (own,)


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


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
            trouble = self._troubles[error.fingerprint] = Trouble(
                error.fingerprint, error.message, place.tool, error.where, quote, error.words
            )
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
        self._open.setdefault(place.failing, []).append(trouble)

    def went_well(self, step: int, place: Place, words: str) -> None:
        """A call went well: what had failed at the same place is settled by it and by what was done there since."""
        self._recent.append((step, place.target, words))
        for key in place.settling:
            for trouble in self._open.pop(key, ()):
                done = [told for at, target, told in self._recent if trouble.steps[0] < at < step and _same_place(target, place.target)]
                trouble.settled += 1
                trouble.resolved = True
                again = " when it was called again" if trouble.tool == place.tool and not done else ""
                trouble.resolved_by = clip(", then ".join([*dict.fromkeys(done[-2:]), f"{words} went through{again}"]), 400)


def _same_place(one: str, other: str) -> bool:
    return bool(one) and _name(one) == _name(other)
