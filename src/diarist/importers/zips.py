"""Reading zip archives whose entries may be packed with zstandard, which the standard library learns only in Python 3.14."""

from __future__ import annotations

import struct
import zipfile
from typing import BinaryIO

ZSTANDARD = 93
MAX_ENTRY = 256 << 20


def read_entry(archive: zipfile.ZipFile, stream: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry.

    Raises
    ------
    ValueError
        The entry is too large, or damaged, or packed in a way nobody can read here.
    """
    if entry.file_size > MAX_ENTRY:
        raise ValueError(f"longer than {MAX_ENTRY >> 20} MiB")
    try:
        if entry.compress_type != ZSTANDARD:
            with archive.open(entry) as opened:
                return opened.read(MAX_ENTRY)
        return _unpack_zstandard(stream, entry)
    except (zipfile.BadZipFile, EOFError, struct.error, OSError) as error:
        raise ValueError("damaged archive entry") from error
    except (NotImplementedError, RuntimeError) as error:
        raise ValueError("packed or encrypted in a way that cannot be read") from error


def _unpack_zstandard(stream: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    import zstandard

    stream.seek(entry.header_offset + 26)
    name_length, extra_length = struct.unpack("<HH", stream.read(4))
    stream.seek(entry.header_offset + 30 + name_length + extra_length)
    packed = stream.read(entry.compress_size)
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(packed)[:MAX_ENTRY]
    except zstandard.ZstdError as error:
        raise ValueError("damaged archive entry") from error
