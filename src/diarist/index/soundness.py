"""Are the files of an index what the engine wrote? Each ends in a checksum of what stands before it."""

# ruff: noqa: PTH118, PTH123, PTH208
from __future__ import annotations

import json
import os
import zlib

from diarist.index.folders import META

_MAGIC = 1337
_PIECE = 1 << 20


def unsound_files(folder: str) -> list[str]:
    """One line for each file of the last commit that is missing, cut off or changed; empty where all are whole."""
    try:
        with open(os.path.join(folder, META), "rb") as file:
            segments = [segment["segment_id"].replace("-", "") for segment in json.load(file)["segments"]]
        names = os.listdir(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [f"the index file {META} cannot be read"]
    faults = []
    for segment in sorted(segments):
        files = sorted(name for name in names if name.startswith(segment))
        if not any(name.endswith(".term") for name in files):
            faults.append(f"files of the index are missing: {segment}")
        faults += [f"an index file is damaged: {name}" for name in files if not _is_whole(os.path.join(folder, name))]
    return faults


def _is_whole(path: str) -> bool:
    """Whether the file's content has the checksum in its footer: JSON, its length and a mark, both as four bytes."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            tail = file.read(8)
            length, magic = int.from_bytes(tail[:4], "little"), int.from_bytes(tail[4:], "little")
            if magic != _MAGIC or length + 8 > size:
                return False
            file.seek(size - 8 - length)
            wanted = json.loads(file.read(length))["crc"]
            file.seek(0)
            left, found = size - 8 - length, 0
            while left > 0 and (piece := file.read(min(_PIECE, left))):
                found = zlib.crc32(piece, found)
                left -= len(piece)
            return not left and found == wanted
    except (OSError, ValueError, KeyError, TypeError):
        return False
