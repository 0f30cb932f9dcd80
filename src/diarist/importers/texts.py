"""Reading formats that are plain text: read whole each time, as a person would have seen it on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from diarist.importers.encodings import as_utf8
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.values import MadeId, digest_id
from diarist.importers.whole import WholeReading
from diarist.model.session import RawStep, SessionInfo
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


class TextReading(WholeReading):
    """A `Reading` of one text."""

    def __init__(self, stream: BinaryIO, form: TextFormat) -> None:
        super().__init__(form)
        self._stream = stream
        self._format = form

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


def _opening(head: bytes) -> MadeId:
    return MadeId.of(digest_id(head), (head.decode("utf-8", "replace"),))
