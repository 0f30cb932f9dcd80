"""Which earlier theme a theme goes back to, by the members they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from diarist.model.theme import Theme

OF_SMALLER = 0.5
OF_LARGER = 0.25
"""Shares of the members of either that two themes must have in common to be the same matter."""


class Ancestor(NamedTuple):
    """A theme of an earlier run."""

    lineage: str
    entries: frozenset[str]


def trace(themes: Sequence[Theme], ancestors: Iterable[Ancestor]) -> list[Theme]:
    """The themes, each with the lineage of the ancestor it shares most with. An ancestor has one heir at most.

    What left the window since, or came in, does not part a theme from its past as long as enough stays.
    """
    known = list(ancestors)
    holders: dict[str, list[int]] = {}
    for place, ancestor in enumerate(known):
        for entry in ancestor.entries:
            holders.setdefault(entry, []).append(place)
    claims = []
    for at, theme in enumerate(themes):
        shared: dict[int, int] = {}
        for entry in theme.entries:
            for place in holders.get(entry, ()):
                shared[place] = shared.get(place, 0) + 1
        for place, count in shared.items():
            ancestor = known[place]
            sizes = sorted((len(ancestor.entries), theme.size))
            if count >= OF_SMALLER * sizes[0] and count >= OF_LARGER * sizes[1]:
                claims.append((-count, ancestor.lineage, theme.id, at))
    heirs: dict[int, str] = {}
    for _, lineage, _, at in sorted(claims):
        if at not in heirs and lineage not in heirs.values():
            heirs[at] = lineage
    return [msgspec.structs.replace(theme, lineage=heirs[at]) if at in heirs else theme for at, theme in enumerate(themes)]
