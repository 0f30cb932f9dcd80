"""Reading formats that are plain text: read whole each time, as a person would have seen it on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO, Protocol

from diarist.importers.encodings import as_utf8
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.values import MadeId, digest_id
from diarist.model.session import CaptureReport, Naming, RawStep, SessionInfo
from diarist.text.terminal import plain

MAX_TEXT = 256 << 20
OPENING_BYTES = 2048
"""The first bytes name a session without an id: the same for a copy, and for a file that has grown beyond this size."""


class TextFormat(Protocol):
    """What a format makes of one text. One object per reading."""

    def steps(self, text: str, opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all sessions in the text. `opening` is an id made of its first bytes."""
        ...

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """What is known about a session, once all steps were taken."""
        ...


class TextReading:
    """A `Reading` of one text."""

    def __init__(self, stream: BinaryIO, form: TextFormat) -> None:
        self._stream = stream
        self._format = form
        self._ledger = Ledger()

    def __iter__(self) -> Iterator[RawStep]:
        data = self._stream.read(MAX_TEXT + 1)
        opening = _opening(as_utf8(data)[:OPENING_BYTES])
        if len(data) > MAX_TEXT:
            self._ledger.open(opening).broken(0, f"longer than {MAX_TEXT >> 20} MiB")
            return
        yield from self._format.steps(self.decode(data), opening, self._ledger)
        if not self._ledger.tallies:
            self._ledger.open(opening)

    def decode(self, data: bytes) -> str:
        """The text, as a person would have seen it."""
        return plain(as_utf8(data).decode("utf-8", "replace"))

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of appearance."""
        return {name: self._format.info(name, tally) for name, tally in self._ledger.tallies.items()}

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id, counted in pieces of text."""
        return {name: tally.report() for name, tally in self._ledger.tallies.items()}

    @property
    def naming(self) -> Mapping[str, Naming]:
        """Of sessions whose name was made, or is not what it was in earlier versions."""
        return self._ledger.naming

    @property
    def offset(self) -> int:
        """Always 0: a text that has changed is read anew."""
        return 0

    @property
    def state(self) -> bytes:
        """Always empty."""
        return b""


def _opening(head: bytes) -> MadeId:
    return MadeId.of(digest_id(head), (head.decode("utf-8", "replace"),))
