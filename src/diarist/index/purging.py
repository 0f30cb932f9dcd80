"""Which parts of an index still hold the words of documents that were removed: the engine only marks them until it writes a part anew."""

# ruff: noqa: PTH118, PTH123, PTH208
from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import tantivy

from diarist.index.folders import META
from diarist.index.schema import SEQ


def documents_beside_removed(folder: str, searcher: Any) -> list[int]:
    """`seq` of every document in a segment of the last commit that holds removed ones too, in order.

    Segments are told apart by how many documents they hold, so a clean one of the same size is counted among them.
    """
    sizes = {most - removed for most, removed in _segments(folder).values() if removed}
    if not sizes:
        return []
    hits = searcher.search(tantivy.Query.all_query(), max(searcher.num_docs, 1), count=False).hits
    held = Counter(address.segment_ord for _, address in hits)
    addresses = [address for _, address in hits if held[address.segment_ord] in sizes]
    return sorted(number for number in searcher.fast_field_values(SEQ, addresses) if number is not None)


def is_pure(folder: str) -> bool:
    """True where no segment of the last commit holds removed documents, and no file of another segment lies beside them."""
    segments = _segments(folder)
    names = [name for name in os.listdir(folder) if len(name) > 32 and name[32] == "."]
    return not any(removed for _, removed in segments.values()) and all(name[:32] in segments for name in names)


def _segments(folder: str) -> dict[str, tuple[int, int]]:
    """By name of its files, how many documents a segment was written with, and how many of them are removed."""
    with open(os.path.join(folder, META), "rb") as file:
        meta = json.load(file)
    return {
        segment["segment_id"].replace("-", ""): (segment["max_doc"], (segment["deletes"] or {}).get("num_deleted_docs", 0))
        for segment in meta["segments"]
    }
