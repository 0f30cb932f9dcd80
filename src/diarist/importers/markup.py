"""Finding XML-like elements and code fences that clients put into texts. Linear in the length of the text, whatever stands in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import NamedTuple

_OPENING = re.compile(r"<([\w-]++)(?:\s[^<>]{0,400})?>")
_FENCE = re.compile(r"^(`{3,})([\w+-]{0,40})[ \t]*$", re.MULTILINE)


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
    for opening in _OPENING.finditer(text):
        name = opening[1]
        if name not in names or opening.start() < at or name in unclosed:
            continue
        close = text.find(f"</{name}>", opening.end())
        if close < 0:
            unclosed.add(name)
            continue
        at = close + len(name) + 3
        yield Element(name, text[opening.end() : close], opening.start(), at)


def opens_any(text: str, names: frozenset[str]) -> bool:
    """Whether an element of any of these names (letters, digits, "_" and "-") begins in the text."""
    return not names.isdisjoint(_OPENING.findall(text))


class Fence(NamedTuple):
    """A fenced block of code and where it stands."""

    language: str
    content: str
    start: int
    end: int


def fences(text: str) -> Iterator[Fence]:
    """Fenced blocks from left to right; the fence that closes one is as long as the one that opened it. Unclosed ones are passed over."""
    marks = list(_FENCE.finditer(text))
    closing: dict[str, list[int]] = {}
    for number, mark in enumerate(marks):
        if not mark[2]:
            closing.setdefault(mark[1], []).append(number)
    at = 0
    for number, mark in enumerate(marks):
        places = closing.get(mark[1], [])
        place = bisect_right(places, number)
        if mark.start() < at or place == len(places):
            continue
        close = marks[places[place]]
        at = close.end()
        yield Fence(mark[2], text[mark.end() + 1 : close.start()], mark.start(), at)


def without(text: str, found: Collection[Element]) -> str:
    """The text without these elements (in the order of `elements`), blanks at its ends taken off."""
    pieces, at = [], 0
    for element in found:
        pieces.append(text[at : element.start])
        at = element.end
    pieces.append(text[at:])
    return "".join(pieces).strip()
