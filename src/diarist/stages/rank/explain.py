"""Why a hit ranks where it does, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.standing import Found

_SHOWN = 8


def brief(found: Found) -> tuple[str, ...]:
    """The score, what moved it, and what replaced the record."""
    reasons = [f"score {found.score:.3f}", *found.reasons]
    if found.superseded_by is not None:
        reasons.append(f"superseded by {found.superseded_by.id} of {found.superseded_by.created_at[:10]}")
    return tuple(reasons)


def explain(found: Found, terms: Sequence[str], rarity: Rarity, scores: Mapping[str, float]) -> tuple[str, ...]:
    """As `brief`, with what each word adds, most first, and the words the record does not hold. `scores`: by word it holds."""
    total, *moved = brief(found)
    held = sorted(scores, key=lambda term: (-scores[term], term))
    words = [f"{term} {scores[term]:.3f} (rarity {rarity(term):.2f})" for term in held[:_SHOWN]]
    if len(held) > _SHOWN:
        words.append(f"{len(held) - _SHOWN} more {sum(scores[term] for term in held[_SHOWN:]):.3f}")
    missing = [term for term in terms if term not in scores][:_SHOWN]
    return (
        total,
        *([f"words {sum(scores.values()):.3f} = " + " + ".join(words)] if words else []),
        *moved,
        *(["does not hold " + ", ".join(missing)] if missing else []),
    )
