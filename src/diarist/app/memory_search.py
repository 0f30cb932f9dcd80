"""Recall over one namespace of memory: BM25 by default, vectors or both where an embedder is at hand."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from diarist.errors import InvalidInputError, ModelError
from diarist.model.memory_item import MemoryHit, MemoryItem, Recalled, RecallMode, SpaceOptions
from diarist.model.redacted import Redacted, derived
from diarist.text.analyse import analyse

if TYPE_CHECKING:
    from diarist.ports import Embedder

NO_EMBEDDER = "no embedder is configured"
K1, B = 1.2, 0.75
KEY_BOOST, TAG_BOOST = 0.4, 0.25


class Roles(NamedTuple):
    """What makes vectors of questions, and of the texts that may answer them."""

    queries: Embedder
    passages: Embedder


def rank_items(
    items: Sequence[MemoryItem],
    query: str,
    k: int,
    mode: RecallMode,
    options: SpaceOptions,
    roles: Roles | None,
    cache: Path,
    why_not: str = "",
) -> Recalled:
    """The best `k` items; equal scores newest first. Where vectors cannot be had, vector and hybrid fall back to bm25 and say so:
    `why_not` there are no `roles`.
    """
    terms = list(dict.fromkeys(analyse(query)))
    reason = (why_not or NO_EMBEDDER) if mode != "bm25" and roles is None else ""
    effective: RecallMode = "bm25" if roles is None else mode
    scored = [(0.0, item) for item in items]
    if terms and effective != "bm25" and roles is not None:
        try:
            scored = _with_vectors(items, query, terms, effective, options, roles, cache)
        except ModelError as error:
            effective, reason = "bm25", str(error)
    if terms and effective == "bm25":
        scored = [(score, item) for score, item in zip(bm25(items, terms), items, strict=True) if score > 0]
    scored.sort(key=lambda each: (-each[0], -each[1].stored_at.timestamp(), -each[1].order, each[1].id))
    hits = tuple(MemoryHit(item=item, score=round(score, 6)) for score, item in scored[:k])
    return Recalled(hits=hits, requested_mode=mode, effective_mode=effective, fallback_reason=reason)


def bm25(items: Sequence[MemoryItem], terms: Sequence[str]) -> list[float]:
    """Scores in the order of the items; 0 where no term occurs."""
    counts = [Counter(analyse(f"{item.key}\n{item.text}\n{' '.join(item.tags)}")) for item in items]
    lengths = [sum(each.values()) for each in counts]
    typical = sum(lengths) / len(lengths) if lengths else 1.0
    held = Counter(term for each in counts for term in each)
    scores = []
    for item, words, length in zip(items, counts, lengths, strict=True):
        score = 0.0
        for term in terms:
            often = words[term]
            if often:
                rarity = log(1 + (len(items) - held[term] + 0.5) / (held[term] + 0.5))
                score += rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * length / (typical or 1.0)))
        if score:
            keys, tags = set(analyse(item.key)), {term for tag in item.tags for term in analyse(tag)}
            score += sum(KEY_BOOST * (term in keys) + TAG_BOOST * (term in tags) for term in terms)
        scores.append(score)
    return scores


def _with_vectors(
    items: Sequence[MemoryItem],
    query: str,
    terms: Sequence[str],
    mode: RecallMode,
    options: SpaceOptions,
    roles: Roles,
    cache: Path,
) -> list[tuple[float, MemoryItem]]:
    """Cosine, or the weighted sum of cosine and bm25 over the best bm25."""
    asked = roles.queries.embed([derived(query)])[0]
    likeness = [max(0.0, cosine(asked, each)) for each in _vectors([item.text for item in items], roles.passages, cache)]
    if mode == "vector":
        return [(score, item) for score, item in zip(likeness, items, strict=True) if score > 0]
    lexical = bm25(items, terms)
    most = max([*lexical, 1.0])
    both = [options.bm25_weight * word / most + options.vector_weight * sense for word, sense in zip(lexical, likeness, strict=True)]
    return [(score, item) for score, item in zip(both, items, strict=True) if score > 0]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine of two vectors; 0 where one is all zeros.

    Raises
    ------
    InvalidInputError
        They are of different lengths.
    """
    if len(a) != len(b):
        raise InvalidInputError(f"vectors of {len(a)} and {len(b)} numbers cannot be compared; did the model change? Then delete the cache")
    size = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else 0.0


def _vectors(texts: Sequence[Redacted], embedder: Embedder, cache: Path) -> list[list[float]]:
    """Vectors of the texts, from the cache where they are there. The cache may be deleted at any time."""
    folder = cache / re.sub(r"[^A-Za-z0-9._-]", "_", embedder.name)[:80].lstrip(".")
    files = [folder / f"{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}.json" for text in texts]
    found = [_load(file) for file in files]
    missing = [number for number, vector in enumerate(found) if vector is None]
    made = embedder.embed([texts[number] for number in missing]) if missing else []
    for number, vector in zip(missing, made, strict=True):
        found[number] = vector
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            files[number].write_text(json.dumps(vector), encoding="utf-8")
    return [vector for vector in found if vector is not None]


def _load(file: Path) -> list[float] | None:
    try:
        vector = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return vector if isinstance(vector, list) and all(isinstance(part, int | float) for part in vector) else None
