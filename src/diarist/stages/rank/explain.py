"""Why a hit ranks where it does, in words."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.stages.rank.rarity import Rarity
from diarist.stages.rank.standing import Found, text_of
from diarist.text.analyse import analyse

_READ = 12_000
_SHOWN = 8


def brief(found: Found) -> tuple[str, ...]:
    """The score, what moved it, and what replaced the record."""
    reasons = [f"score {found.score:.3f}", *found.reasons]
    if found.superseded_by is not None:
        reasons.append(f"superseded by {found.superseded_by.id} of {found.superseded_by.created_at[:10]}")
    return tuple(reasons)


def explain(found: Found, terms: Sequence[str], rarity: Rarity) -> tuple[str, ...]:
    """As `brief`, with the words it holds, rarest first, and those it does not hold."""
    row = found.row
    text = " ".join([text_of(row)[:_READ], row.errors, row.fixes, " ".join(row.tags), row.project])
    held = frozenset(analyse(text)).intersection(terms)
    words = [f"{word} (rarity {rarity(word):.2f})" for word in sorted(held, key=lambda term: (-rarity(term), term))[:_SHOWN]]
    missing = [term for term in terms if term not in held][:_SHOWN]
    reasons = [*brief(found), *(["holds " + ", ".join(words)] if words else [])]
    return tuple([*reasons, "does not hold " + ", ".join(missing)] if missing else reasons)
