"""What a reviewer is warned of: lines of a proposal that read like instructions to an agent, as tool output may have planted them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from diarist.text.clip import clip
from diarist.text.injection import labelled_all, suspect

if TYPE_CHECKING:
    from diarist.model.proposal import Proposal

MOST = 5
_QUOTED = 160


def warnings_of(proposal: Proposal) -> list[str]:
    """One line for each that a person should look at, five at most; what a reviewer worded is the reviewer's."""
    found = []
    for line in dict.fromkeys(_lines(proposal)):
        found_here = suspect(line)
        if found_here.look:
            families = ", ".join(found_here.families)
            found.append(f"reads like an instruction to an agent ({families}): {clip(line.strip(), _QUOTED)}")
    return found[:MOST]


def commanding_lines(text: str) -> list[str]:
    """Lines of a text that must not steer an agent before a person worded them."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [clip(line, _QUOTED) for line, told in zip(lines, labelled_all(lines), strict=True) if line != told][:MOST]


def _lines(proposal: Proposal) -> Iterator[str]:
    if proposal.edit is None:
        yield proposal.title
        yield from (line for line in proposal.body.splitlines() if line.strip())
        yield from _strings(proposal.payload)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (line for line in value.splitlines() if len(line) > 20)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)
