"""How much what came of a record moves it in a list: a bounded factor that many sessions make, and no single one can. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from diarist.model.use import Tally
    from diarist.stages.rank.faults import Ranked
    from diarist.stages.rank.influence import Adjustment

MOST = 0.1
"""A score is raised or lowered by this part of it at most, whatever is said of the record."""
DOUBT = 8
"""Points that are assumed to speak neither for nor against it: as many as four sessions give. So one vote moves a score by
a fifth of the most, and only unanimous votes of many sessions come near it."""


def factor(tally: Tally | None) -> float:
    """What a score is multiplied by: 1 - MOST to 1 + MOST; 1 where nothing is known.

    The votes are whole numbers and are only added up, so their order cannot matter.
    """
    if tally is None:
        return 1.0
    known = tally.points_for + tally.points_against
    return 1.0 + MOST * (tally.points_for - tally.points_against) / (known + DOUBT)


def reason(tally: Tally) -> str:
    """The factor in words, as "useful so far: 3 sessions for it, 1 against (score × 1.02)"; empty where nothing moved it."""
    if not tally.points_for and not tally.points_against:
        return ""
    sessions = "session" if tally.helped == 1 else "sessions"
    return f"useful so far: {tally.helped} {sessions} for it, {tally.harmed} against (score × {factor(tally):.2f})"


def moved(ranked: Sequence[Ranked], adjustments: Mapping[str, Adjustment]) -> list[Ranked]:
    """Records that met an error, with their scores moved, best first.

    By half as much as in other lists: so a record that only met the error does not pass one like it that got past it.
    """
    return sorted((_moved(one, adjustments.get(one.row.id)) for one in ranked), key=lambda one: -one.score)


def _moved(one: Ranked, adjustment: Adjustment | None) -> Ranked:
    if adjustment is None or not adjustment.reason:
        return one
    return one._replace(score=one.score * (1 + (adjustment.factor - 1) / 2), reasons=(*one.reasons, adjustment.reason))
