"""JSON objects that do not stand alone: several on one line, with other text behind them, or with an escape that was broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from diarist.importers.encodings import as_utf8
from diarist.importers.values import LENIENT, clean

NOT_JSON = (msgspec.MsgspecError, ValueError, RecursionError)
"""What is raised for what is no JSON."""
BLANK = b" \t\r\n\x00\x0b\x0c"
_GAP = re.compile(r"[ \t\r\n\x00\x0b\x0c,]*")
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_decode = msgspec.json.Decoder().decode
_skip_value = msgspec.json.Decoder(msgspec.Raw).decode


def is_whole(raw: bytes) -> bool:
    """Whether bytes are one JSON object and nothing else; it is not built."""
    try:
        return raw[:1] == b"{" and bool(_skip_value(raw))
    except NOT_JSON:
        return False


def decode_lines(data: bytes) -> Iterator[Any]:
    """The JSON values of a text that is read whole; a line that holds none comes as itself."""
    for line in as_utf8(data).split(b"\n"):
        raw = line.strip(BLANK)
        if not raw:
            continue
        try:
            yield _decode(raw)
        except NOT_JSON:
            found: list[Any] = [value for value, _, _ in objects_in(raw)]
            yield from found or [raw.decode("utf-8", "replace")]


def objects_in(raw: bytes) -> Iterator[tuple[dict[str, Any], int, int]]:
    """The JSON objects glued together at the start of `raw`, each with the bytes where it begins and ends."""
    text = raw.decode("utf-8", "surrogateescape")
    at = place = 0
    while True:
        gap = _GAP.match(text, at)
        begin = gap.end() if gap else at
        if text[begin : begin + 1] != "{":
            return
        first = place + begin - at
        try:
            value, end = LENIENT.raw_decode(text, begin)
        except RecursionError:
            return
        except ValueError as error:
            if "escape" in str(error) and (repaired := _with_escapes_repaired(text[begin:])) is not None:
                yield repaired, first, len(raw.rstrip(BLANK))
            return
        place = first + len(text[begin:end].encode("utf-8", "surrogateescape"))
        yield clean(value), first, place
        at = end


def _with_escapes_repaired(text: str) -> dict[str, Any] | None:
    """The object of a text in which a search-and-replace broke an escape (a path with backslashes); None if it is broken otherwise."""
    try:
        value = LENIENT.decode(_ESCAPE.sub(lambda found: found[0] if found[1] else "\\\\", text.strip(" \t\r\n\x00")))
    except (ValueError, RecursionError):
        return None
    return clean(value) if isinstance(value, dict) else None
