"""Records that somebody wrote as JSON, but not one a line: in a list, or spread over lines as formatters do."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from diarist.importers.encodings import UTF8_BOM, peek, utf8_lines
from diarist.importers.values import LENIENT, clean
from diarist.text.lazy import lazy

MAX_WHOLE = 64 << 20
"""So much is read at once to be put into lines; what is larger is read as it is."""
_BLANK = " \t\r\n\x00"
_GAP = lazy(rf"[{_BLANK}]*")


def record_lines(stream: BinaryIO) -> tuple[BinaryIO, bool]:
    """A stream of JSON lines in UTF-8, and whether its bytes are other than those of `stream` (so that offsets mean nothing)."""
    stream, changed = utf8_lines(stream)
    if not _is_other(peek(stream, 512)):
        return stream, changed
    data = peek(stream, MAX_WHOLE + 1)
    lines = in_lines(data) if len(data) <= MAX_WHOLE else b""
    return (io.BytesIO(lines), True) if lines else (stream, changed)


def _is_other(head: bytes) -> bool:
    """Whether bytes begin with a list, or with a brace that stands alone on its line."""
    text = head.removeprefix(UTF8_BOM).lstrip(_BLANK.encode())
    return text[:1] == b"[" or text.split(b"\n", 1)[0].strip() == b"{"


def values_of(text: str) -> Iterator[tuple[Any, int]]:
    """The JSON values that stand one behind the other at the beginning of a text, each with where it ends."""
    at = 0
    while at < len(text):
        gap = _GAP.match(text, at)
        try:
            value, at = LENIENT.raw_decode(text, gap.end() if gap else at)
        except (ValueError, RecursionError):
            return
        yield clean(value), at


def in_lines(data: bytes) -> bytes:
    """Each record on a line of its own, and as it is what is no whole record. Empty where there are no records, or they have lines."""
    if not _is_other(data[:512]):
        return b""
    text = data.removeprefix(UTF8_BOM).decode("utf-8", "surrogateescape").strip(_BLANK)
    records, end = list[Any](), 0
    for value, stop in values_of(text):
        if not isinstance(value, dict) and (records or not _holds_records(value)):
            break
        records += value if isinstance(value, list) else [value]
        end = stop
    if not records:
        return b""
    lines = [msgspec.json.encode(record) + b"\n" for record in records]
    rest = " ".join(text[end:].split()).encode("utf-8", "surrogateescape")
    return b"".join(lines) + rest


def _holds_records(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)
