"""A reply taken apart as it is laid out: paragraphs and list items under their headings. What an answer says, in pieces to quote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from diarist.stages.distil.prose import OPENERS, code_after, is_edge, is_no_prose
from diarist.stages.distil.sentences import SHORTEST, Sentence, clean, judge, pieces_of
from diarist.text.lazy import lazy

LONGEST = 460
_HEADING = lazy(r"^\s{0,3}(?:#{1,6}\s+(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*\n]{2,90})\*\*\s*:?)\s*$")
_ITEM = lazy(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)$")
_NOTHING_SAID = lazy(r"(?:</?[\w-]+[^>]*>|[^\s]*[\w)][./\\][^\s]*(?: › .*)?)\Z")
"""A tag, or the bare name of a file that stands above its text."""
_RULE = lazy(r"^\s*(?:[-*_=]{3,}|\|.*\|)\s*$")


class Block(NamedTuple):
    """One thing that a reply says. `text` is for reading; `parts` are exact pieces of its lines, for quoting."""

    text: str
    parts: tuple[Sentence, ...]
    heading: str
    is_item: bool

    @property
    def score(self) -> float:
        """The best of its sentences, a little more for each further telling one."""
        ranked = sorted((part.score for part in self.parts), reverse=True)
        return ranked[0] + sum(0.3 * min(max(value, 0.0), 3.0) for value in ranked[1:4]) if ranked else -9.0

    @property
    def best(self) -> Sentence:
        """The one to quote: telling, and long enough to stand for itself."""
        return max(self.parts, key=lambda part: part.score + min(len(part.text), 160) / 60)


class _Lines(NamedTuple):
    heading: str
    is_item: bool
    lines: list[str]


def blocks(text: str, *, merge: bool = False, plans: bool = True) -> tuple[Block, ...]:
    """The blocks of a reply in order; code, tables and empty phrases are left out.

    `merge`: short items of one list are one block. `plans`: with the lists of what is going to be done.
    """
    groups = _groups(text) if plans else _without_plans(_groups(text))
    made = (_block(group) for group in (_merged(groups) if merge else groups))
    return tuple(block for block in made if block is not None)


def _without_plans(groups: list[_Lines]) -> list[_Lines]:
    """Without lists of what is going to be done: those that a plan stands above ("Let's go step by step:")."""
    kept: list[_Lines] = []
    is_plan = False
    for group in groups:
        if not group.is_item:
            last = group.lines[-1].strip()
            is_plan = last.endswith((":", "：")) and judge(last).is_intent
        elif is_plan:
            continue
        kept.append(group)
    return kept


def _merged(groups: list[_Lines]) -> list[_Lines]:
    merged: list[_Lines] = []
    for group in groups:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.heading == group.heading
            and group.is_item
            and sum(map(len, [*last.lines, *group.lines])) < LONGEST - 20
        ):
            last.lines.extend(group.lines)
        else:
            merged.append(_Lines(group.heading, group.is_item, list(group.lines)))
    return merged


def _groups(text: str) -> list[_Lines]:
    groups: list[_Lines] = []
    heading, code, fresh = "", "", True
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare and bare[0] in OPENERS and (code or is_edge(bare)):
            code, fresh = code_after(bare, code), True
            continue
        if code or not bare or (bare[0] in "-*_=|" and _RULE.match(line)):
            fresh = True
            continue
        title = _HEADING.match(line) if bare[0] in "#*" else None
        if title:
            heading, fresh = clean(title["hash"] or title["bold"]), True
            continue
        item = _ITEM.match(line) if bare[0] in "-*+•" or bare[0].isdigit() else None
        if item and (len(item["indent"]) < 2 or not groups or not groups[-1].is_item):
            groups.append(_Lines(heading, True, [item["text"]]))
        elif item or (not fresh and groups) or (line.startswith("  ") and groups and groups[-1].is_item):
            groups[-1].lines.append(item["text"] if item else line.strip())
        else:
            groups.append(_Lines(heading, False, [line.strip()]))
        fresh = False
    return groups


def _parts(lines: Iterable[str]) -> Iterator[Sentence]:
    """The sentences of some lines, each judged when it is asked for: a block has room for few."""
    for line in lines:
        found = pieces_of(line)
        bare = "" if found else line.strip()
        yield from map(judge, found)
        if 3 < len(bare) < SHORTEST and not is_no_prose(line, bare):
            yield judge(bare)


def _block(group: _Lines) -> Block | None:
    kept: list[Sentence] = []
    room = LONGEST
    for part in _parts(group.lines):
        if part.is_chatter or part.is_claim or part.is_intent or _NOTHING_SAID.match(part.text):
            continue
        if len(part.text) + 1 > room and kept:
            break
        kept.append(part)
        room -= len(part.text) + 1
    if kept and kept[-1].text.endswith((":", "：")):
        kept.pop()  # it introduced code
    if not kept:
        return None
    text = " ".join(clean(part.text) if part.text.endswith((".", "。", "!", "?", ":")) else f"{clean(part.text)};" for part in kept).rstrip(
        ";"
    )
    return Block(text, tuple(kept), group.heading, group.is_item)
