"""tried, worked, failed: what a person would write down of a run, each with the exact words it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

from diarist.model.entry import Evidence
from diarist.model.redacted import Redacted, derived
from diarist.text.clip import clip
from diarist.text.lazy import lazy
from diarist.text.translation import Translation

MOST = 12
LONGEST = 500
QUOTE = 300
_CONSIDERED = 40
_WORD = lazy(r"\w+")
_RULERS = ("=====", "-----")
"""How lines begin that only part sections: "==== test session starts ===="."""
_to_zeros = Translation(dict.fromkeys("123456789", "0"))


class Bullet(NamedTuple):
    """A sentence of an entry, and the piece of the session it rests on."""

    text: str
    quote: str
    """Exact piece of one step's text or argument."""
    steps: tuple[int, ...]
    weight: float
    """How telling; the dozen with the greatest weight is kept."""
    times: int = 1
    is_own: bool = False
    """Written by the person, or by the agent in a section of its own: never left out for being like others."""
    also: tuple[tuple[str, int], ...] = ()
    """Further quotes, each with its step, of a bullet that tells several things."""


def choose(bullets: Iterable[Bullet], told: frozenset[str] = frozenset()) -> list[Bullet]:
    """The most telling dozen, most telling first; what says the same is merged and counted.

    `told`: quotes that other lists rest on; they are not told again. What rests on no quote is not told at all.
    """
    kept: dict[frozenset[str], Bullet] = {}
    for bullet in nlargest(_CONSIDERED, bullets, key=lambda bullet: bullet.weight):
        words = frozenset((bullet.text if bullet.is_own else _to_zeros(bullet.text.lower())).split())
        if not bullet.quote.strip() or not words or (bullet.quote in told and not bullet.is_own):
            continue
        known = kept.get(words)
        if known is not None:
            steps = tuple(dict.fromkeys((*known.steps, *bullet.steps)))[:12]
            kept[words] = known._replace(times=known.times + bullet.times, steps=steps, weight=known.weight + 0.2)
        elif len(kept) < MOST and (bullet.is_own or not any(_is_same(words, other) for other in kept)):
            kept[words] = bullet
    return sorted(kept.values(), key=lambda bullet: (-bullet.weight, bullet.steps[:1]))


def texts_of(bullets: Sequence[Bullet]) -> tuple[Redacted, ...]:
    """The bullets as an entry holds them: one line each, cut, with how often it happened."""
    return tuple(derived(clip(one_line(bullet.text), LONGEST) + (f" ({bullet.times}×)" if bullet.times > 1 else "")) for bullet in bullets)


def evidence_of(bullets: Sequence[Bullet], *, together: bool = False) -> tuple[Evidence, ...]:
    """What each bullet rests on; one that tells several things has several. `together`: all are one text."""
    found = []
    for number, bullet in enumerate(bullets):
        at = 0 if together else number
        found.append(Evidence(bullet=at, quote=derived(bullet.quote[:QUOTE]), steps=bullet.steps))
        found += [Evidence(bullet=at, quote=derived(quote[:QUOTE]), steps=(step,)) for quote, step in bullet.also]
    return tuple(found)


def one_line(text: str) -> str:
    """The text with all white space as single spaces."""
    return " ".join(text.split())


def and_then(text: str, more: str) -> str:
    """Two sentences in one line."""
    if not more:
        return text
    return f"{text} {more}" if text.endswith((".", "…")) else f"{text}. {more}"


def line_of(text: str, limit: int = QUOTE) -> str:
    """The first line of a text that says something, an exact piece of it."""
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if len(line) > 2 and _WORD.search(line) and not line.startswith(_RULERS)), text.strip())[:limit]


def _is_same(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Most words shared: the same thing in other words."""
    small = min(len(mine), len(theirs))
    return small >= 3 and len(mine & theirs) >= 0.85 * small and len(mine ^ theirs) <= 0.5 * max(len(mine), len(theirs))
