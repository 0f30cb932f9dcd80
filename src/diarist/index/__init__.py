"""Full-text search over the store's records: derived, disposable, rebuilt by itself where it is damaged or of another version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from diarist.ports import Index


def open_index(folder: Path, *, read_only: bool) -> Index:
    """Opens the index in `folder`; not `read_only`: makes it if it is missing and empties it if it cannot be read.

    Raises
    ------
    IndexUnavailableError
        `read_only`, and there is none, or it is damaged or of another version; or the folder cannot be written.
    """
    from diarist.index.tantivy_index import TantivyIndex

    return TantivyIndex(str(folder), read_only=read_only)
