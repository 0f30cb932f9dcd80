"""The engine: positions from the prefilter, confirmed; spans merged; the masked text looked at again until nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from diarist.stages.redact import ansi
from diarist.stages.redact.base64run import Fingerprint, run_at
from diarist.stages.redact.prefilter import Hit, Prefilter
from diarist.stages.redact.spans import PLACEHOLDER, OffsetMap, Span, masked, merge
from diarist.stages.redact.triggers import Trigger

_ROUNDS = 6
_DEPTH = 2
"""How often base64 inside base64 is decoded."""
_ALIGNMENTS = 3
"""Fingerprints that are tried in one run of base64: they may disagree about where its groups of four start."""
_AROUND = 600
"""Bytes on both sides of a placeholder in which masking may have changed what a rule sees."""

Finder = Callable[[bytes], list[Span]]
"""A user's rules and personal data: a pass of their own over the text."""


class Rulebook(NamedTuple):
    """All that the engine looks for. The prefilter numbers triggers, then fingerprints, then escape sequences."""

    triggers: tuple[Trigger, ...]
    fingerprints: tuple[Fingerprint, ...] = ()
    finders: tuple[Finder, ...] = ()
    allowed_values: frozenset[bytes] = frozenset()
    """Never masked."""
    allowed_rules: frozenset[str] = frozenset()
    """Rules and kinds that are switched off."""

    def watched(self) -> tuple[Trigger, ...]:
        """What a prefilter has to be made from."""
        return (
            *self.triggers,
            *(Trigger(fingerprint.text, _never) for fingerprint in self.fingerprints),
            *(Trigger(mark, _never) for mark in ansi.MARKS),
        )


def _never(_data: bytes, _end: int) -> None:
    return None


class Engine:
    """Finds secrets in bytes of UTF-8. Pure: the same bytes give the same spans."""

    def __init__(self, rulebook: Rulebook, prefilter: Prefilter) -> None:
        self._rulebook = rulebook
        self._confirms = [trigger.confirm for trigger in rulebook.triggers]
        self._families = [trigger.family for trigger in rulebook.triggers]
        self._encoded_from = len(self._confirms)
        self._escapes_from = self._encoded_from + len(rulebook.fingerprints)
        self._scan = prefilter.scan
        self._plain = not (rulebook.finders or rulebook.allowed_values or rulebook.allowed_rules)

    def is_clean(self, data: bytes) -> bool:
        """True where nothing is even proposed. Cheaper than `find`; False says nothing."""
        return not self._rulebook.finders and not self._scan(data)

    def find(self, data: bytes) -> list[Span]:
        """Everything to be masked, merged and sorted: masking it leaves a text in which nothing more is found."""
        hits = self._scan(data)
        if not hits and self._plain:
            return []
        spans = merge(self._views(data, hits))
        for _ in range(_ROUNDS if spans else 0):
            more = self._look_again(data, spans)
            if not more:
                break
            spans = merge([*spans, *more])
        return spans

    def _views(self, data: bytes, hits: Sequence[Hit]) -> list[Span]:
        """One pass over the text and, where it holds escape sequences, one over the text without them."""
        spans = self._confirmed(data, hits, _DEPTH)
        for finder in self._rulebook.finders:
            spans += finder(data)
        if any(index >= self._escapes_from for _, index in hits):
            view = ansi.stripped(data)
            if view is not None:
                text, offsets = view
                spans += [offsets.back(span) for span in self._confirmed(text, self._scan(text), _DEPTH)]
        return spans if self._plain else [span for span in spans if self._counts(data, span)]

    def _counts(self, data: bytes, span: Span) -> bool:
        book = self._rulebook
        if span.rule in book.allowed_rules or span.kind in book.allowed_rules:
            return False
        return data[span.start : span.end] not in book.allowed_values

    def _confirmed(self, data: bytes, hits: Sequence[Hit], depth: int) -> list[Span]:
        spans: list[Span] = []
        encoded: list[Hit] = []
        covered: dict[str, int] = {}
        for end, index in hits:
            if index >= self._encoded_from:
                if index < self._escapes_from:
                    encoded.append((end, index - self._encoded_from))
                continue
            family = self._families[index]
            if family and end < covered.get(family, 0):
                continue
            found = self._confirms[index](data, end)
            if found is None:
                continue
            if isinstance(found, list):
                spans += found
            else:
                spans.append(found)
            covered[family] = max(covered.get(family, 0), spans[-1].end)
        return spans + self._decoded(data, encoded, depth) if encoded and depth else spans

    def _decoded(self, data: bytes, hits: Sequence[Hit], depth: int) -> list[Span]:
        """Runs of base64 in which, decoded, something is found."""
        spans: list[Span] = []
        low = done = tries = 0
        for end, index in hits:
            fingerprint = self._rulebook.fingerprints[index]
            start = end - len(fingerprint.text)
            if start < done and tries >= _ALIGNMENTS:
                continue
            low = low if start < done else done
            run = run_at(data, start, fingerprint.into, low)
            if run is None:
                continue
            tries = tries + 1 if start < done else 1
            done = max(done, run.end)
            if self._confirmed(run.decoded, self._scan(run.decoded), depth - 1):
                spans.append(Span(run.start, run.end, "base64", "base64-secret", rank=2))
                tries = _ALIGNMENTS
        return spans

    def _look_again(self, data: bytes, spans: Sequence[Span]) -> list[Span]:
        """What a pass over the masked text finds in addition, in offsets of `data`: only around the placeholders can it differ."""
        pieces: list[tuple[int, int, int]] = []
        windows: list[tuple[int, int]] = []
        new = old = 0
        for span in spans:
            pieces.append((new, old, span.start - old))
            new += span.start - old
            end = new + len(span.kind) + len("[REDACTED:]")
            if windows and new - _AROUND <= windows[-1][1]:
                windows[-1] = (windows[-1][0], end + _AROUND)
            else:
                windows.append((max(0, new - _AROUND), end + _AROUND))
            new, old = end, span.end
        pieces.append((new, old, len(data) - old))
        text = masked(data, spans)
        hits = [(end + low, index) for low, high in windows for end, index in self._scan(text[low:high])]
        offsets = OffsetMap(pieces, len(data))
        return [offsets.back(span) for span in self._views(text, hits) if PLACEHOLDER.fullmatch(text, span.start, span.end) is None]
