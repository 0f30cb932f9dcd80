"""Prefilters: all positions that any trigger proposes, in order. Two back ends, the same positions.

`AcceleratedPrefilter` uses Hyperscan where its wheel is installed: over a hundred MB/s. `PlainPrefilter` uses Python's `re`, a
trie of all literals and one pass for each expression: a few MB/s, and the faster one for the first small texts of a process.
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

_SMALL = 1 << 16
"""Bytes up to which looking for one literal after the other beats compiling a trie of them, which takes 40 ms."""


class Prefilter(Protocol):
    """Proposes positions."""

    name: str

    def scan(self, data: bytes) -> list[Hit]:
        """Hits sorted by offset, then by trigger; each once."""
        ...


class PlainPrefilter:
    """Python's `re`. Expressions are compiled when a text holds what they need."""

    name = "plain"

    def __init__(self, triggers: Sequence[Trigger]) -> None:
        self._chains: dict[bytes, list[tuple[bytes, int]]] = {}
        root = b""
        for literal, index in sorted((trigger.pattern, index) for index, trigger in enumerate(triggers) if trigger.literal):
            if not root or not literal.startswith(root):
                root = literal
            self._chains.setdefault(root, []).append((literal, index))
        self._seen = 0
        self._any_literal: re.Pattern[bytes] | None = None
        self._expressions = [(trigger, index) for index, trigger in enumerate(triggers) if not trigger.literal]
        self._compiled: dict[bytes, re.Pattern[bytes]] = {}

    def scan(self, data: bytes) -> list[Hit]:
        """(end, number of the trigger) of each hit; ends are offsets in bytes."""
        hits = self._literals(data)
        lowered = data.lower()
        stems: dict[bytes, list[int]] = {}
        for trigger, index in self._expressions:
            text = lowered if trigger.caseless else data
            if trigger.needs and not any(need in text for need in trigger.needs):
                continue
            if not trigger.stem:
                hits += [(match.end(), index) for match in self._expression(trigger.pattern).finditer(text)]
                continue
            if trigger.stem not in stems:
                stems[trigger.stem] = [match.end() for match in self._expression(trigger.stem).finditer(text)]
            rests = [self._expression(rest).match for rest in trigger.rests]
            hits += [(found.end(), index) for at in stems[trigger.stem] for rest in rests if (found := rest(text, at)) is not None]
        return sorted(set(hits))

    def _expression(self, pattern: bytes) -> re.Pattern[bytes]:
        compiled = self._compiled.get(pattern)
        if compiled is None:
            compiled = self._compiled[pattern] = re.compile(pattern)
        return compiled

    def _literals(self, data: bytes) -> list[Hit]:
        hits: list[Hit] = []
        for root, at in self._roots(data):
            hits += [(at + len(literal), index) for literal, index in self._chains[root] if data.startswith(literal, at)]
        return hits

    def _roots(self, data: bytes) -> list[tuple[bytes, int]]:
        """Where the shortest literals stand."""
        if self._any_literal is None:
            self._seen += len(data)
            if self._seen <= _SMALL:
                return [(root, at) for root in self._chains if root in data for at in _occurrences(data, root)]
            self._any_literal = re.compile(b"(?=(" + trie(list(self._chains)) + b"))")
        return [(match[1], match.start()) for match in self._any_literal.finditer(data)]


def _occurrences(data: bytes, literal: bytes) -> list[int]:
    found, at = [], data.find(literal)
    while at >= 0:
        found.append(at)
        at = data.find(literal, at + 1)
    return found


class AcceleratedPrefilter:
    """Hyperscan. Raises ImportError where there is no wheel for this machine."""

    name = "hyperscan"

    def __init__(self, triggers: Sequence[Trigger], compiled: bytes | None = None) -> None:
        import hyperscan

        if compiled is not None:
            self._database = hyperscan.loadb(compiled, hyperscan.HS_MODE_BLOCK)
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
        """(end, number of the trigger) of each hit; ends are offsets in bytes."""
        hits: list[Hit] = []
        add = hits.append

        def on_match(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            add((end, index))

        self._database.scan(data, on_match, scratch=self._scratch())
        return sorted(set(hits)) if len(hits) > 1 else hits

    def _scratch(self) -> hyperscan.Scratch:
        """Hyperscan's working memory, one for each thread."""
        scratch: hyperscan.Scratch | None = getattr(self._local, "scratch", None)
        if scratch is None:
            import hyperscan

            scratch = self._local.scratch = hyperscan.Scratch(self._database)
        return scratch


def cache_key(triggers: Sequence[Trigger]) -> str:
    """Names a compiled database: 32 hex digits over the triggers.

    Neither the machine nor Hyperscan's version, which take longer to ask for than the database to load: Hyperscan itself refuses to
    load one that was made for another processor or by another version.
    """
    import hashlib

    digest = hashlib.sha256()
    for trigger in triggers:
        digest.update(b"%d %d %b\n" % (trigger.literal, trigger.caseless, trigger.pattern))
    return digest.hexdigest()[:32]
