"""The patterns of `text.injection`, compiled when they are first tried, and what a text must hold for them to be tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from diarist.text.injection_hints import HINTS, NEEDS
from diarist.text.injection_languages import FOREIGN_HINTS, foreign
from diarist.text.injection_needs import ENGLISH_NEEDS, FOREIGN_NEEDS
from diarist.text.injection_words import ENGLISH
from diarist.text.lazy import lazy
from diarist.text.needles import Needles


class Rule(NamedTuple):
    """A pattern that is not tried on a text that does not hold one of each of the sets of words of which each match has one."""

    weight: float
    pattern: re.Pattern[str]
    needs: tuple[int, ...]
    """Those sets, as bits of `Needles`."""

    def may_fit(self, held: int) -> bool:
        """`held`: what the text holds, perhaps."""
        for words in self.needs:  # noqa: SIM110 - a plain loop is twice as fast as all()
            if not held & words:
                return False
        return True


class Rules(NamedTuple):
    """The rules of a language or of several, by family."""

    needles: Needles
    families: Mapping[str, tuple[Rule, ...]]

    def weigh(self, family: str, text: str, held: int, found: dict[str, float]) -> None:
        """Adds a family, with the greatest weight of those of its rules that fit the lower-case text."""
        for rule in self.families[family]:
            if rule.weight > found.get(family, 0.0) and rule.may_fit(held) and self._holds(text, held, rule) and rule.pattern.search(text):
                found[family] = rule.weight

    def _holds(self, text: str, held: int, rule: Rule) -> bool:
        """What a rule needs, now that the text itself is asked: compiling a pattern takes a thousand times as long."""
        return all(self.needles.holds(text, held, words) for words in rule.needs)


@lru_cache(maxsize=1)
def english() -> Rules:
    """The rules for English; their needles know all words that tell whether a text is worth a look, too."""
    return _rules(ENGLISH, ENGLISH_NEEDS, [*HINTS, *FOREIGN_HINTS, *(word for words in NEEDS.values() for word in words)])


@lru_cache(maxsize=1)
def others() -> Rules:
    """The rules for other languages."""
    return _rules(foreign(), FOREIGN_NEEDS)


class Hints(NamedTuple):
    """What tells that a text is worth a look, as bits of the needles of `english`."""

    any: int
    foreign: int
    families: Mapping[str, int]


@lru_cache(maxsize=1)
def hints() -> Hints:
    """All of them."""
    mask = english().needles.mask
    return Hints(mask([*HINTS, *FOREIGN_HINTS]), mask(FOREIGN_HINTS), {family: mask(words) for family, words in NEEDS.items()})


def _rules(patterns: Iterable[tuple[str, float, str]], needs: Sequence[Sequence[Sequence[str]]], more: Iterable[str] = ()) -> Rules:
    needles = Needles([*more, *(word for rule in needs for words in rule for word in words)])
    families: dict[str, tuple[Rule, ...]] = {}
    for (family, weight, pattern), words in zip(patterns, needs, strict=True):
        families[family] = (*families.get(family, ()), Rule(weight, lazy(pattern), tuple(map(needles.mask, words))))
    return Rules(needles, families)
