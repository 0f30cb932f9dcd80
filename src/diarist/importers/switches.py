"""Changes of model and effort within a session: a stronger one taking over is an escalation, worth more than a mere change."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from diarist.importers.draft import Draft
from diarist.importers.values import as_str
from diarist.model.session import Mark
from diarist.text.lazy import lazy

_EFFORTS = ("none", "off", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")
_TIERS = {
    "nano": 0,
    "lite": 1,
    "mini": 2,
    "haiku": 2,
    "flash": 2,
    "small": 2,
    "fast": 2,
    "air": 2,
    "medium": 3,
    "sonnet": 3,
    "large": 4,
    "pro": 5,
    "opus": 5,
    "max": 5,
    "fable": 6,
}
_FAMILIES = ("claude", "gpt", "gemini", "mistral", "deepseek", "qwen", "glm", "grok", "kimi", "llama", "codex")
_VERSION = lazy(r"\d+(?:[.-]\d{1,2}(?!\d))?")
_USUAL = 4
"""Tier of a model whose name tells none: "gpt-5" stands above "gpt-5-mini"."""


@lru_cache(maxsize=64)
def model_change(before: str, after: str) -> Mark:
    """Gives "escalation" if `after` is by its name the stronger model of the same family, else "model"."""
    ours, theirs = _family(before), _family(after)
    if ours and ours == theirs and _rank(after) > _rank(before):
        return "escalation"
    return "model"


def effort_change(before: str, after: str) -> Mark:
    """Gives "escalation" if `after` is the higher reasoning effort, else "model"."""
    known = before in _EFFORTS and after in _EFFORTS
    return "escalation" if known and _EFFORTS.index(after) > _EFFORTS.index(before) else "model"


class SwitchWatch:
    """Remembers the model and the effort a session last used, and adds a notice when another takes over.

    A choice counts once the agent speaks with it: people step through the levels until they have the one they want.
    """

    def __init__(self) -> None:
        self._used: dict[str, tuple[str, int]] = {}
        self._chosen: dict[str, tuple[str, int]] = {}

    def choose(self, at: int, *, model: str = "", effort: str = "") -> None:
        """Notes a choice. `at`: byte where the record stands that tells it."""
        for name, value in (("model", model), ("effort", effort)):
            if value:
                self._chosen[name] = (value, at)

    def speak(self, draft: Draft) -> None:
        """The agent speaks: what was chosen is used from now on."""
        for name, (value, at) in self._chosen.items():
            before = self._used.get(name, ("", -1))[0]
            if before and value != before:
                judge = model_change if name == "model" else effort_change
                draft.add("notice", name, f"{before} -> {value}", judge(before, value))
            self._used[name] = (value, at)

    def see(self, draft: Draft, at: int, *, model: str = "", effort: str = "") -> None:
        """A choice that is used at once."""
        if self._chosen == self._used and self._is_used("model", model) and self._is_used("effort", effort):
            return
        self.choose(at, model=model, effort=effort)
        self.speak(draft)

    def _is_used(self, name: str, value: str) -> bool:
        used = self._used.get(name)
        return not value or (used is not None and used[0] == value)

    def forget(self) -> None:
        """Another session speaks from now on."""
        self._used.clear()
        self._chosen.clear()

    def pack(self) -> list[dict[str, int]]:
        """For a checkpoint: where the records stand, no names."""
        return [{name: at for name, (_, at) in each.items()} for each in (self._used, self._chosen)]

    def unpack(self, packed: list[dict[str, int]], recall: Callable[[str, int], str]) -> None:
        """Takes up a checkpoint; `recall(name, at)` reads the value again."""
        self._used, self._chosen = ({name: (recall(name, at), at) for name, at in each.items()} for each in packed)


def field_of(value: Any, name: str) -> str:
    """A field of a record that told a choice, whether it was decoded into a typed value or not; "" where it holds no text."""
    return as_str(value.get(name) if isinstance(value, dict) else getattr(value, name, None))


def _family(model: str) -> str:
    return next((family for family in _FAMILIES if family in model.lower()), "")


def _rank(model: str) -> tuple[int, float]:
    words = re.split(r"[^a-z]+", model.lower())
    tiers = [_TIERS[word] for word in words if word in _TIERS]
    version = _VERSION.search(model)
    return min(tiers, default=_USUAL), float(version.group().replace("-", ".")) if version else 0.0
