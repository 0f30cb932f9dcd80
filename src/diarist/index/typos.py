"""Words a typo away from one that was not found."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_MOST = 5


def close_terms(term: str, with_prefix: Callable[[str], Iterable[tuple[str, int]]]) -> list[str]:
    """Indexed terms within one edit of a short term, two of a longer one: nearest first, then the commonest, then by name.

    `with_prefix`: gives (term, records it stands in) for all terms that begin so.
    """
    allowed = 1 if len(term) < 6 else 2
    found: dict[str, tuple[int, int]] = {}
    letters = set(term)
    for prefix in _prefixes(term):
        for candidate, count in with_prefix(prefix):
            if candidate in found or candidate == term or abs(len(candidate) - len(term)) > allowed:
                continue
            if len(letters.symmetric_difference(candidate)) > 2 * allowed:  # an edit changes two letters of the set at most
                continue
            apart = distance(term, candidate, allowed)
            if apart <= allowed:
                found[candidate] = (apart, -count)
    return sorted(found, key=lambda candidate: (*found[candidate], candidate))[:_MOST]


def _prefixes(term: str) -> list[str]:
    """The first letters as written, swapped, and with either of the first two gone: where a typo may have hit them."""
    if len(term) < 3:
        return [term[:1]] if term else []
    return list(dict.fromkeys([term[:2], term[1] + term[0], term[0] + term[2], term[1:3]]))


def distance(one: str, other: str, most: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from one word to the other; `most` + 1 where it is more than `most`."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        row = [at]
        for across, wanted in enumerate(other, 1):
            cost = min(above[across] + 1, row[across - 1] + 1, above[across - 1] + (letter != wanted))
            if at > 1 and across > 1 and letter == other[across - 2] and one[at - 2] == wanted:
                cost = min(cost, before[across - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, above = above, row
    return min(above[-1], most + 1)
