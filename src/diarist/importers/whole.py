"""What readings of files that are read whole have in common: nothing is carried on from pass to pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from diarist.importers.ledger import Ledger, Tally
from diarist.model.session import CaptureReport, Naming, SessionInfo


class Telling(Protocol):
    """What a format knows of the sessions it found."""

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """What is known about a session, once all steps were taken."""
        ...


class WholeReading:
    """The part of a `Reading` that tells what was learned on the way."""

    def __init__(self, form: Telling) -> None:
        self._telling = form
        self._ledger = Ledger()

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of appearance."""
        return {name: self._telling.info(name, tally) for name, tally in self._ledger.tallies.items()}

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id, counted in records of a document, or in pieces of a text."""
        return {name: tally.report() for name, tally in self._ledger.tallies.items()}

    @property
    def naming(self) -> Mapping[str, Naming]:
        """Of sessions whose name was made, or is not what it was in earlier versions."""
        return self._ledger.naming

    @property
    def offset(self) -> int:
        """Always 0: a file that has changed is read anew."""
        return 0

    @property
    def state(self) -> bytes:
        """Always empty."""
        return b""
