"""Where records stand on the map: near what they share telling words with. Pure; the same records give the same places."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence

TERMS = 10
"""Words of one record that count: its rarest that another record has too."""
ROUNDS = 14
TOO_COMMON = 0.2
"""A word of more records than this share says nothing of one."""
FEW, COMMON_AMONG_FEW = 500, 0.5
"""Among few records a topic may be that of every second one."""
SPREAD = 0.012

Place = tuple[float, float]


def lay_out(terms: Mapping[str, Sequence[str]]) -> dict[str, Place]:
    """Id → place in the square from -1 to 1, from the words of each record.

    Records and words pull each other: a record stands amid its words, a word amid its records, in two independent
    directions (the first of the correspondence analysis of who has which word). Directions are then spread by rank, so that
    crowds do not hide each other.
    """
    ids = sorted(terms)
    links = _links(ids, terms)
    x = _direction(ids, links, "x", None)
    y = _direction(ids, links, "y", x)
    across, along = _spread(x, ids, "across"), _spread(y, ids, "along")
    return {each: _placed(each, across[number], along[number], lonely=not links[number]) for number, each in enumerate(ids)}


def _links(ids: Sequence[str], terms: Mapping[str, Sequence[str]]) -> list[list[tuple[int, float]]]:
    """Of each record its telling words by number, with their weight."""
    counts = Counter[str]()
    for each in ids:
        counts.update(set(terms[each]))
    most = max(2.0, (TOO_COMMON if len(ids) > FEW else COMMON_AMONG_FEW) * len(ids))
    telling = {term: count for term, count in counts.items() if 2 <= count <= most}
    numbers = {term: number for number, term in enumerate(sorted(telling))}
    found = []
    for each in ids:
        own = sorted({term for term in terms[each] if term in telling}, key=lambda term: (telling[term], term))[:TERMS]
        found.append([(numbers[term], 1.0 / math.log(2 + telling[term])) for term in own])
    return found


def _direction(ids: Sequence[str], links: Sequence[Sequence[tuple[int, float]]], name: str, apart: Sequence[float] | None) -> list[float]:
    """Where each record stands along one direction that is independent of `apart`."""
    words = 1 + max((number for own in links for number, _ in own), default=-1)
    weights = [sum(weight for _, weight in own) for own in links]
    place = [_noise(each, name) for each in ids]
    for _ in range(ROUNDS):
        _center(place, weights, apart)
        sums, totals = [0.0] * words, [0.0] * words
        for at, own in zip(place, links, strict=True):
            for number, weight in own:
                sums[number] += at * weight
                totals[number] += weight
        amid = [told / total if total else 0.0 for told, total in zip(sums, totals, strict=True)]
        place = [sum(amid[number] * weight for number, weight in own) / weights[at] if own else place[at] for at, own in enumerate(links)]
    _center(place, weights, apart)
    return place


def _center(place: list[float], weights: Sequence[float], apart: Sequence[float] | None) -> None:
    """Takes out what all share and what lies along `apart`, and keeps the length: in place."""
    total = sum(weights) or 1.0
    middle = sum(at * weight for at, weight in zip(place, weights, strict=True)) / total
    place[:] = [at - middle for at in place]
    if apart is not None:
        along = sum(at * other * weight for at, other, weight in zip(place, apart, weights, strict=True))
        length = sum(other * other * weight for other, weight in zip(apart, weights, strict=True))
        if length:
            place[:] = [at - along / length * other for at, other in zip(place, apart, strict=True)]
    size = math.sqrt(sum(at * at * weight for at, weight in zip(place, weights, strict=True)) / total)
    if size:
        place[:] = [at / size for at in place]


def _spread(place: Sequence[float], ids: Sequence[str], name: str) -> list[float]:
    """Half where it stands, half its rank: from -1 to 1. Those that stand together are ranked each direction its own way."""
    order = sorted(range(len(place)), key=lambda number: (round(place[number], 2), _noise(ids[number], name)))
    ranks = [0.0] * len(place)
    for rank, number in enumerate(order):
        ranks[number] = 2 * rank / max(1, len(place) - 1) - 1
    return [0.5 * max(-1.0, min(1.0, at / 3)) + 0.5 * ranks[number] for number, at in enumerate(place)]


def _placed(record_id: str, x: float, y: float, *, lonely: bool) -> Place:
    """Its place, moved a little its own way; what shares nothing stands on a ring around all others."""
    angle = math.pi * (1 + _noise(record_id, "angle"))
    if lonely:
        reach = 1.02 + 0.06 * abs(_noise(record_id, "ring"))
        return round(reach * math.cos(angle), 5), round(reach * math.sin(angle), 5)
    reach = SPREAD * math.sqrt(abs(_noise(record_id, "reach")))
    return round(0.95 * x + reach * math.cos(angle), 5), round(0.95 * y + reach * math.sin(angle), 5)


def _noise(text: str, name: str) -> float:
    """A number from -1 to 1 that follows from the text."""
    digest = hashlib.blake2b(f"{name}\0{text}".encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 0x7FFFFFFF - 1
