"""The text that a hook puts before an agent: facts about past runs, each with its id, fenced as data. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from diarist.text.clip import clip
from diarist.text.fence import CLOSE, NOTE, OPEN

MAX_LINE = 420
CARD = "accepted skill"
"""State of an item that is a skill; a later transcript is known by it to have offered the skill."""


class Item(NamedTuple):
    """One past run. Texts are redacted."""

    id: str
    date: str
    state: str
    title: str
    lines: tuple[str, ...]


def brief_text(head: str, items: Sequence[Item], limit: int) -> tuple[str, int]:
    """The fenced text, at most `limit` characters, and how many items it holds: whole ones, from the first; none: no text."""
    room = limit - len(OPEN) - len(CLOSE) - len(NOTE) - len(head) - 6
    blocks: list[str] = []
    for item in items:
        block = _block(item)
        if len(block) + 1 > room:
            break
        room -= len(block) + 1
        blocks.append(block)
    if not blocks:
        return "", 0
    return "\n".join([OPEN, NOTE, head, *blocks, CLOSE]), len(blocks)


def _block(item: Item) -> str:
    first = f"- {item.id} ({', '.join(part for part in (item.date, item.state) if part)}): {_flat(item.title, 160)}"
    return "\n".join([first, *(f"  {_flat(line, MAX_LINE)}" for line in item.lines)])


def _flat(text: str, limit: int) -> str:
    """One line that cannot end the fence."""
    return clip(" ".join(text.split()), limit).replace("<", "‹").replace(">", "›")
