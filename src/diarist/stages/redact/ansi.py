"""Terminal colours: a secret with escape sequences inside is found in the text without them."""

from __future__ import annotations

from diarist.stages.redact.spans import OffsetMap
from diarist.text.lazy import lazy

MARKS = (b"\x1b", b"\\e[", b"\\033[", b"\\x1b[", b"\\x1B[", b"u001b[", b"u001B[", b"^[[")
"""Where none of these occurs, there are no escape sequences, raw or written out."""

_SEQUENCE = lazy(
    rb"(?:\x1b|\\e|\\0?33|\\x1[bB]|\\+u001[bB]|\^\[)(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[()][A-Z0-9])"
)


def stripped(data: bytes) -> tuple[bytes, OffsetMap] | None:
    """The text without its escape sequences, and the way back; None where there are none."""
    pieces: list[tuple[int, int, int]] = []
    kept: list[bytes] = []
    size = at = 0
    for match in _SEQUENCE.finditer(data):
        if match.start() > at:
            pieces.append((size, at, match.start() - at))
            kept.append(data[at : match.start()])
            size += match.start() - at
        at = match.end()
    if at == 0:
        return None
    pieces.append((size, at, len(data) - at))
    kept.append(data[at:])
    return b"".join(kept), OffsetMap(pieces, len(data))
