"""The engine: positions from the prefilter, confirmed; spans merged; the masked text looked at again until nothing is left."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.stages.redact.prefilter import Prefilter
from diarist.stages.redact.spans import PLACEHOLDER, OffsetMap, Span, masked, merge
from diarist.stages.redact.triggers import Trigger

_ROUNDS = 6
_AROUND = 512


class Engine:
    """Finds secrets in bytes of UTF-8. Pure: the same bytes give the same spans."""

    def __init__(self, triggers: Sequence[Trigger], prefilter: Prefilter) -> None:
        self._confirms = [trigger.confirm for trigger in triggers]
        self._prefilter = prefilter

    def find(self, data: bytes) -> list[Span]:
        """Everything to be masked, merged and sorted: masking it leaves a text in which nothing more is found."""
        spans = merge(self.propose(data))
        for _ in range(_ROUNDS if spans else 0):
            more = self._look_again(data, spans)
            if not more:
                break
            spans = merge([*spans, *more])
        return spans

    def propose(self, data: bytes) -> list[Span]:
        """The spans of one pass."""
        spans: list[Span] = []
        confirms = self._confirms
        for end, index in self._prefilter.scan(data):
            span = confirms[index](data, end)
            if span is not None:
                spans.append(span)
        return spans

    def _look_again(self, data: bytes, spans: Sequence[Span]) -> list[Span]:
        """What a pass over the masked text finds in addition, in offsets of `data`."""
        pieces, new, old = [], 0, 0
        for span in spans:
            pieces.append((new, old, span.start - old))
            new += span.start - old + len(span.kind) + len("[REDACTED:]")
            old = span.end
        pieces.append((new, old, len(data) - old))
        offsets = OffsetMap(pieces, len(data))
        text = masked(data, spans)
        return [offsets.back(span) for span in self.propose(text) if not _is_placeholder(text, span)]


def _is_placeholder(text: bytes, span: Span) -> bool:
    return PLACEHOLDER.fullmatch(text, span.start, span.end) is not None
