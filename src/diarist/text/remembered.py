"""What was worked out before, by what it was worked out of."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import TypeVar

Key = TypeVar("Key", bound=Sized)
Value = TypeVar("Value")


class Remembered(dict[Key, Value]):
    """Results of a pure function, so that asking again runs no Python code. Forgetting changes no result.

    It has two generations, so that common keys stay when rare ones are forgotten.
    """

    def __init__(self, make: Callable[[Key], Value], most: int, longest: int = 1 << 30) -> None:
        """`most`: keys of a generation. `longest`: length of a key that is remembered; longer ones do not come again."""
        super().__init__()
        self._make = make
        self._most = most
        self._longest = longest
        self._old: dict[Key, Value] = {}

    def __missing__(self, key: Key) -> Value:
        found = self._old.get(key)
        value = self._make(key) if found is None else found
        if len(key) <= self._longest:
            if len(self) >= self._most:
                self._old = dict(self)
                self.clear()
            self[key] = value
        return value
