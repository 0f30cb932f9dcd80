"""`<private>…</private>`: what a person marked as private is dropped before anything else looks at it.

A section that is not closed runs to the end of the text. Sections may be nested. What is left is one placeholder.
"""

from __future__ import annotations

import re

from diarist.text.lazy import lazy

PLACEHOLDER = "[REDACTED:private]"

_LONGEST_TAG = 96
_TAG = lazy(r"(?:<|&lt;|\\u003c)(?P<close>\\?/)?\s{0,8}private(?:\s[^<>&\\]{0,48})?\s{0,8}(?:>|&gt;|\\u003e)", re.IGNORECASE)


def may_hold_sections(text: str) -> bool:
    """A quick look: False means that there are none."""
    return "rivate" in text or "RIVATE" in text


def _tags(text: str) -> list[re.Match[str]]:
    """All opening and closing tags, in order. Looks closely only where their name stands."""
    found: dict[int, re.Match[str]] = {}
    for name in ("rivate", "RIVATE"):
        at = text.find(name)
        while at >= 0:
            for tag in _TAG.finditer(text, max(0, at - 18), at + _LONGEST_TAG):
                if tag.start() < at < tag.end():
                    found[tag.start()] = tag
            at = text.find(name, at + len(name))
    return [found[start] for start in sorted(found)]


def sections(text: str) -> list[tuple[int, int]]:
    """Where the private sections of a whole text are: (start, end) in characters, tags included."""
    found: list[tuple[int, int]] = []
    depth = start = 0
    for tag in _tags(text):
        opens = tag["close"] is None
        if depth == 0 and opens:
            start = tag.start()
        if depth == 1 and not opens:
            found.append((start, tag.end()))
        depth = max(0, depth + (1 if opens else -1))
    return [*found, (start, len(text))] if depth else found


class PrivateFilter:
    """The same for a text that comes in pieces: `feed` gives back what is settled, with a placeholder for each section."""

    def __init__(self) -> None:
        self._held = ""
        self._depth = 0

    def feed(self, text: str, *, last: bool = False) -> str:
        """What may go on. Fewer than a hundred characters are held back, in case a tag starts in them."""
        buffer = self._held + text
        safe = len(buffer) if last else max(0, len(buffer) - _LONGEST_TAG)
        kept: list[str] = []
        at = 0
        for tag in _tags(buffer):
            if tag.start() >= safe and not last:
                break
            opens = tag["close"] is None
            if self._depth == 0:
                kept += [buffer[at : tag.start()], PLACEHOLDER] if opens else [buffer[at : tag.end()]]
            self._depth = max(0, self._depth + (1 if opens else -1))
            at = tag.end()
        stop = max(at, safe)
        if self._depth == 0:
            kept.append(buffer[at:stop])
        self._held = buffer[stop:]
        return "".join(kept)
