"""From error output to the runs that met those errors, those that solved them first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.app.corrected import still_standing
from diarist.app.seeking import NO_INFLUENCE, Counts, Influence
from diarist.model.hit import Query
from diarist.stages.rank.faults import Ranked, rank_faults

if TYPE_CHECKING:
    from diarist.ports import Index, Store
    from diarist.stages.rank.faults import Asked

_MOST_PLACED = 200
"""Records that touched a file which is asked for; one that more of them touched tells nothing."""
DEPTH = 50
"""Matches of an error that are looked at again."""
_MOST_MARKED = 100


def find_faults(store: Store, index: Index, asked: Asked, limit: int, where: Query, influence: Influence = NO_INFLUENCE) -> list[Ranked]:
    """Records that met the errors, best first; more than `limit` where there are.

    `where`: a query without words, by whose filters entries are looked for. Of `influence`, what moves single records counts.
    """
    terms, marks = asked.all_terms(), asked.fingerprints()
    if not terms and not marks:
        return []
    base = where._replace(kinds=where.kinds or ("entry",))
    matches = index.search(base._replace(terms=terms, fingerprints=marks, errors_only=True), max(limit, DEPTH))
    matches += index.search(base._replace(terms=terms), DEPTH)
    held: dict[int, set[str]] = {}
    for mark in marks:
        for match in index.search(base._replace(fingerprints=(mark,)), _MOST_MARKED):
            held.setdefault(match.seq, set()).add(mark)
    rows = still_standing(store, store.get_hits(list(dict.fromkeys([*held, *(match.seq for match in matches)]))))
    rarity = Counts(index, errors_only=True).rarity(terms)
    places = _places(index, asked, base)
    ranked = rank_faults(asked, rows, {seq: frozenset(known) for seq, known in held.items()}, rarity, places)
    if influence.adjust is None or not ranked:
        return ranked
    adjustments = influence.adjust([one.row for one in ranked])
    if not adjustments:
        return ranked
    from diarist.stages.rank.usefulness import moved

    return moved(ranked, adjustments)


def _places(index: Index, asked: Asked, base: Query) -> dict[int, float]:
    """By `seq`, which share of the files that the text names a record touched, each weighed by how few records did."""
    found: dict[int, float] = {}
    total = 0.0
    for file in asked.files:
        matches = index.search(base._replace(files=(file,)), _MOST_PLACED)
        if not matches or len(matches) == _MOST_PLACED:
            continue
        weight = 1 / (1 + len(matches)) ** 0.5
        total += weight
        for match in matches:
            found[match.seq] = found.get(match.seq, 0.0) + weight
    return {seq: weight / total for seq, weight in found.items()}
