"""A quick look whether any installed package announces entry points of a group.

`importlib.metadata` knows them well, and takes 25 ms to load and to look: more than most transcripts take to read. Few people have
an importer of their own, so the files it would read are asked for the group's name first.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder


def may_be_announced(group: str) -> bool:
    """False only where `importlib.metadata.entry_points(group=…)` would find nothing."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    return any(_in_folder(folder or ".", group.encode()) for folder in dict.fromkeys(sys.path))


def _in_folder(folder: str, group: bytes) -> bool:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - as below
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    return any(name.endswith(".egg") or (name.endswith((".dist-info", ".egg-info")) and _in_file(folder, name, group)) for name in names)


def _in_file(folder: str, name: str, group: bytes) -> bool:
    try:
        with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123 - pathlib takes as long as the reading
            return group in file.read()
    except OSError:
        return False
