"""Transcript files that were compressed to be kept: read as if they were not. Nothing is unpacked to a disk."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

MAX_UNPACKED = 4 << 30
"""A file that unpacks to more is not read to its end: it may be made to."""
_AT_ONCE = 1 << 18
_PACKED_AT_ONCE = 1 << 10
"""So little can unpack to 32 MB, not to more."""


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


def open_source(path: Path) -> BinaryIO:
    """The bytes of a file; of a compressed one (gzip, zstandard, bzip2, xz) what it holds.

    Raises OSError; reading does too, where a compressed file is damaged.
    """
    file = path.open("rb")
    try:
        unpack = _unpacker(file.read(6))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file if unpack is None else io.BufferedReader(_Unpacked(file, unpack), _AT_ONCE)


def is_packed(stream: BinaryIO) -> bool:
    """Whether a stream of `open_source` gives other bytes than its file holds."""
    return isinstance(stream, io.BufferedReader) and isinstance(stream.raw, _Unpacked)


def _unpacker(head: bytes) -> Callable[[BinaryIO], _Readable] | None:
    if head.startswith(b"\x1f\x8b\x08"):
        import gzip

        return lambda file: gzip.GzipFile(fileobj=file, mode="rb")
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _Zstandard
    if head.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File
    if head.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.LZMAFile
    return None


class _Zstandard:
    """Frames of zstandard one behind the other. The library's own reader takes one that was cut off for the end."""

    def __init__(self, file: BinaryIO) -> None:
        from zstandard import ZstdDecompressor

        self._file = file
        self._begin = ZstdDecompressor().decompressobj
        self._frame = self._begin()
        self._inside = False
        self._packed = b""
        self._ready = io.BytesIO()

    def read(self, size: int = -1, /) -> bytes:
        """Raises EOFError where the last frame has no end."""
        while not (data := self._ready.read(size)):
            self._packed = self._packed or self._file.read(_PACKED_AT_ONCE)
            if not self._packed:
                if self._inside:
                    raise EOFError
                return b""
            self._ready = io.BytesIO(self._frame.decompress(self._packed))
            self._inside = not self._frame.eof
            self._packed = b"" if self._inside else self._frame.unused_data
            if not self._inside:
                self._frame = self._begin()
        return data

    def close(self) -> None:
        self._ready.close()


class _Unpacked(io.RawIOBase):
    """What a compressed file holds. Going back begins anew at its start."""

    def __init__(self, file: BinaryIO, unpack: Callable[[BinaryIO], _Readable]) -> None:
        self._file = file
        self._unpack = unpack
        self._stream = unpack(file)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Reads on. Raises OSError where the file is damaged, cut off or unpacks to too much."""
        try:
            data = self._stream.read(len(buffer))
        except OSError:
            raise
        except Exception as error:  # each library has errors of its own
            raise OSError(f"it is compressed, and damaged or cut off ({type(error).__name__})") from error
        self._at += len(data)
        if self._at > MAX_UNPACKED:
            raise OSError(f"it unpacks to more than {MAX_UNPACKED >> 30} GiB")
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a byte counted from the start or from here."""
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation("the end of a compressed file is not known")
        target = offset + (self._at if whence == io.SEEK_CUR else 0)
        if target < self._at:
            self._stream.close()
            self._file.seek(0)
            self._stream, self._at = self._unpack(self._file), 0
        while self._at < target and self.readinto(bytearray(min(_AT_ONCE, target - self._at))):
            pass
        return self._at

    def close(self) -> None:
        """Closes the file too."""
        if not self.closed:
            self._stream.close()
            self._file.close()
        super().close()
