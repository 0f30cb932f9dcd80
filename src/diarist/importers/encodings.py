"""Bytes of a source as UTF-8, whatever they were written in. Streams must be ones that can be wound back."""

from __future__ import annotations

import io
from typing import BinaryIO

UTF8_BOM = b"\xef\xbb\xbf"
_UTF16 = {
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"{\x00": "utf-16-le",
    b"[\x00": "utf-16-le",
    b"\x00{": "utf-16-be",
    b"\x00[": "utf-16-be",
}


def utf16_codec(head: bytes) -> str:
    """The UTF-16 codec that bytes starting so are written in (they have a mark, or start as JSON would), else ""."""
    return _UTF16.get(head[:2], "")


def as_utf8(data: bytes) -> bytes:
    """The same text in UTF-8 without a byte order mark. Bytes that are no UTF-8 stay as they are."""
    codec = utf16_codec(data)
    if codec:
        return data.decode(codec, "replace").encode("utf-8", "replace").removeprefix(UTF8_BOM)
    return data.removeprefix(UTF8_BOM)


def utf8_lines(stream: BinaryIO) -> tuple[BinaryIO, bool]:
    """A stream to read lines of UTF-8 from, and whether its bytes are other than those of `stream` (so that offsets mean nothing)."""
    head = stream.read(2)
    codec = utf16_codec(head)
    if codec:
        return io.BytesIO((head + stream.read()).decode(codec, "replace").encode("utf-8", "replace")), True
    stream.seek(-len(head), io.SEEK_CUR)
    return stream, False


def peek(stream: BinaryIO, size: int) -> bytes:
    """The next bytes without taking them."""
    here = stream.tell()
    head = stream.read(size)
    stream.seek(here)
    return head
