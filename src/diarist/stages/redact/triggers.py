"""Triggers: what the prefilter looks for. A trigger proposes a position; its confirmation decides.

A trigger is a literal or a small regular expression that Hyperscan and Python's `re` read alike: no look-around, no captures, no
anchors. Everything precise (boundaries, lengths, entropy, examples) is the confirmation's business, so a back end that proposed
more would change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from diarist.stages.redact.spans import Span

Confirm = Callable[[bytes, int], "Span | list[Span] | None"]
"""From the data and the offset behind what the trigger matched to the span or spans to mask, if there are any."""


class Trigger(NamedTuple):
    """What to look for, and what to ask then."""

    pattern: bytes
    confirm: Confirm
    literal: bool = True
    caseless: bool = False
    """Only for expressions, and those are written in lower case."""
    needs: tuple[bytes, ...] = ()
    """Only for expressions: where none of these occurs (in lower case, if caseless), nothing can match."""
    family: str = ""
    """Within what one trigger of a family found, the others of that family need not look: they would find the same run again."""
    stem: bytes = b""
    """Where given, whatever matches ends in this and one of `rests`; plain Python looks for the stem and then tries those."""
    rests: tuple[bytes, ...] = ()


def minimal(literals: Iterable[bytes]) -> list[bytes]:
    """The literals without those that start with another one: where `sk-` is looked for, `sk-ant-` need not be."""
    kept: list[bytes] = []
    for literal in sorted(set(literals)):
        if not kept or not literal.startswith(kept[-1]):
            kept.append(literal)
    return kept


def trie(words: Sequence[bytes]) -> bytes:
    """One expression for all words that decides byte by byte: far faster than a flat alternation. No word may start another."""
    branches: dict[int, list[bytes]] = {}
    for word in words:
        branches.setdefault(word[0], []).append(word[1:])
    parts = []
    for first in sorted(branches):
        rests = branches[first]
        tail = b"" if rests == [b""] else trie(rests)
        parts.append(escape(bytes([first])) + tail)
    return parts[0] if len(parts) == 1 else b"(?:" + b"|".join(parts) + b")"


_ORDINARY = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ -:=/<>,;\"'%&@!~`"


def escape(literal: bytes) -> bytes:
    """The literal as an expression that Hyperscan and `re` read alike."""
    return b"".join(bytes([code]) if code in _ORDINARY else b"\\x%02x" % code for code in literal)
