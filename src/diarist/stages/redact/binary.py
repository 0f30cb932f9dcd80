"""Images and other binary data in texts: dropped before anything is scanned or kept."""

from __future__ import annotations

import re

from diarist.text.lazy import lazy

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LEAST = 512
"""Characters of unbroken base64 that are taken for binary data. Keys and tokens are shorter."""
_STRIDE = 256
_PROBE = 24
_DISTINCT = 20
"""Different characters in a sample: hex dumps and runs of one letter have fewer."""
_IMAGES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "Qk0", "PHN2Zy")
_DATA_URI = lazy(r"data:(?P<type>[\w.+-]{1,40}/[\w.+-]{1,60})?(?:;[\w=.-]{1,60}){0,3};base64,\Z")


def drop_binary(text: str) -> str:
    """The text with `[image]` or `[binary 1234 bytes]` in the place of long base64, data URI included.

    Looks at a few characters every 256, so text without binary data costs next to nothing.
    """
    pieces: list[str] = []
    at = seen = 0
    for probe in range(_STRIDE, len(text) - _PROBE, _STRIDE):
        if probe < seen or text[probe : probe + _PROBE].strip(_ALPHABET):
            continue
        start, end = _run(text, at, probe)
        seen = end
        if end - start < _LEAST or len(set(text[start : start + _STRIDE])) < _DISTINCT:
            continue
        uri = _DATA_URI.search(text, max(at, start - 120), start)
        pieces += [text[at : uri.start() if uri else start], _marker(text, start, end, uri)]
        at = end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip("="))
    return "".join([*pieces, text[at:]]) if pieces else text


def _run(text: str, low: int, probe: int) -> tuple[int, int]:
    """The unbroken stretch of base64 around `probe`."""
    start = probe
    while start > low:
        window = text[max(low, start - 4096) : start]
        kept = window.rstrip(_ALPHABET)
        start -= len(window) - len(kept)
        if kept:
            break
    end = probe
    while end < len(text):
        window = text[end : end + 4096]
        rest = window.lstrip(_ALPHABET)
        end += len(window) - len(rest)
        if rest:
            break
    return start, end


def _marker(text: str, start: int, end: int, uri: re.Match[str] | None) -> str:
    kind = uri["type"] if uri else None
    if (kind or "").startswith("image/") or (kind is None and text.startswith(_IMAGES, start)):
        return "[image]"
    return f"[binary {(end - start) * 3 // 4} bytes]"
