"""Prefilters: all positions that any trigger proposes, in order. Two back ends, the same positions.

`accelerated` uses Hyperscan where its wheel is installed: several hundred MB/s. `plain` uses Python's `re`: a trie of all
literals and one pass for each expression, a few MB/s.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from diarist.stages.redact.triggers import Trigger, escape, trie

if TYPE_CHECKING:
    import hyperscan

Hit = tuple[int, int]
"""(offset behind the match, index of the trigger)."""


class Prefilter(Protocol):
    """Proposes positions."""

    name: str

    def scan(self, data: bytes) -> list[Hit]:
        """Hits sorted by offset, then by trigger; each once."""
        ...


class PlainPrefilter:
    """Python's `re`."""

    name = "plain"

    def __init__(self, triggers: Sequence[Trigger]) -> None:
        literals: dict[bytes, list[tuple[bytes, int]]] = {}
        roots: list[bytes] = []
        for literal, index in sorted((trigger.pattern, index) for index, trigger in enumerate(triggers) if trigger.literal):
            if not roots or not literal.startswith(roots[-1]):
                roots.append(literal)
            literals.setdefault(roots[-1], []).append((literal, index))
        self._literals = literals
        self._any_literal = re.compile(b"(?=(" + trie(roots) + b"))") if roots else None
        self._expressions = [
            (re.compile(trigger.pattern), trigger.caseless, index) for index, trigger in enumerate(triggers) if not trigger.literal
        ]

    def scan(self, data: bytes) -> list[Hit]:
        hits: list[Hit] = []
        if self._any_literal is not None:
            for match in self._any_literal.finditer(data):
                at = match.start()
                hits += [(at + len(literal), index) for literal, index in self._literals[match[1]] if data.startswith(literal, at)]
        lowered = data.lower()
        for expression, caseless, index in self._expressions:
            hits += [(match.end(), index) for match in expression.finditer(lowered if caseless else data)]
        hits.sort()
        return hits


class AcceleratedPrefilter:
    """Hyperscan. Raises ImportError where there is no wheel for this machine."""

    name = "hyperscan"

    def __init__(self, triggers: Sequence[Trigger], compiled: bytes | None = None) -> None:
        import hyperscan

        if compiled is not None:
            self._database = hyperscan.loadb(bytearray(compiled), hyperscan.HS_MODE_BLOCK)
        else:
            self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
            self._database.compile(
                expressions=[escape(trigger.pattern) if trigger.literal else trigger.pattern for trigger in triggers],
                ids=list(range(len(triggers))),
                flags=[hyperscan.HS_FLAG_CASELESS if trigger.caseless else 0 for trigger in triggers],
            )
        self._local = threading.local()

    def compiled(self) -> bytes:
        """The compiled database, for a cache."""
        import hyperscan

        return hyperscan.dumpb(self._database)

    def scan(self, data: bytes) -> list[Hit]:
        hits: list[Hit] = []
        add = hits.append

        def on_match(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            add((end, index))

        self._database.scan(data, on_match, scratch=self._scratch())
        return sorted(set(hits))

    def _scratch(self) -> hyperscan.Scratch:
        """Hyperscan's working memory, one for each thread."""
        scratch: hyperscan.Scratch | None = getattr(self._local, "scratch", None)
        if scratch is None:
            import hyperscan

            scratch = self._local.scratch = hyperscan.Scratch(self._database)
        return scratch
