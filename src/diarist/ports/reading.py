"""What reads transcripts: one importer a format, one reading a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from diarist.model.session import CaptureReport, RawStep, SessionInfo


class Reading(Protocol):
    """One pass over one source. Iterate it once; then ask for what it learned on the way.

    Bad records are counted in the captures, never raised. `OSError` of the stream passes through.
    """

    def __iter__(self) -> Iterator[RawStep]: ...

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of first appearance: everything known, earlier passes over this source included."""
        ...

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id; earlier passes included. `truncated` and `redacted` are filled in later by the core."""
        ...

    @property
    def offset(self) -> int:
        """Byte up to which whole records were read; a torn last record stays for the next pass."""
        ...

    @property
    def state(self) -> bytes:
        """Checkpoint to hand to the next pass. Holds ids (hashed where they could be text), counts and flags, never text."""
        ...


class Importer(Protocol):
    """Reads one transcript format. Third parties register one as an entry point in the group `diarist.importers`."""

    name: str
    """Also the default `agent` of its sessions: "claude-code"."""

    def sniff(self, head: bytes, path: Path | None) -> int:
        """How sure it is, 0 (not mine) to 100, from the first 64 KiB; the name of the file may only break ties."""
        ...

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Folders where this agent leaves its sessions on this machine, existing or not."""
        ...

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:
        """Reads from where `stream` stands. `state` is the last pass's checkpoint, empty for a first pass."""
        ...
