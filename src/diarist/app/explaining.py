"""How one file is understood: which importer takes it, what its records are, what became of each, and the steps they gave.

Nothing is kept: no evidence, no entry, no state of the source. Everything that is told was redacted.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from diarist.app.faults import fault_of
from diarist.app.packed import open_source
from diarist.app.reading import SNIFF_BYTES, choose_importer
from diarist.errors import DiaristError, InvalidInputError, RedactionError
from diarist.model.redacted import Redacted
from diarist.model.session import CaptureReport, SessionInfo, Step
from diarist.text.records import outlines, record_types

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader, Toolbox
    from diarist.model.session import RawStep
    from diarist.ports import Reading

REASONS = {
    "attachment": "what the client put into the context",
    "demo": "a demonstration of another task",
    "duplicate": "the record, or its words, came before",
    "empty": "nothing to read in it",
    "encrypted": "ciphertext",
    "event": "another record tells it in full",
    "instructions": "system prompts",
    "no-genai": "a span that is not about a model or a tool",
    "other-session": "it speaks of another session",
    "partial": "the whole message follows",
    "progress": "another record tells it in full",
    "redaction-failed": "it could not be redacted and was dropped",
    "screen": "decoration of a screen",
    "state": "the client's own bookkeeping",
    "told-with-session": "a part that is read with its session's file",
    "unfinished": "the last line is still being written; it is read next time",
    "unknown-type": "a type of record that this version does not know",
}
"""Why a record is skipped, in words."""


class SessionSeen(msgspec.Struct, frozen=True):
    """One session of a file: its facts, and what became of its records."""

    info: SessionInfo
    capture: CaptureReport
    steps: dict[str, int]
    """By kind, with the mark behind it where there is one: "notice/machine"."""


class Explanation(msgspec.Struct):
    """What is known before, while and after the file is read. Take `steps` to its end; `sessions` is complete then."""

    path: Redacted
    size: int
    importer: str
    """Empty where none takes it: `reason` says why then, and `sample` shows its shape for a report."""
    sure: dict[str, int]
    """How sure each importer is that knows it at all, 0 to 100, surest first."""
    records: dict[str, int]
    """Records of the file by the names they give themselves."""
    reason: str = ""
    sample: tuple[Redacted, ...] = ()
    steps: Iterator[tuple[str, Step]] = msgspec.field(default_factory=lambda: iter(()))
    """(session, step), in order."""
    sessions: list[SessionSeen] = msgspec.field(default_factory=list)


def explain(box: Toolbox, path: Path, data: bytes | None = None) -> Explanation:
    """Looks at a file as `ingest` would, or at bytes that came otherwise (`path` names them then).

    Raises
    ------
    InvalidInputError
        It cannot be read.
    """
    try:
        stream: BinaryIO = open_source(path) if data is None else io.BytesIO(data)
        with ExitStack() as opened:
            opened.callback(stream.close)
            told = _look(box, stream, path.stat().st_size if data is None else len(data), path)
            opened.pop_all()  # whoever takes the steps closes it
            return told
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror or error}") from error


def _look(box: Toolbox, stream: BinaryIO, size: int, path: Path) -> Explanation:
    reader = box.reader()
    head = stream.read(SNIFF_BYTES)
    stream.seek(0)
    importer = choose_importer(head, path, True, reader)
    told = Explanation(
        path=reader.redactor.redact(str(path)),
        size=size,
        importer=importer.name if importer is not None else "",
        sure=_sure(box, head, path),
        records={str(reader.redactor.redact(name)): number for name, number in record_types(stream).items()},
    )
    if importer is None:
        stream.close()
        told.reason = "it is empty" if not head.strip() else "no importer knows this format"
        told.sample = sample(head, reader)
        return told
    stream.seek(0)
    with _told_faults():
        told.steps = _steps(told, stream, importer.read(stream, path), reader)
    return told


@contextmanager
def _told_faults() -> Iterator[None]:
    """What an importer does that nobody foresaw, which may be another package's."""
    try:
        yield
    except (OSError, DiaristError):
        raise
    except Exception as error:
        raise InvalidInputError(f"its importer failed here ({fault_of(error)}), please report it") from error


def _taken(reading: Reading, stream: BinaryIO) -> Iterator[RawStep]:
    """All of it; the file is closed then."""
    with stream, _told_faults():
        yield from reading


def sample(head: bytes, reader: Reader) -> tuple[Redacted, ...]:
    """The shape of a file for a report: field names and sizes, no words; of what is no JSON only how it looks."""
    lines = outlines(head)
    if not lines:
        text = head.decode("utf-8", "replace").splitlines()[:3]
        lines = [f"<{len(line)} characters of text>" for line in text]
    return tuple(reader.redactor.redact(line) for line in lines)


def _sure(box: Toolbox, head: bytes, path: Path) -> dict[str, int]:
    found = {}
    for importer in box.importers():
        confidence = 0
        with suppress(Exception):  # foreign code; it counts as not knowing the file
            confidence = int(importer.sniff(head, path))
        if confidence > 0:
            found[importer.name] = confidence
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _steps(told: Explanation, stream: BinaryIO, reading: Reading, reader: Reader) -> Iterator[tuple[str, Step]]:
    kinds: dict[str, Counter[str]] = {}
    masked: Counter[str] = Counter()
    clipped: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for raw in _taken(reading, stream):
        try:
            step, count = reader.redactor.step(raw, limit=reader.clip)
        except RedactionError:
            dropped[raw.session] += 1
            continue
        kinds.setdefault(raw.session, Counter())[f"{step.kind}/{step.mark}" if step.mark else step.kind] += 1
        masked[raw.session] += count
        clipped[raw.session] += bool(step.clipped)
        yield str(reader.redactor.redact(raw.session)), step
    captures = reading.captures
    for name, info in reading.sessions.items():
        counted: dict[str, Any] = {"redacted": masked[name], "truncated": clipped[name]}
        if dropped[name]:
            counted["skipped"] = {**captures[name].skipped, "redaction-failed": dropped[name]}
        capture = msgspec.structs.replace(captures.get(name, CaptureReport()), **counted)
        told.sessions.append(SessionSeen(reader.redactor.info(info), capture, dict(kinds.get(name, Counter()).most_common())))
