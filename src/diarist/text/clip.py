"""Shortening text where a reader would."""

from __future__ import annotations

ELLIPSIS = "…"


def clip(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, cut at the end of a sentence or else of a word and marked with "…".

    A text that fits comes back as it is. A sentence end counts where it keeps at least half of the room, a word end where it
    keeps a third; a longer word (or a script without spaces) is cut inside. Never ends in half a surrogate pair or in a
    letter whose accents were cut off.

    >>> clip("The build passed. Then the tests failed badly.", 40)
    'The build passed. Then the tests failed…'
    """
    if len(text) <= limit:
        return text
    if limit <= 1:
        return ELLIPSIS[: max(limit, 0)]
    room = text[: limit - 1]
    cut = _sentence_end(room, text[limit - 1])
    if cut < limit // 2:
        cut = max(room.rfind(mark) for mark in (" ", "\n", "\t"))
        if text[limit - 1] in " \n\t":
            cut = len(room)
        if cut < limit // 3:
            cut = _whole_character(text, limit - 1)
    return text[:cut].rstrip(" \n\t,;:–—-") + ELLIPSIS


def _sentence_end(room: str, following: str) -> int:
    """End of the last whole sentence in `room`, 0 where there is none."""
    best = 0
    for mark in (". ", "! ", "? ", ".\n", "。", "！", "？", "\n\n"):
        at = (room + following).rfind(mark)
        if at >= 0:
            best = max(best, at + len(mark.rstrip()) if mark.strip() else at)
    return min(best, len(room))


def _whole_character(text: str, cut: int) -> int:
    """Moves a cut back so that it does not part a letter from its combining marks or a joined emoji."""
    start = cut
    while cut > 0 and start - cut < 16 and _joins(text[cut], text[cut - 1]):
        cut -= 1
    return cut or start


def _joins(char: str, before: str) -> bool:
    code = ord(char)
    return (
        0x300 <= code <= 0x36F  # combining accents
        or 0xFE00 <= code <= 0xFE0F  # variation selectors
        or 0x1F3FB <= code <= 0x1F3FF  # skin tones
        or char == "\u200d"
        or before == "\u200d"
    )
