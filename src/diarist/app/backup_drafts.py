"""Where a backup is drafted: in a folder beside its target. One that was killed leaves its folder, which may hold what is erased later.

So each is noted in the workspace, and the next backup and the next erasure remove what dead ones left.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from diarist.app.begun import cut_off, noted

NOTES = "backups-begun"
PREFIX = "diarist-backup-"


@contextmanager
def draft_folder(workspace: Path, beside: Path) -> Iterator[Path]:
    """A private folder within `beside`, gone afterwards. Raises OSError."""
    sweep(workspace)
    folder = beside.resolve() / f"{PREFIX}{secrets.token_hex(6)}"
    with noted(workspace / NOTES, folder.name, os.fsencode(folder)):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def sweep(workspace: Path) -> None:
    """Removes what backups left that are dead."""
    for note in cut_off(workspace / NOTES):
        folder = Path(os.fsdecode(note.told))
        if folder.name == note.name:  # else it was cut off before it was told
            if folder.parent.is_dir():
                shutil.rmtree(folder, ignore_errors=True)
            note.kept = folder.exists() or not folder.parent.is_dir()  # its disk is not here now
