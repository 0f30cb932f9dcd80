"""What beside the words of a query moves the order of results. A cold search loads this: nothing heavy at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.app.seeking import Influence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from diarist.app.toolbox import Toolbox
    from diarist.model.hit import HitRow
    from diarist.ports import Store
    from diarist.stages.rank.influence import Adjustment


def usefulness_factors(store: Store, rows: Sequence[HitRow]) -> dict[str, float]:
    """By record id, what its score is multiplied by; records of which nothing is known are left out."""
    tallies = store.list_tallies([row.id for row in rows]) if rows else []
    if not tallies:
        return {}
    from diarist.stages.rank.usefulness import factor

    return {tally.record_id: factor(tally) for tally in tallies}


def by_usefulness(store: Store) -> Influence:
    """What came of records in sessions that were shown them raises or lowers them a little; see `stages.rank.usefulness`."""

    def adjust(rows: Sequence[HitRow]) -> Mapping[str, Adjustment]:
        tallies = store.list_tallies([row.id for row in rows])
        if not tallies:
            return {}
        from diarist.stages.rank.influence import Adjustment
        from diarist.stages.rank.usefulness import factor, reason

        return {tally.record_id: Adjustment(factor(tally), reason(tally)) for tally in tallies}

    return Influence(adjust)


def influence_of(box: Toolbox, query: str, mode: str | None) -> tuple[Influence, Callable[[], tuple[str, str]]]:
    """What moves the order of the results of a query, and how to learn afterwards by which mode they were found, and why.

    `mode`: bm25 or hybrid; None: as `search.mode` says. Raises UsageError for another one.
    """
    useful = by_usefulness(box.store)
    if mode is None and box.settings.get("search.mode") == "bm25":
        return useful, lambda: ("bm25", "search.mode is bm25")
    from diarist.app.vector_search import Ask

    ask = Ask(box, query, mode)
    return useful._replace(second=ask.second if ask.ready else None), lambda: (ask.mode, ask.reason)
