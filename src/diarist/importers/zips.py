"""Reading zip archives whose entries may be packed with zstandard, which the standard library learns only in Python 3.14."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO

ZSTANDARD = 93
MAX_ENTRY = 256 << 20
_UNREADABLE = "packed or encrypted in a way that cannot be read"


def read_entry(archive: zipfile.ZipFile, stream: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry.

    Raises
    ------
    ValueError
        The entry is too large, or damaged, or packed in a way nobody can read here.
    """
    if entry.file_size > MAX_ENTRY:
        raise ValueError(f"longer than {MAX_ENTRY >> 20} MiB")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD):
        raise ValueError(_UNREADABLE)
    try:
        if entry.compress_type == ZSTANDARD:
            return _unpack_zstandard(stream, entry)
        with archive.open(entry) as opened:
            return opened.read(MAX_ENTRY)
    except (zipfile.BadZipFile, EOFError, struct.error, zlib.error, OSError) as error:
        raise ValueError("damaged archive entry") from error
    except (NotImplementedError, RuntimeError) as error:
        raise ValueError(_UNREADABLE) from error


def _unpack_zstandard(stream: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    import zstandard

    stream.seek(entry.header_offset + 26)
    name_length, extra_length = struct.unpack("<HH", stream.read(4))
    stream.seek(entry.header_offset + 30 + name_length + extra_length)
    packed = stream.read(entry.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as reader:
            return reader.read(entry.file_size)
    except zstandard.ZstdError as error:
        raise ValueError("damaged archive entry") from error
