"""Reading formats that are one document: it is read whole each time, so there is no checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Protocol

import msgspec

from diarist.importers.encodings import as_utf8
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.reshaped import values_of
from diarist.importers.values import LENIENT, MadeId, clean, digest_id
from diarist.importers.whole import WholeReading
from diarist.model.session import RawStep, SessionInfo

MAX_DOCUMENT = 512 << 20
"""Larger documents are refused: they cannot be read in pieces."""


_write = json.JSONEncoder(sort_keys=True, ensure_ascii=True, default=str).encode
BEHIND = "text behind the JSON document"


class DocumentFormat(Protocol):
    """What a format makes of one document. One object per reading."""

    name: str

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all sessions in the document. Opens a tally for each session and counts its records there."""
        ...

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """What is known about a session, once all steps were taken."""
        ...


class DocumentReading(WholeReading):
    """A `Reading` of one JSON document."""

    def __init__(self, stream: BinaryIO, form: DocumentFormat) -> None:
        super().__init__(form)
        self._stream = stream
        self._format = form

    def __iter__(self) -> Iterator[RawStep]:
        data = self._stream.read(MAX_DOCUMENT + 1)
        problem = ""
        if len(data) > MAX_DOCUMENT:
            problem = f"longer than {MAX_DOCUMENT >> 20} MiB"
        else:
            document, behind = self.decode(data), ""
            if document is None:
                document, behind = leading_document(data), BEHIND
            if document is None:
                problem = "not a whole JSON document"
            else:
                yield from unique(self._format.steps(document, self._ledger))
                if behind:
                    self._ledger.open("").broken(0, behind)
        if problem:
            self._ledger.open(digest_id(data)).broken(0, problem)
        elif not self._ledger.tallies:
            tally = self._ledger.open(digest_id(data))
            if not tally.seen:
                tally.broken(0, "no session in it")

    def decode(self, data: bytes) -> Any:
        """The document; None where there is none."""
        return decode_document(data)


def unique(steps: Iterable[RawStep]) -> Iterator[RawStep]:
    """The steps, those renamed whose id came before in their session: formats' own ids are not always unique."""
    known: set[int] = set()  # hashes: a document may hold a great many
    for number, step in enumerate(steps):
        key = hash((step.session, step.rid))
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


def leading_document(data: bytes) -> Any:
    """The object or list of objects at the beginning of a text that has more behind it; None where there is none."""
    found = next(values_of(as_utf8(data).decode("utf-8", "replace").strip(" \t\r\n\x00")), None)
    value = found[0] if found is not None else None
    first = value[0] if isinstance(value, list) and value else value
    return value if first and isinstance(first, dict) else None


def opening_id(*parts: Any) -> MadeId:
    """An id made of how a session begins (plain JSON values), for formats that give it none: stable while the session grows."""
    texts = tuple(map(_write, parts))
    return MadeId.of(digest_id("".join(texts).encode()), texts)
