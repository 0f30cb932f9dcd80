"""Changes of model and effort within a session: a stronger one taking over is an escalation, worth more than a mere change."""

from __future__ import annotations

import re

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


def _family(model: str) -> str:
    return next((family for family in _FAMILIES if family in model.lower()), "")


def _rank(model: str) -> tuple[int, float]:
    words = re.split(r"[^a-z]+", model.lower())
    tiers = [_TIERS[word] for word in words if word in _TIERS]
    version = _VERSION.search(model)
    return min(tiers, default=_USUAL), float(version.group().replace("-", ".")) if version else 0.0
