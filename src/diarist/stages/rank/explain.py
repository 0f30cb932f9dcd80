"""Why a hit ranks where it does, in words."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.standing import Found, text_of
from diarist.text.analyse import analyse

_READ = 6_000


def explain(found: Found, terms: Sequence[str], rarity: Rarity) -> tuple[str, ...]:
    """The parts of a score: the words it holds (rarest first), its score, and what it replaces or is replaced by."""
    held = frozenset(analyse(text_of(found.row)[:_READ] + " " + found.row.errors + " " + found.row.project)).intersection(terms)
    words = sorted(held, key=lambda term: (-rarity(term), term))
    reasons = [f"score {found.score:.3f}"]
    if words:
        reasons.append("holds " + ", ".join(f"{word} (rarity {rarity(word):.2f})" for word in words[:8]))
    missing = [term for term in terms if term not in held]
    if missing and words:
        reasons.append("does not hold " + ", ".join(missing[:8]))
    if found.superseded_by is not None:
        reasons.append(f"superseded by {found.superseded_by.id} of {found.superseded_by.created_at[:10]}")
    return (*reasons, *found.reasons)
