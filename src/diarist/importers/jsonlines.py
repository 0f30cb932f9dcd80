"""Reading JSON lines as they really are: glued, torn, padded, mixed with other text, in any encoding, of any length.

`JsonLinesReading` walks the stream line by line and hands each JSON object to a `RecordFormat`, which says what it means.
Everything a format has to remember from record to record lives in the tallies or in what its `pack` returns, so that a
file that has grown is read on from where the last pass ended, with the same result as one pass over the whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol, TypeAlias, Union

import msgspec

from diarist.importers.encodings import UTF8_BOM
from diarist.importers.glued import BLANK, NOT_JSON, is_whole, objects_in
from diarist.importers.ledger import Ledger, Pairs, Tally
from diarist.importers.reshaped import record_lines
from diarist.model.session import CaptureReport, Naming, RawStep, SessionInfo

MAX_LINE = 64 << 20
"""Longer lines are counted as malformed: decoding one would break the memory budget."""
STATE_VERSION = 1
MAX_HELD = 200
_BRACE, _NEWLINE = ord("{"), ord("\n")
_decode = msgspec.json.Decoder().decode
_NO_OBJECTS = frozenset({str, int, float, list, bool, type(None)})


class Record(msgspec.Struct, frozen=True, gc=False):
    """One JSON object of a source."""

    value: Any
    """What the format's `decode` made of it: an object, as a dict or as a struct of the format's own."""
    line: int
    """Line it stands on, from 1."""
    number: int
    """Its place among the records of the source, from 1: an id for records that have none."""
    at: int
    """Byte where it starts."""


Take: TypeAlias = Callable[[Record, str, Tally], Sequence[RawStep] | str]
"""See `RecordFormat.take`."""


class RecordFormat(Protocol):
    """What a JSON-lines format has to say about its records. One object per reading."""

    name: str
    """Format and generation, as "claude-code/jsonl"."""
    ignores: bool
    """Whether `ignore` ever gives a reason."""

    @property
    def usual(self) -> Mapping[type, Take]:
        """By the typed values that `decode` may give: what takes them in `take`'s place.

        Each has a `session`, which it names or "" if none, and its facts, if it tells any, are told by what takes it.
        """
        ...

    @property
    def heads(self) -> frozenset[str] | None:
        """Fields that may name a session or tell a fact: a record without any of them is asked for neither. None: each record is asked."""
        ...

    def decode(self, raw: bytes) -> Any:
        """One JSON value. Raises `msgspec.MsgspecError`, ValueError or RecursionError where it is none.

        `msgspec.ValidationError` says that it is one, in another shape than the usual ones: it is read as plain JSON then.
        """
        ...

    def adopt(self, value: dict[str, Any]) -> Any:
        """The same from an object that only a lenient parser could read."""
        ...

    def ignore(self, raw: bytes) -> str:
        """A reason to pass over a line without decoding it, "" for none. Must be right whatever stands in the line."""
        ...

    def session_of(self, record: Record) -> str:
        """The session a record names; "" if it names none: it belongs to the one before it then."""
        ...

    def facts(self, record: Record) -> Pairs:
        """(name, value) of the facts a record tells about its session. Depends on the record alone."""
        ...

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """The steps of one record (none, if it told facts only), or the reason why it is skipped. Counts calls, results and usage."""
        ...

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """What is known about a session."""
        ...

    def pack(self) -> Any:
        """What must be remembered between passes, as plain values without text."""
        ...

    def unpack(self, packed: Any, read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave. `read` gives the value of the record that starts at a byte, None if it is gone."""
        ...


class PlainRecords:
    """What most formats need no word of their own for: plain JSON objects, nothing passed over, nothing remembered."""

    ignores = False
    usual: Mapping[type, Take] = MappingProxyType({})
    heads: frozenset[str] | None = None
    decode: Callable[[bytes], Any] = staticmethod(_decode)
    """A plain JSON value."""

    def expect(self, takes: Mapping[type, Take]) -> None:
        """Records that fit one of these types are decoded into it, and taken by what stands beside it (see `usual.py`).

        A type that stands alone needs a field for what tells it: a tag may be missing then.
        """
        self.usual, self.decode = takes, _decoder(tuple(takes)) if takes else _decode

    def adopt(self, value: dict[str, Any]) -> Any:
        """The same object."""
        return value

    def ignore(self, _raw: bytes) -> str:
        """Nothing is passed over."""
        return ""

    def facts(self, _record: Record) -> Pairs:
        """None are told."""
        return ()

    def pack(self) -> Any:
        """Nothing is remembered from record to record."""
        return None

    def unpack(self, _packed: Any, _read: Callable[[int], Any]) -> None:
        """Nothing to take up."""


@cache
def _decoder(shapes: tuple[type, ...]) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(Union[shapes]).decode  # noqa: UP007 - of as many as there are


def told(*pairs: tuple[str, object]) -> Pairs:
    """Of (name, value) pairs those whose value is a text that is not empty."""
    return tuple([(name, value) for name, value in pairs if value and isinstance(value, str)])


class JsonLinesReading:
    """A `Reading` of one JSON-lines source."""

    def __init__(self, stream: BinaryIO, form: RecordFormat, state: bytes = b"") -> None:
        self._stream = stream
        self._format = form
        self._begin()
        blank = form.pack()
        self._resumed = bool(state) and self._resume(state)
        if state and not self._resumed:
            stream.seek(0)
            form.unpack(blank, lambda _: None)
            self._begin()

    def _begin(self) -> None:
        self._ledger = Ledger()
        self._at = 0
        self._lines = 0
        self._number = 0
        self._unfinished = 0
        self._ended = False
        """The last line has no end yet."""
        self._transcoded = False
        self._named: dict[str, int] = {}
        """Where the record stands that first named a session."""
        self._made = ""
        """An id made of the first records, for a session that no record names."""
        self._opening = hashlib.sha256()
        self._opened: list[tuple[int, int]] = []
        """Where the records stand that the id was made of: the byte where each begins, and its length."""
        self._held: list[RawStep] = []
        """Steps that wait for their session's name."""

    def __iter__(self) -> Iterator[RawStep]:
        form, ledger = self._format, self._ledger
        decode, usual, ignore = form.decode, form.usual, form.ignore if form.ignores else None
        readline = self._lines_of_stream().readline
        while raw := readline(MAX_LINE):
            if raw[0] != _BRACE or raw[-1] != _NEWLINE:
                for line, at, piece in self._odd_line(raw):
                    yield from self._read(piece, line, at)
                if self._ended:
                    break
                continue
            # As nearly every line; what stands behind its object does no harm. No call here that not every format needs.
            at = self._at
            self._at = at + len(raw)
            self._lines = line = self._lines + 1
            if ignore is not None and (reason := ignore(raw)):
                self._pass_over(reason)
                continue
            try:
                value = decode(raw)
            except NOT_JSON:
                yield from self._other(raw, line, at)
                continue
            take, tally = usual.get(type(value)), ledger.tally
            if take is None or tally is None or (value.session and value.session != ledger.current):
                yield from self._take(value, line, at, raw)
                continue
            self._number = number = self._number + 1
            steps = take(Record(value, line, number, at), ledger.current, tally)
            tally.seen += 1
            if isinstance(steps, str):
                tally.passed(line, steps)
            else:
                tally.kept += 1
                yield from steps
        held, self._held = self._held, []
        yield from _named(held, self._provisional())

    def _read(self, raw: bytes, line: int, at: int) -> Iterator[RawStep]:
        """The steps of a line, or of a part of one."""
        if self._format.ignores and (reason := self._format.ignore(raw)):
            self._pass_over(reason)
            return
        try:
            value = self._format.decode(raw)
        except NOT_JSON:
            yield from self._other(raw, line, at)
        else:
            yield from self._take(value, line, at, raw)

    def _pass_over(self, reason: str) -> None:
        self._number += 1
        self._ledger.open("").skip(reason)

    def _other(self, raw: bytes, line: int, at: int) -> Iterator[RawStep]:
        """The steps of a line that is not one value of the usual shapes."""
        try:
            value = _decode(raw)
        except NOT_JSON:
            for value, _, place, piece in self._pieces(raw, line, at):
                yield from self._take(value, line, place, piece)
        else:
            yield from self._take(self._format.adopt(value) if type(value) is dict else value, line, at, raw)

    def _take(self, value: Any, line: int, at: int, raw: bytes) -> Sequence[RawStep]:
        """The steps of one JSON value that was not passed over."""
        form, ledger = self._format, self._ledger
        self._number = number = self._number + 1
        if type(value) in _NO_OBJECTS:
            ledger.open("").broken(line, "not a JSON object")
            return ()
        record = Record(value, line, number, at)
        usual = form.usual.get(type(value))
        asked = usual is None and (form.heads is None or not form.heads.isdisjoint(value))
        session = self._session_of(record) if asked or usual else ""
        tally = ledger.tally
        if tally is None or (session and session != ledger.current):
            tally = ledger.open(session)
            if session:
                self._named.setdefault(session, at)
        steps = (usual or form.take)(record, ledger.current, tally)
        tally.seen += 1
        if isinstance(steps, str):
            tally.passed(line, steps)
            steps = ()
        else:
            tally.kept += 1
            if asked and (pairs := form.facts(record)):
                tally.facts.tell_all(pairs, at)
        return self._hold(steps, raw, at) if self._held or not ledger.current else steps

    def _session_of(self, record: Record) -> str:
        """The session that a record names, "" for none."""
        usual = type(record.value) in self._format.usual
        return str(record.value.session) if usual else self._format.session_of(record)

    def _hold(self, steps: Sequence[RawStep], raw: bytes, at: int) -> Sequence[RawStep]:
        """Keeps steps back until the session has a name: one that a record tells, or one made of all records up to the agent's first words.

        The prompt alone would not do: many sessions begin with the same one.
        """
        self._held += steps
        if not self._ledger.current:
            raw = raw.strip(BLANK)
            self._opening.update(raw)
            self._opened.append((at, len(raw)))
            if len(self._held) < MAX_HELD and not any(step.kind in ("reply", "call") for step in steps):
                return ()
            self._made = self._provisional()
            self._ledger.open(self._made)
        held, self._held = self._held, []
        return _named(held, self._ledger.current)

    def _provisional(self) -> str:
        return self._opening.hexdigest()[:24]

    # --- lines -------------------------------------------------------------------------------------------------------

    def _lines_of_stream(self) -> BinaryIO:
        """The stream that lines are read from. Read from its start it is looked at: it may be in another encoding or shape."""
        if not self._at:
            self._stream, self._transcoded = record_lines(self._stream)
        return self._stream

    def _odd_line(self, raw: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Of a line that is no record and its end: (line number, byte where it starts, the line without blanks before it).

        A torn last line is left for later: nothing is read behind it in this pass.
        """
        start, line = self._at, self._lines + 1
        if not raw.endswith(b"\n"):
            if len(raw) < MAX_LINE:
                self._ended = True
                yield from self._last_line(raw, line, start)
            elif not self._skip_line(self._stream, len(raw), line):
                self._ended = True
            return
        self._at, self._lines = start + len(raw), line
        text = raw.strip(BLANK)
        if start == 0 and text.startswith(UTF8_BOM):
            text = text[len(UTF8_BOM) :].lstrip(BLANK)
        if text:
            yield line, start + raw.find(text[:64]), text

    def _last_line(self, raw: bytes, line: int, start: int) -> Iterator[tuple[int, int, bytes]]:
        """The complete objects at the start of a line that has no end yet."""
        begin = len(UTF8_BOM) if start == 0 and raw.startswith(UTF8_BOM) else 0
        if is_whole(raw):
            raw = raw.rstrip(BLANK)
            self._at = start + len(raw)
            yield line, start, raw
            return
        end = begin
        for _, first, stop in objects_in(raw[begin:]):
            yield line, start + begin + first, raw[begin + first : begin + stop]
            end = begin + stop
            self._at = start + end
        if raw[end:].strip(BLANK + b","):
            self._unfinished = line

    def _skip_line(self, stream: BinaryIO, length: int, line: int) -> bool:
        """Passes over a line that is too long without keeping it. False if it has no end yet."""
        while chunk := stream.readline(1 << 20):
            length += len(chunk)
            if chunk.endswith(b"\n"):
                self._at, self._lines, self._number = self._at + length, line, self._number + 1
                self._ledger.open("").broken(line, f"longer than {MAX_LINE >> 20} MiB")
                return True
        self._unfinished = line
        return False

    def _pieces(self, raw: bytes, line: int, at: int) -> Iterator[tuple[Any, int, int, bytes]]:
        """The objects of a line that is not one JSON value; what is left over counts as one malformed record."""
        end = 0
        for value, begin, stop in objects_in(raw):
            yield self._format.adopt(value), line, at + begin, raw[begin:stop]
            end = stop
        if raw[end:].strip(BLANK + b","):
            self._number += 1
            self._ledger.open("").broken(line, "text behind a JSON object" if end else "not JSON")

    # --- what was learned --------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """By native session id, in order of appearance."""
        return {name: self._format.info(name, tally) for name, tally in self._tallies().items()}

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """By native session id. An unfinished last line counts as skipped until it is whole."""
        reports = {name: tally.report() for name, tally in self._tallies().items()}
        if self._unfinished:
            name = self._ledger.current or next(iter(reports))
            reports[name] = _with_unfinished(reports[name])
        return reports

    @property
    def naming(self) -> Mapping[str, Naming]:
        """Of sessions whose name was made of their records."""
        name = self._made or ("" if self._ledger.tallies else self._provisional())
        if not name or not self._opened:
            return self._ledger.naming
        here = self._stream.tell()
        texts = tuple(self._bytes_at(at, size).decode("utf-8", "replace") for at, size in self._opened)
        self._stream.seek(here)
        return {**self._ledger.naming, name: Naming(opening=texts, digest=name)}

    @property
    def resumed(self) -> bool:
        """True if the last pass's checkpoint was taken up; else the source is read from its start."""
        return self._resumed

    def _tallies(self) -> dict[str, Tally]:
        if self._ledger.tallies:
            return self._ledger.tallies
        early = self._ledger.early or (Tally() if self._unfinished else None)
        return {} if early is None else {self._provisional(): early}

    @property
    def offset(self) -> int:
        """Byte up to which whole records were read; 0 as long as no session is known."""
        return self._at if self._ledger.tallies and not self._transcoded else 0

    @property
    def state(self) -> bytes:
        """Checkpoint for the next pass; empty as long as no session is known."""
        if not self.offset:
            return b""
        return msgspec.msgpack.encode(
            {
                "v": STATE_VERSION,
                "format": self._format.name,
                "place": [self._at, self._lines, self._number],
                "made": self._opened if self._made else [],
                "current": list(self._ledger.tallies).index(self._ledger.current),
                "sessions": [[self._named.get(name, -1), tally.pack()] for name, tally in self._ledger.tallies.items()],
                "own": self._format.pack(),
            }
        )

    def _resume(self, state: bytes) -> bool:
        """Takes up a checkpoint. False if it is none of this format and version: the source is read from its start then."""
        try:
            held = msgspec.msgpack.decode(state)
            if held["v"] != STATE_VERSION or held["format"] != self._format.name:
                return False
            self._unpack(held)
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError, AttributeError, OverflowError):
            return False
        return True

    def _unpack(self, held: dict[str, Any]) -> None:
        here = self._stream.tell()
        self._at, self._lines, self._number = held["place"]
        for at, size in held["made"]:
            self._opening.update(self._bytes_at(at, size))
            self._opened.append((at, size))
        self._made = self._provisional() if self._opened else ""
        names = []
        for at, packed in held["sessions"]:
            record = self._record_at(at) if at >= 0 else None
            name = (record and self._session_of(record)) or self._made
            names.append(name)
            self._ledger.open(name).unpack(packed, self._recall)
            if at >= 0:
                self._named[name] = at
        self._ledger.open(names[held["current"]])
        self._format.unpack(held["own"], lambda at: found.value if (found := self._record_at(at)) else None)
        self._stream.seek(here)

    def _recall(self, name: str, at: int) -> str:
        record = self._record_at(at)
        return next((value for told, value in self._format.facts(record) if told == name), "") if record else ""

    def _bytes_at(self, at: int, size: int) -> bytes:
        self._stream.seek(at)
        return self._stream.read(size)

    def _record_at(self, at: int) -> Record | None:
        """The record that starts at this byte."""
        self._stream.seek(at)
        raw = self._stream.readline(MAX_LINE).strip(BLANK)
        try:
            return Record(self._format.decode(raw), 0, 0, at)
        except NOT_JSON:
            pass
        try:
            return Record(self._format.adopt(_decode(raw)), 0, 0, at)
        except NOT_JSON:
            return next((Record(self._format.adopt(value), 0, 0, at) for value, _, _ in objects_in(raw)), None)


def _named(steps: Sequence[RawStep], session: str) -> Sequence[RawStep]:
    return [msgspec.structs.replace(step, session=session) for step in steps]


def _with_unfinished(report: CaptureReport) -> CaptureReport:
    skipped = dict(report.skipped)
    skipped["unfinished"] = skipped.get("unfinished", 0) + 1
    return msgspec.structs.replace(report, seen=report.seen + 1, skipped=dict(sorted(skipped.items())))
