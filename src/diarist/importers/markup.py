"""Finding XML-like elements that clients put into texts. Linear in the length of the text, whatever stands in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple


class Element(NamedTuple):
    """`<name …>content</name>` and where it stands."""

    name: str
    content: str
    start: int
    end: int


def elements(text: str, names: Collection[str]) -> Iterator[Element]:
    """Elements of these names from left to right; one inside another is part of its content. Unclosed ones are passed over."""
    unclosed: set[str] = set()
    at = 0
    for opening in _opening(tuple(names)).finditer(text):
        name = opening[1]
        if opening.start() < at or name in unclosed:
            continue
        close = text.find(f"</{name}>", opening.end())
        if close < 0:
            unclosed.add(name)
            continue
        at = close + len(name) + 3
        yield Element(name, text[opening.end() : close], opening.start(), at)


def without(text: str, found: Collection[Element]) -> str:
    """The text without these elements (in the order of `elements`), blanks at its ends taken off."""
    pieces, at = [], 0
    for element in found:
        pieces.append(text[at : element.start])
        at = element.end
    pieces.append(text[at:])
    return "".join(pieces).strip()


@lru_cache(maxsize=32)
def _opening(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(map(re.escape, names))})(?:\s[^<>]{{0,400}})?>")
