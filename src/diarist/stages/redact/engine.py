"""The engine: positions from the prefilter, confirmed; spans merged; the masked text looked at again until nothing is left."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.stages.redact import ansi
from diarist.stages.redact.base64run import Fingerprint, run_at
from diarist.stages.redact.prefilter import Prefilter
from diarist.stages.redact.spans import PLACEHOLDER, OffsetMap, Span, masked, merge
from diarist.stages.redact.triggers import Trigger

_ROUNDS = 6
_DEPTH = 2
"""How often base64 inside base64 is decoded."""


class Engine:
    """Finds secrets in bytes of UTF-8. Pure: the same bytes give the same spans.

    The prefilter looks for `triggers` first, then for `fingerprints`, and numbers them in that order.
    """

    def __init__(self, triggers: Sequence[Trigger], fingerprints: Sequence[Fingerprint], prefilter: Prefilter) -> None:
        self._confirms = [trigger.confirm for trigger in triggers]
        self._fingerprints = list(fingerprints)
        self._prefilter = prefilter

    def find(self, data: bytes) -> list[Span]:
        """Everything to be masked, merged and sorted: masking it leaves a text in which nothing more is found."""
        spans = merge(self._views(data))
        for _ in range(_ROUNDS if spans else 0):
            more = self._look_again(data, spans)
            if not more:
                break
            spans = merge([*spans, *more])
        return spans

    def _views(self, data: bytes) -> list[Span]:
        """One pass over the text, and one over its lines with terminal colours without those."""
        spans = self._propose(data, _DEPTH)
        view = ansi.stripped(data)
        if view is not None:
            text, offsets = view
            spans += [offsets.back(span) for span in self._propose(text, _DEPTH)]
        return spans

    def _propose(self, data: bytes, depth: int) -> list[Span]:
        spans: list[Span] = []
        confirms, known = self._confirms, len(self._confirms)
        encoded: list[tuple[int, int]] = []
        for end, index in self._prefilter.scan(data):
            if index >= known:
                encoded.append((end, index - known))
                continue
            found = confirms[index](data, end)
            if found is None:
                continue
            if isinstance(found, list):
                spans += found
            else:
                spans.append(found)
        return spans + self._encoded(data, encoded, depth) if encoded and depth else spans

    def _encoded(self, data: bytes, hits: Sequence[tuple[int, int]], depth: int) -> list[Span]:
        """Runs of base64 in which, decoded, something is found."""
        spans: list[Span] = []
        done = 0
        for end, index in hits:
            fingerprint = self._fingerprints[index]
            start = end - len(fingerprint.text)
            if start < done:
                continue
            run = run_at(data, start, fingerprint.into)
            if run is None:
                continue
            if self._propose(run.decoded, depth - 1):
                spans.append(Span(run.start, run.end, "base64", "base64-secret", rank=2))
                done = run.end
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
        return [offsets.back(span) for span in self._views(text) if PLACEHOLDER.fullmatch(text, span.start, span.end) is None]
