"""A redactor that masks what was erased, as `[REDACTED:erased]`, beside every secret: so no way in can bring it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from diarist.errors import DiaristError, RedactionError
from diarist.model.redacted import Redacted
from diarist.stages.redact.redactor import Redactor
from diarist.stages.redact.settings import Finding

if TYPE_CHECKING:
    from diarist.model.session import RawStep, Step
    from diarist.stages.redact.engine import Engine

KIND = "erased"
PLACEHOLDER = f"[REDACTED:{KIND}]"


class ErasedFinder(Protocol):
    """Finds erased values: `text.erased.Erased`."""

    def find(self, text: str) -> list[tuple[int, int]]:
        """(start, end) of each, sorted and free of overlaps."""
        ...

    def holds(self, text: str) -> bool:
        """Is there one in the text?"""
        ...


class ErasingRedactor(Redactor):
    """Masks erased values and then all that `inner` masks; with `only`, erased values alone.

    Immutable and picklable as `inner` is. Its version is that of `inner`: what was erased is no rule.
    """

    def __init__(self, inner: Redactor, erased: Sequence[ErasedFinder], *, only: bool = False) -> None:
        super().__init__(inner.rules)
        self._inner = inner
        self._erased = tuple(erased)
        self._only = only

    def __reduce__(self) -> tuple[type[ErasingRedactor], tuple[Redactor, tuple[ErasedFinder, ...]]]:  # type: ignore[override]
        return ErasingRedactor, (self._inner, self._erased)

    @property
    def erased(self) -> Sequence[ErasedFinder]:
        """What it masks beside the secrets."""
        return self._erased

    def holds_erased(self, text: str) -> bool:
        """True where the text holds an erased value."""
        return any(finder.holds(text) for finder in self._erased)

    def masked(self, text: str) -> tuple[Redacted, int]:
        """See `Redactor.masked`."""
        try:
            places = self._places(text)
        except DiaristError:
            raise
        except Exception as error:
            raise RedactionError("a text could not be looked through for erased values and was dropped") from error
        if places:
            pieces, at = [], 0
            for start, end in places:
                pieces += [text[at:start], PLACEHOLDER]
                at = end
            text = "".join([*pieces, text[at:]])
        if self._only:
            return Redacted(text), len(places)
        redacted, count = self._inner.masked(text)
        return redacted, count + len(places)

    def find(self, text: str) -> list[Finding]:
        """See `Redactor.find`."""
        found = [Finding("erased-value", KIND, start, end) for start, end in self._places(text)]
        return found if self._only else sorted([*found, *self._inner.find(text)], key=lambda finding: finding.start)

    def step(self, raw: RawStep, *, limit: int) -> tuple[Step, int]:
        """See `Redactor.step`."""
        step, count = super().step(raw, limit=limit)
        changes = {
            name: PLACEHOLDER for name in ("rid", "tool", "call_id", "actor") if (told := getattr(step, name)) and self.holds_erased(told)
        }
        return (msgspec.structs.replace(step, **changes), count + len(changes)) if changes else (step, count)

    def engine(self, size: int) -> Engine:
        """The engine of `inner`."""
        return self._inner.engine(size)

    def _places(self, text: str) -> list[tuple[int, int]]:
        found = sorted(place for finder in self._erased for place in finder.find(text))
        joined: list[tuple[int, int]] = []
        for start, end in found:
            if joined and start < joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined
