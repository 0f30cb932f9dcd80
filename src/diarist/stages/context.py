"""The context pack: what an agent is told of past runs. Few items, cited, fenced as data, within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from diarist.model.hit import ContextPack, Hit
from diarist.text.clip import clip
from diarist.text.fence import CLOSE, NOTE, OPEN, defused
from diarist.text.injection import labelled, labelled_all
from diarist.text.lazy import lazy
from diarist.text.terminal import safe

_LEAST = 60
"""Tokens below which an item is not worth citing."""
_TOKEN = lazy(r"[A-Za-z]+|\d+|[ \t]+|[^\x00-\x7f]|[^\w\s]|_|\n")


class Item(NamedTuple):
    """One record for the pack: its hit, and what is told of it, most important first."""

    hit: Hit
    points: tuple[str, ...]


def build_pack(items: Sequence[Item], budget: int, characters: int | None = None) -> ContextPack:
    """Fits as many items as it can into `budget` tokens, in order; an item that does not fit is shortened, then left out.

    `characters`: what the text may be long besides. Empty where there are no items or there is no room for one.
    """
    pack = _pack(items, budget)
    while characters is not None and len(pack.text) > characters:
        budget = min(budget - 1, budget * characters // len(pack.text))
        pack = _pack(items, budget)
    return pack


def _pack(items: Sequence[Item], budget: int) -> ContextPack:
    used = count_tokens(f"{OPEN}\n{NOTE}\n{CLOSE}\n")
    blocks: list[str] = []
    cited: list[Hit] = []
    for item in items:
        block = _fitting(item, len(blocks) + 1, budget - used)
        if block:
            blocks.append(block)
            cited.append(item.hit)
            used += count_tokens(block) + 1
    if not blocks:
        return ContextPack("", (), 0)
    text = "\n".join([OPEN, NOTE, *blocks, CLOSE])
    return ContextPack(text, tuple(cited), count_tokens(text))


def count_tokens(text: str) -> int:
    """A conservative estimate: no common tokeniser (cl100k, o200k, Claude's) was seen to need more for prose, code or CJK text.

    One token for every four letters of a word or part of it, every three digits, every other character (two for one outside
    ASCII letters of Latin, Greek and Cyrillic scripts), and every run of spaces beyond the first.
    """
    total = 0
    for piece in _TOKEN.findall(text):
        char = piece[0]
        if char.isascii() and char.isalpha():
            total += -(-len(piece) // 4)
        elif char.isdigit() and char.isascii():
            total += -(-len(piece) // 3)
        elif char in " \t":
            total += len(piece) > 1
        else:
            total += 1 if char.isascii() else 1 + (ord(char) > 0x4FF)
    return total


def _fitting(item: Item, number: int, room: int) -> str:
    """The item's block with as many of its points as fit, the last one shortened; "" where not even the first does."""
    head = _head(item.hit, number)
    room -= count_tokens(head) + 1
    if room < _LEAST // 2:
        return ""
    lines = [head]
    for point in labelled_all([_flat(point) for point in item.points]):
        line = "- " + point
        cost = count_tokens(line) + 1
        if cost > room:
            line = clip(line, max(0, room * 2))
            while line and count_tokens(line) + 1 > room:
                line = clip(line, len(line) * 3 // 4)
            if len(line) > 40:
                lines.append(line)
            break
        lines.append(line)
        room -= cost
    return "\n".join(lines) if len(lines) > 1 else ""


def _head(hit: Hit, number: int) -> str:
    outcome = (
        hit.outcome + (", verified" if hit.verified else ", a check failed last" if hit.verified is False else "")
        if hit.outcome
        else hit.kind
    )
    facts = [hit.id, hit.created_at[:10], outcome, *(["project " + _flat(hit.project)] if hit.project else [])]
    return f"[{number}] {' · '.join(facts)}\n{labelled(_flat(hit.title))}"


def _flat(text: str) -> str:
    """One line that can neither close the fence nor act on a terminal."""
    return defused(" ".join(safe(text).split()))
