"""Spans: where a text has to be masked, as what, and how the masked text is put together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from diarist.text.lazy import lazy

PLACEHOLDER = lazy(rb"\[REDACTED:[a-z0-9._-]{1,60}\]")
"""What masking leaves behind: a kind, never the value, its length or a hash. Opaque to every rule."""


class Span(NamedTuple):
    """Bytes `start` to `end` are to be masked as `kind`, says `rule`.

    `rank` decides which of two overlapping spans names the placeholder. `origin` is where the evidence starts (the key of an
    assignment, the banner of a PEM block): text may be cut in two only where no evidence lies across the cut.
    """

    start: int
    end: int
    rule: str
    kind: str
    rank: int = 0
    origin: int = -1

    @property
    def evidence(self) -> int:
        """Where what it was found by begins: before the span, for a value whose name gives it away."""
        return self.start if self.origin < 0 else min(self.start, self.origin)


def merge(spans: Sequence[Span]) -> list[Span]:
    """Sorted and free of overlaps; of overlapping spans the highest rank, then the longest, then the first names the union."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            best = max(last, span, key=lambda one: (one.rank, one.end - one.start, -one.start))
            origin = min(last.evidence, span.evidence)
            merged[-1] = best._replace(start=last.start, end=max(last.end, span.end), origin=origin)
        else:
            merged.append(span)
    return merged


def masked(data: bytes, spans: Sequence[Span]) -> bytes:
    """`data` with each of the merged `spans` replaced by its placeholder."""
    pieces, at = [], 0
    for span in spans:
        pieces += [data[at : span.start], b"[REDACTED:%b]" % span.kind.encode()]
        at = span.end
    return b"".join([*pieces, data[at:]])


class OffsetMap:
    """From offsets in a text with replaced or dropped pieces back to offsets in the original of `size` bytes.

    `pieces` are (offset in the new text, offset in the original, length) of each stretch that both share, in order; between
    two stretches lies what was replaced or dropped.
    """

    def __init__(self, pieces: Sequence[tuple[int, int, int]], size: int) -> None:
        shared = [(0, 0, 0), *pieces]
        self._new = [piece[0] for piece in shared]
        self._old = [piece[1] for piece in shared]
        self._length = [piece[2] for piece in shared]
        self._size = size

    def start(self, offset: int) -> int:
        """Original offset of a span's first byte; the start of the replaced piece where it lies inside one."""
        at = bisect_right(self._new, offset) - 1
        return self._old[at] + min(offset - self._new[at], self._length[at])

    def end(self, offset: int) -> int:
        """Original offset behind a span's last byte; the end of the replaced piece where it lies inside one."""
        at = max(bisect_right(self._new, offset - 1) - 1, 0)
        into = offset - self._new[at]
        if into <= self._length[at]:
            return self._old[at] + into
        return self._old[at + 1] if at + 1 < len(self._old) else self._size

    def back(self, span: Span) -> Span:
        """The same span in the original."""
        origin = self.start(span.origin) if span.origin >= 0 else -1
        return span._replace(start=self.start(span.start), end=self.end(span.end), origin=origin)
