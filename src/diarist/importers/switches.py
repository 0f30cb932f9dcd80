"""Changes of model and effort within a session: a stronger one taking over is an escalation, worth more than a mere change."""

from __future__ import annotations

import re
from collections.abc import Callable

from diarist.importers.draft import Draft
from diarist.model.session import Mark

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
_VERSION = re.compile(r"\d+(?:[.-]\d{1,2}(?!\d))?")
_USUAL = 4
"""Tier of a model whose name tells none: "gpt-5" stands above "gpt-5-mini"."""


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
    """Remembers the model and the effort a session last used, and adds a notice when another takes over."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str, int]] = {}

    def see(self, draft: Draft, at: int, *, model: str = "", effort: str = "") -> None:
        """Compares with what was seen before. `at`: byte where the record stands that tells it."""
        for name, value, judge in (("model", model, model_change), ("effort", effort, effort_change)):
            if not value:
                continue
            before = self._last.get(name, ("", -1))[0]
            if before and value != before:
                draft.add("notice", name, f"{before} -> {value}", judge(before, value))
            self._last[name] = (value, at)

    def forget(self) -> None:
        """Another session speaks from now on."""
        self._last.clear()

    def pack(self) -> dict[str, int]:
        """For a checkpoint: where the records stand, no names."""
        return {name: at for name, (_, at) in self._last.items()}

    def unpack(self, packed: dict[str, int], recall: Callable[[str, int], str]) -> None:
        """Takes up a checkpoint; `recall(name, at)` reads the value again."""
        self._last = {name: (recall(name, at), at) for name, at in packed.items()}


def _family(model: str) -> str:
    return next((family for family in _FAMILIES if family in model.lower()), "")


def _rank(model: str) -> tuple[int, float]:
    words = re.split(r"[^a-z]+", model.lower())
    tiers = [_TIERS[word] for word in words if word in _TIERS]
    version = _VERSION.search(model)
    return min(tiers, default=_USUAL), float(version.group().replace("-", ".")) if version else 0.0
