"""A chunk of evidence, wherever it is kept: named by the SHA-256 of its content (64 hex digits), packed as one zstd frame."""

from __future__ import annotations

import hashlib
import threading

import zstandard

from diarist.errors import InvalidInputError, NotFoundError

MAX_CHUNK_BYTES = 64 * 1024 * 1024
"""Most bytes that a chunk may unpack to; more is refused when it is put and when it is read."""
MAX_PACKED_BYTES = MAX_CHUNK_BYTES + MAX_CHUNK_BYTES // 256 + 1024
"""More than this is no chunk: zstd adds less to what it cannot compress."""
_COMPRESSION_LEVEL = 3
_HEX_DIGITS = frozenset("0123456789abcdef")


def name_chunk(content: bytes) -> str:
    """The id of a chunk with this content. Raises InvalidInputError where it is larger than `MAX_CHUNK_BYTES`."""
    if len(content) > MAX_CHUNK_BYTES:
        raise InvalidInputError(f"a chunk of {len(content)} bytes is too large for the vault; the limit is {MAX_CHUNK_BYTES}")
    return hashlib.sha256(content).hexdigest()


def check_id(chunk_id: str) -> str:
    """The id as it is. Raises NotFoundError for what cannot be one: it becomes part of a path."""
    if len(chunk_id) != 64 or not set(chunk_id) <= _HEX_DIGITS:
        raise NotFoundError(f"{chunk_id[:80]!r} is not the id of a chunk.")
    return chunk_id


class Packer:
    """Packs and unpacks chunks. Any number of threads may share it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # one (de)compressor serves one thread at a time
        self._compressor = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_CHUNK_BYTES)

    def pack(self, content: bytes) -> bytes:
        """One zstd frame that tells the size of its content."""
        with self._turn:
            return self._compressor.compress(content)

    def unpack(self, packed: bytes, chunk_id: str) -> bytes:
        """The content, checked against the id. Raises ValueError where it is damaged, or larger than a chunk may be."""
        try:
            size = zstandard.frame_content_size(packed)
            if not 0 <= size <= MAX_CHUNK_BYTES or len(packed) > MAX_PACKED_BYTES:
                raise ValueError(f"{size} bytes is not a size of a chunk")
            with self._turn:
                content = self._decompressor.decompress(packed, max_output_size=MAX_CHUNK_BYTES, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
        if hashlib.sha256(content).hexdigest() != chunk_id:
            raise ValueError("the content is not what its name says")
        return content
