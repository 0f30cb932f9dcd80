"""Reading formats that are one document: it is read whole each time, so there is no checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Protocol

import msgspec

from diarist.importers.encodings import as_utf8
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.values import LENIENT, MadeId, clean, digest_id, hash64
from diarist.model.session import CaptureReport, Naming, RawStep, SessionInfo

MAX_DOCUMENT = 512 << 20
"""Larger documents are refused: they cannot be read in pieces."""


class DocumentFormat(Protocol):
    """What a format makes of one document. One object per reading."""

    name: str

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all sessions in the document. Opens a tally for each session and counts its records there."""
        ...

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """What is known about a session, once all steps were taken."""
        ...


class DocumentReading:
    """A `Reading` of one JSON document."""

    def __init__(self, stream: BinaryIO, form: DocumentFormat) -> None:
        self._stream = stream
        self._format = form
        self._ledger = Ledger()

    def __iter__(self) -> Iterator[RawStep]:
        data = self._stream.read(MAX_DOCUMENT + 1)
        problem = ""
        if len(data) > MAX_DOCUMENT:
            problem = f"longer than {MAX_DOCUMENT >> 20} MiB"
        else:
            document = self.decode(data)
            if document is None:
                problem = "not a whole JSON document"
            else:
                yield from unique(self._format.steps(document, self._ledger))
        if problem:
            self._ledger.open(digest_id(data)).broken(0, problem)
        elif not self._ledger.tallies:
            tally = self._ledger.open(digest_id(data))
            if not tally.seen:
                tally.broken(0, "no session in it")

    def decode(self, data: bytes) -> Any:
        """The document; None where there is none."""
        return decode_document(data)

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of appearance."""
        return {name: self._format.info(name, tally) for name, tally in self._ledger.tallies.items()}

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id."""
        return {name: tally.report() for name, tally in self._ledger.tallies.items()}

    @property
    def naming(self) -> Mapping[str, Naming]:
        """Of sessions whose name was made, or is not what it was in earlier versions."""
        return self._ledger.naming

    @property
    def offset(self) -> int:
        """Always 0: a document that has changed is read anew."""
        return 0

    @property
    def state(self) -> bytes:
        """Always empty."""
        return b""


def unique(steps: Iterable[RawStep]) -> Iterator[RawStep]:
    """The steps, those renamed whose id came before in their session: formats' own ids are not always unique."""
    known: set[int] = set()
    for number, step in enumerate(steps):
        key = hash64(f"{step.session} {step.rid}")
        yield msgspec.structs.replace(step, rid=f"{step.rid}~{number}") if key in known else step
        known.add(key)


def decode_document(data: bytes) -> Any:
    """The value of a JSON document in any Unicode encoding, NaN and broken characters tolerated; None where it is none."""
    data = as_utf8(data).strip(b" \t\r\n\x00")
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return clean(LENIENT.decode(data.decode("utf-8", "replace").strip()))
    except (ValueError, RecursionError):
        return None


def opening_id(*parts: Any) -> MadeId:
    """An id made of how a session begins (plain JSON values), for formats that give it none: stable while the session grows."""
    texts = tuple(json.dumps(part, sort_keys=True, ensure_ascii=True, default=str) for part in parts)
    return MadeId.of(digest_id("".join(texts).encode()), texts)
