"""tried, worked, failed: what a person would write down of a run, each with the exact words it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from diarist.model.entry import Evidence
from diarist.model.redacted import Redacted, derived
from diarist.text.clip import clip

MOST = 12
LONGEST = 500
QUOTE = 300


class Bullet(NamedTuple):
    text: str
    quote: str
    """Exact piece of one step's text or argument."""
    steps: tuple[int, ...]
    weight: float
    """How telling; the dozen with the greatest weight is kept."""
    count: int = 1


def choose(bullets: Iterable[Bullet]) -> list[Bullet]:
    """The most telling dozen, most telling first; what says the same is merged and counted."""
    merged: dict[str, Bullet] = {}
    for bullet in bullets:
        key = _key(bullet.text)
        if not key:
            continue
        known = merged.get(key)
        if known is None:
            merged[key] = bullet
        else:
            steps = tuple(dict.fromkeys((*known.steps, *bullet.steps)))[:12]
            merged[key] = known._replace(count=known.count + bullet.count, steps=steps, weight=max(known.weight, bullet.weight) + 0.2)
    ranked = sorted(merged.values(), key=lambda bullet: (-bullet.weight, bullet.steps[:1]))
    kept: list[Bullet] = []
    for bullet in ranked:
        if len(kept) == MOST:
            break
        if not any(_is_same(bullet, other) for other in kept):
            kept.append(bullet)
    return kept


def texts_of(bullets: Sequence[Bullet]) -> tuple[Redacted, ...]:
    return tuple(derived(clip(one_line(bullet.text), LONGEST) + (f" ({bullet.count}×)" if bullet.count > 1 else "")) for bullet in bullets)


def evidence_of(bullets: Sequence[Bullet]) -> tuple[Evidence, ...]:
    return tuple(Evidence(bullet=at, quote=derived(bullet.quote[:QUOTE]), steps=bullet.steps) for at, bullet in enumerate(bullets))


def one_line(text: str) -> str:
    return " ".join(text.split())


def line_of(text: str, limit: int = QUOTE) -> str:
    """The first line of a text that says something, an exact piece of it."""
    for line in text.split("\n"):
        line = line.strip()
        if len(line) > 2 and re.search(r"\w", line):
            return line[:limit]
    return text.strip()[:limit]


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", re.sub(r"\d+", "0", text.lower())))


def _is_same(one: Bullet, other: Bullet) -> bool:
    """Four in five words shared: the same thing in other words."""
    mine, theirs = set(_key(one.text).split()), set(_key(other.text).split())
    small = min(len(mine), len(theirs))
    return small >= 3 and len(mine & theirs) >= 0.85 * small and len(mine ^ theirs) <= 0.5 * max(len(mine), len(theirs))
