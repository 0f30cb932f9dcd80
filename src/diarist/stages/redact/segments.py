"""Cuts a text of any length into segments that can be looked at one by one, the same way however the text arrives.

A segment is found together with some text that follows it, and ends where no evidence lies across the cut: at the end of a line if
possible. So memory stays bounded, a secret is never cut in two, and a stream gives what the whole gives.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from diarist.stages.redact.engine import Engine
from diarist.stages.redact.spans import Span

SIZE = 262_144
"""Characters of a segment."""
AHEAD = 32_768
_TRIES = 64
"""Characters that are looked at beyond it."""


class Segment(NamedTuple):
    """Bytes of UTF-8 (lone surrogates as they are) and what is to be masked in them."""

    data: bytes
    spans: list[Span]


def encode(text: str) -> bytes:
    """As UTF-8, lone surrogates as they are."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """What `encode` was given."""
    return data.decode("utf-8", "surrogatepass")


class Segmenter:
    """Takes a text in pieces and gives back segments that are settled."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held: list[str] = []
        self._size = 0

    def feed(self, text: str) -> list[Segment]:
        """Segments that nothing which may follow can change."""
        self._held.append(text)
        self._size += len(text)
        if self._size < SIZE + AHEAD:
            return []
        segments = []
        buffer, at = "".join(self._held), 0
        while len(buffer) - at >= SIZE + AHEAD:
            data = encode(buffer[at : at + SIZE + AHEAD])
            spans = self._engine.find(data)
            limit = len(data) - len(encode(buffer[at + SIZE : at + SIZE + AHEAD]))
            cut = _cut(data, spans, limit)
            segments.append(Segment(data[:cut], [span for span in spans if span.end <= cut]))
            at += SIZE - len(decode(data[cut:limit])) + len(decode(data[limit:cut]))
        self._held = [buffer[at:]]
        self._size = len(buffer) - at
        return segments

    def finish(self) -> Segment:
        """The rest."""
        data = encode("".join(self._held))
        self._held, self._size = [], 0
        return Segment(data, self._engine.find(data))


def _cut(data: bytes, spans: Sequence[Span], limit: int) -> int:
    """Where to cut: after the last line break up to `limit` that no evidence reaches across, else after a blank, else anywhere."""
    low = limit // 2
    for separator in (b"\n", b" ", b","):
        at = limit
        for _ in range(_TRIES):
            at = data.rfind(separator, low, at) + 1
            if at <= low:
                break
            across = _across(spans, at)
            if across is None:
                return at
            at = across.evidence
    across = _across(spans, limit)
    if across is None:
        return limit
    return across.end if across.end < len(data) or across.evidence < low else across.evidence


def _across(spans: Sequence[Span], at: int) -> Span | None:
    """The span whose evidence starts before `at` and that ends behind it. `spans` are sorted and free of overlaps."""
    nearest = bisect_left(spans, at, key=_end)
    span = spans[nearest] if nearest < len(spans) else None
    return span if span is not None and span.evidence < at < span.end else None


def _end(span: Span) -> int:
    return span.end
