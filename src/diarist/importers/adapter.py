"""The built-in importers' common shape: what differs is how a file is recognised, read, and where the agent leaves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from diarist.importers.glimpse import Glimpse, glimpse
from diarist.ports import Reading


def _nowhere(_environ: Mapping[str, str], _home: Path) -> Sequence[Path]:
    return ()


@dataclass(frozen=True)
class FormatImporter:
    """An importer put together from functions (see `diarist.ports.Importer` for what each must give)."""

    name: str
    looks: Callable[[Glimpse], int]
    """How sure it is, 0 to 100, from what the head of the file shows."""
    opens: Callable[[BinaryIO, bytes], Reading]
    """A reading of a stream, gone on with from a checkpoint (empty for none)."""
    roots: Callable[[Mapping[str, str], Path], Sequence[Path]] = _nowhere

    def sniff(self, head: bytes, path: Path | None) -> int:  # noqa: ARG002 - content decides
        """How sure it is that a file which begins so is of this format."""
        return self.looks(glimpse(head))

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Folders where the agent leaves its sessions."""
        return self.roots(environ, home)

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:  # noqa: ARG002 - never part of the content
        """Reads from where `stream` stands."""
        return self.opens(stream, state)
