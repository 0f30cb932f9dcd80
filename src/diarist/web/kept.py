"""Numbers that cost much and may be a little old."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from diarist.app.insights import Stats
    from diarist.model.use import Scope

V = TypeVar("V")
MOST = 500


class Kept(Generic[V]):
    """Values by key. One that is older than `seconds`, and made before the last change, is made anew: by one thread, while the others
    go on with the old one; not where it is `strict`: then nobody gets a value from before the last change.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic, *, strict: bool = False) -> None:
        self._seconds = seconds
        self._strict = strict
        self._clock = clock
        self._values: dict[Hashable, tuple[float, int, V]] = {}
        self._making: dict[Hashable, threading.Lock] = {}
        self._turn = threading.Lock()

    def get(self, key: Hashable, change: int, make: Callable[[], V]) -> V:
        """The value; `change` says what it depends on: a value made at the same one is right however old it is."""
        with self._turn:
            known = self._values.get(key)
            making = self._making.setdefault(key, threading.Lock())
        if known is not None and (known[1] == change or (not self._strict and self._clock() - known[0] < self._seconds)):
            return known[2]
        if not making.acquire(blocking=known is None or self._strict):
            assert known is not None
            return known[2]
        try:
            return self._made(key, change, make)
        finally:
            making.release()

    def clear(self) -> None:
        """Forgets all: something was erased."""
        with self._turn:
            self._values.clear()

    def _made(self, key: Hashable, change: int, make: Callable[[], V]) -> V:
        with self._turn:
            known = self._values.get(key)
        if known is not None and known[1] == change:  # another thread made it while this one waited
            return known[2]
        value = make()
        with self._turn:
            while len(self._values) >= MOST:
                oldest = next(iter(self._values))
                del self._values[oldest]
                self._making.pop(oldest, None)
            self._values[key] = (self._clock(), change, value)
        return value


class Shelf:
    """What one site keeps."""

    def __init__(self) -> None:
        self.stats: Kept[Stats] = Kept(20.0)
        self.scopes: Kept[list[Scope]] = Kept(20.0)
        self.points: Kept[bytes] = Kept(60.0)
        self.results: Kept[str] = Kept(0.0, strict=True)
        self.waiting: Kept[int] = Kept(0.0, strict=True)

    def clear(self) -> None:
        """Something was erased: nothing made before is shown again."""
        for each in (self.stats, self.scopes, self.points, self.results, self.waiting):
            each.clear()
