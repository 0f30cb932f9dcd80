"""Bodies of requests and answers: bounded, unpacked and packed."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from diarist.asgi.problems import Problem

Receive = Callable[[], Awaitable[dict[str, Any]]]
STREAMED = "diarist.streamed"
"""Set in the scope by a route that takes a large body piece by piece."""

SMALL_BYTES = 64 << 10
"""A body that says it is no longer is read before anybody asks who sends it."""

ZSTD_PIECE = 512
"""Bytes unpacked at once: they cannot become more than some 16 MB."""


class _Unpacker(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


def may_be_large(headers: Mapping[str, str]) -> bool:
    """May the body become large? Then who sends it is to be let in first: what a stranger sends must not fill the memory.

    `headers` by their names in lower case.
    """
    declared = headers.get("content-length", "0")
    small = declared.isascii() and declared.isdigit() and int(declared) <= SMALL_BYTES
    return not small or "transfer-encoding" in headers or headers.get("content-encoding", "").lower() not in ("", "identity")


def expanded(receive: Receive, headers: Mapping[str, str], scope: dict[str, Any], limit: int, stream_limit: int) -> Receive:
    """`receive` whose bodies are unpacked and no longer than the limit. Raises Problem 413 and 415 where they are read."""
    coding = headers.get("content-encoding", "").strip().lower()
    declared = headers.get("content-length", "")
    taken = 0
    unpacker: _Unpacker | None = None

    async def bounded() -> dict[str, Any]:
        nonlocal taken, unpacker
        most = stream_limit if scope.get(STREAMED) else limit
        if declared.isdigit() and int(declared) > most:
            raise Problem(413, f"a body may have {most:,} bytes here")
        message = await receive()
        if message["type"] != "http.request" or not message.get("body"):
            return message
        body = message["body"]
        if coding not in ("", "identity"):
            unpacker = unpacker or _unpacker(coding)
            body = _unpack(unpacker, coding, body, most - taken)
        taken += len(body)
        if taken > most:
            raise Problem(413, f"a body may have {most:,} bytes here")
        return {**message, "body": body}

    return bounded


def _unpacker(coding: str) -> Any:
    if coding == "gzip":
        return zlib.decompressobj(31)
    if coding == "zstd":
        import zstandard

        return zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj(read_across_frames=True)
    raise Problem(415, "a body may be packed with gzip or zstd", {"accept-encoding": "gzip, zstd"})


def _unpack(unpacker: Any, coding: str, data: bytes, most: int) -> bytes:
    """Unpacks one piece, a little at a time where the format lets us, so that a small body cannot become a huge one."""
    try:
        if coding == "gzip":
            return bytes(unpacker.decompress(data, most + 1))
        pieces, left = [], most
        for start in range(0, len(data), ZSTD_PIECE):
            pieces.append(unpacker.decompress(data[start : start + ZSTD_PIECE]))
            left -= len(pieces[-1])
            if left < 0:
                break
    except Exception as error:  # each library has errors of its own
        raise Problem(400, "the body is not packed as it says") from error
    return b"".join(pieces)


def wants(accept: str) -> str:
    """The packing to answer with: zstd, gzip or none ("")."""
    told: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, _, quality = part.strip().partition(";q=")
        try:
            told[name.strip()] = float(quality) if quality else 1.0
        except ValueError:
            told[name.strip()] = 0.0
    return next((name for name in ("zstd", "gzip") if told.get(name, 0.0) > 0), "")


def compressed(body: bytes, packing: str) -> bytes:
    """The body packed."""
    if packing == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=3).compress(body)
    packer = zlib.compressobj(5, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()
