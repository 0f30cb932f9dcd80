"""Bytes of a source as UTF-8, whatever they were written in."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

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
    if stream.seekable():
        stream.seek(-len(head), io.SEEK_CUR)
        return stream, False
    return cast("BinaryIO", _Rejoined(head, stream)), False


def peek(stream: BinaryIO, size: int) -> bytes:
    """The next bytes without taking them; nothing where the stream cannot be wound back."""
    if not stream.seekable():
        return b""
    here = stream.tell()
    head = stream.read(size)
    stream.seek(here)
    return head


class _Rejoined:
    """Lines of a stream that cannot be wound back, with the bytes that were read from its start."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readline(self, size: int) -> bytes:
        """The next line, at most `size` bytes of it."""
        head, self._head = self._head, b""
        line, newline, left = head.partition(b"\n")
        if newline:
            self._head = left
            return line + newline
        return head + self._rest.readline(size - len(head))
