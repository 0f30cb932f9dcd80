"""Reading a transcript as the worker does: in one pass, or in several while the file grows."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from diarist.importers import find_importer, get_importer
from diarist.model.session import CaptureReport, RawStep, SessionInfo
from diarist.ports import Importer, Reading

TRANSCRIPTS = Path(__file__).parents[2] / "data" / "transcripts"
SNIFFED = 65536
"""Bytes from the start of a file that an importer may look at."""


class Taken(NamedTuple):
    """All that a source gave."""

    steps: list[RawStep]
    sessions: Mapping[str, SessionInfo]
    captures: Mapping[str, CaptureReport]

    def texts(self, kind: str) -> list[str]:
        """Texts of all steps of a kind."""
        return [step.text for step in self.steps if step.kind == kind]

    def marked(self, mark: str) -> list[str]:
        """Texts of all steps with a mark."""
        return [step.text for step in self.steps if step.mark == mark]

    @property
    def session(self) -> SessionInfo:
        """The only session."""
        (session,) = self.sessions.values()
        return session

    @property
    def capture(self) -> CaptureReport:
        """The only session's counts."""
        (capture,) = self.captures.values()
        return capture


def known_importer(data: bytes, path: Path | None = None) -> Importer:
    """The importer that knows a file which begins so."""
    importer = find_importer(data[:SNIFFED], path)
    assert importer is not None
    return importer


def take(data: bytes, importer: str = "", path: Path | None = None) -> Taken:
    """Reads everything in one pass."""
    chosen = get_importer(importer) if importer else known_importer(data, path)
    assert chosen is not None
    return _taken(chosen.read(io.BytesIO(data), path))


def take_in_pieces(data: bytes, cuts: Sequence[int], importer: str) -> Taken:
    """Reads what there is up to each cut, goes on from the checkpoint, and puts together what a store would hold."""
    chosen = get_importer(importer)
    assert chosen is not None
    steps: list[RawStep] = []
    offset, state = 0, b""
    taken = Taken([], {}, {})
    for cut in (*sorted(cuts), len(data)):
        stream = io.BytesIO(data[:cut])
        stream.seek(offset)
        reading = chosen.read(stream, None, state)
        if not offset:
            steps = []
        taken = _taken(reading)
        steps += taken.steps
        offset, state = reading.offset, reading.state
        assert (offset == 0) == (state == b"")
    return Taken(steps, taken.sessions, taken.captures)


def lines(*records: object) -> bytes:
    """Records as JSON lines."""
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _taken(reading: Reading) -> Taken:
    steps = list(reading)
    return Taken(steps, dict(reading.sessions), dict(reading.captures))
