"""The built-in importers' common shape: what differs is how a file is recognised, read, and where the agent leaves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from diarist.importers.glimpse import MAX_OBJECTS, Glimpse, glimpse
from diarist.ports import Reading

LISTED = 78
"""So sure must one be of records in a list: they may be a document of another kind."""


def _nowhere(_environ: Mapping[str, str], _home: Path) -> Sequence[Path]:
    return ()


class FormatImporter(msgspec.Struct, frozen=True):
    """An importer put together from functions (see `diarist.ports.Importer` for what each must give)."""

    name: str
    looks: Callable[[Glimpse], int]
    """How sure it is, 0 to 100, from what the head of the file shows."""
    opens: Callable[[BinaryIO, bytes], Reading]
    """A reading of a stream, gone on with from a checkpoint (empty for none)."""
    roots: Callable[[Mapping[str, str], Path], Sequence[Path]] = _nowhere
    listed: bool = False
    """It reads records, one a line. Somebody may have put them into a JSON list."""

    def sniff(self, head: bytes, path: Path | None) -> int:  # noqa: ARG002 - content decides
        """How sure it is that a file which begins so is of this format."""
        seen = glimpse(head)
        sure = self.looks(seen)
        if self.listed and not sure and not seen.objects and seen.items:
            sure = self.looks(Glimpse(seen.items[:MAX_OBJECTS], None, seen.text)) - 2
            return sure if sure >= LISTED else 0
        return sure

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Folders where the agent leaves its sessions."""
        return self.roots(environ, home)

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:  # noqa: ARG002 - never part of the content
        """Reads from where `stream` stands."""
        return self.opens(stream, state)
