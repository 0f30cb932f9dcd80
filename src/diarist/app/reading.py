"""One transcript file → redacted evidence in the vault. Runs in the main process or in a worker; touches no store."""

from __future__ import annotations

import hashlib
import hmac
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

import msgspec

from diarist.app.evidence import ChunkWriter
from diarist.app.faults import fault_of
from diarist.app.naming import Named, all_names, stored_names
from diarist.app.packed import is_packed, open_source
from diarist.errors import DiaristError, RedactionError
from diarist.model.codec import to_json
from diarist.model.record import Part, SourceState
from diarist.model.session import CaptureReport, Problem, SessionInfo, Step
from diarist.stages.withhold import Withholding

if TYPE_CHECKING:
    from datetime import datetime

    from diarist.app.toolbox import Reader
    from diarist.model.session import RawStep
    from diarist.ports import Importer, Reading, Store

HEAD_BYTES = 4096
SNIFF_BYTES = 65536
WALK_CONFIDENCE = 20
"""A file met while walking a folder must look like a transcript at least this much; a file the user named need not."""


class Before(msgspec.Struct, frozen=True):
    """What is known of a file from earlier passes: its state, and by (redacted) session what its parts have counted so far."""

    source: SourceState
    captures: Mapping[str, CaptureReport] = msgspec.field(default_factory=dict)


class FileRead(msgspec.Struct, frozen=True):
    """What one pass over a file gave: evidence already in the vault, and what to write down about it."""

    source: SourceState | None
    parts: tuple[Part, ...] = ()
    continued: bool = False
    """The chunks of `parts` go behind those the store already has."""
    captures: tuple[CaptureReport, ...] = ()
    status: Literal["read", "unknown", "lost"] = "read"
    reason: str = ""
    bytes_read: int = 0
    formers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """By session: what earlier versions called it. Unredacted: not to be stored unless it is already."""


def source_key(path: Path) -> str:
    """Names a file without telling its path."""
    try:
        place = path.absolute()
    except FileNotFoundError:  # the folder we stand in was removed: what comes through standard input has a name all the same
        place = path
    return hashlib.sha256(str(place).encode("utf-8", "surrogatepass")).hexdigest()


def read_file(path: Path, explicit: bool, reader: Reader, before: Before | None, read_at: datetime) -> FileRead:
    """Reads one file, or what was added to it since `before`. Never raises for what the file holds or does meanwhile."""
    try:
        with open_source(path) as stream:
            return _read_safely(stream, path, explicit, reader, before, read_at)
    except FileNotFoundError:
        return FileRead(None, status="lost", reason="vanished while it was read; it will be looked for again next time")
    except PermissionError:
        return FileRead(None, status="lost", reason="no permission to read it; run as its owner or change its mode")
    except OSError as error:
        return FileRead(None, status="lost", reason=f"cannot be read: {error.strerror or error}")


def read_bytes(data: bytes, name: Path, reader: Reader, read_at: datetime) -> FileRead:
    """Reads a transcript that came through standard input, under a name from `name_bytes`."""
    return _read_safely(io.BytesIO(data), name, True, reader, None, read_at)


def name_bytes(store: Store, data: bytes) -> Path:
    """A name for what came without one: the same for the same bytes, and without the workspace's key no proof of what they were."""
    plain = Path(f"stdin-{hashlib.sha256(data).hexdigest()[:16]}")
    if store.get_source(source_key(plain)) is not None:  # it came before names were keyed, and stays one source
        return plain
    return Path(f"stdin-{hmac.new(store.tombstone_key(), b'diarist-stdin/1' + bytes(1) + data, hashlib.sha256).hexdigest()[:16]}")


def _read_safely(stream: BinaryIO, path: Path, explicit: bool, reader: Reader, before: Before | None, read_at: datetime) -> FileRead:
    """A fault of an importer, which may be another package's, keeps no other file out. It is tried again with the next import."""
    try:
        return _read_stream(stream, path, explicit, reader, before, read_at)
    except (OSError, DiaristError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever an importer does
        return FileRead(None, status="lost", reason=f"its importer failed ({fault_of(error)}), please report it; the other files were read")


def _read_stream(stream: BinaryIO, path: Path, explicit: bool, reader: Reader, before: Before | None, read_at: datetime) -> FileRead:
    head = stream.read(SNIFF_BYTES)
    importer = choose_importer(head, path, explicit, reader)
    state = _state_before(path, stream, importer.name if importer else "", head, reader, read_at)
    if importer is None:
        return FileRead(state, status="unknown", reason="empty" if not head else "no known transcript format")
    packed = is_packed(stream)
    go_on = before is not None and not packed and not reader.withhold.needs_whole
    go_on = go_on and before is not None and _continues(before.source, importer.name, head, state.size, reader)
    offset = before.source.offset if before is not None and go_on else 0
    stream.seek(offset)
    reading = importer.read(stream, path, before.source.state if before is not None and go_on else b"")
    writers, tally = _copy(reading, reader, importer)
    go_on = go_on and getattr(reading, "resumed", True)
    names = stored_names(reading, reader)
    parts, captures = [], []
    sessions, counted = reading.sessions, reading.captures
    for name in dict.fromkeys((*sessions, *writers)):
        info = reader.redactor.info(sessions.get(name) or SessionInfo(session=name, agent=importer.name, format=importer.name))
        info = msgspec.structs.replace(info, session=names[name].name) if name in names else info
        if _is_erased(name, reading, reader, info.agent):
            continue
        info = _dated(info, state.mtime_ns, read_at)
        earlier = _earlier(before, info.session, names.get(name)) if go_on else None
        capture = tally.report(name, counted.get(name, CaptureReport()), earlier or CaptureReport())
        captures.append(capture)
        writer = writers.get(name) or ChunkWriter(reader.vault)
        parts.append(_part(path, info, writer, capture, reader))
    state = msgspec.structs.replace(
        state,
        offset=0 if packed else reading.offset,
        state=b"" if packed else reading.state,
        size=state.size if packed else max(state.size, reading.offset),
        sessions=tuple(f"{part.agent}:{part.session}" for part in parts),
    )
    formers = {str(each.name): each.former for each in names.values() if each.former}
    read = max(0, reading.offset - offset) if reading.offset else state.size
    return FileRead(state, tuple(parts), go_on, tuple(captures), bytes_read=read, formers=formers)


def _earlier(before: Before | None, session: str, named: Named | None) -> CaptureReport | None:
    """What was counted in earlier passes, under the name of now or of then."""
    if before is None:
        return None
    return before.captures.get(session) or (before.captures.get(named.former) if named is not None else None)


def _dated(info: SessionInfo, mtime_ns: int, read_at: datetime) -> SessionInfo:
    """Formats without times: the run ended when its file was last written. Raises ValueError for times without a zone."""
    if any(at is not None and at.tzinfo is None for at in (info.started_at, info.ended_at)):
        raise ValueError("a time without a zone")
    if info.ended_at is not None or info.started_at is not None:
        return info
    from datetime import datetime

    at = datetime.fromtimestamp(mtime_ns // 10**9, UTC) if mtime_ns else read_at
    return msgspec.structs.replace(info, ended_at=at)


def choose_importer(head: bytes, path: Path, explicit: bool, reader: Reader) -> Importer | None:
    """Who reads a file that begins so, as far as somebody is sure enough; a file that the user named takes less."""
    importer = reader.find_importer(head, path) if head else None
    if importer is None:
        return None
    sure = importer.sniff(head, path)
    if sure < WALK_CONFIDENCE and (not explicit or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")):
        return None  # JSON that no format knows, or only its first half yet: it is no plain text either
    return importer


def _state_before(path: Path, stream: BinaryIO, importer: str, head: bytes, reader: Reader, read_at: datetime) -> SourceState:
    """The file's marks, taken before it is read: what is added meanwhile shows next time."""
    import os

    try:
        found = os.fstat(stream.fileno())
        size, mtime, inode = found.st_size, found.st_mtime_ns, found.st_ino
    except (OSError, AttributeError, io.UnsupportedOperation):
        size, mtime, inode = len(head), 0, 0
    return SourceState(
        key=source_key(path),
        path=reader.redactor.redact(str(path)),
        importer=importer,
        size=size,
        mtime_ns=mtime,
        inode=inode,
        head=_head_mark(head[: min(HEAD_BYTES, size)], reader),
        offset=0,
        read_at=read_at,
    )


def _head_mark(head: bytes, reader: Reader) -> str:
    """Tells one file from another by how it begins, without a hash of anything secret."""
    return hashlib.sha256(reader.redactor.redact(head.decode("utf-8", "replace")).encode()).hexdigest()


def _continues(before: SourceState, importer: str, head: bytes, size: int, reader: Reader) -> bool:
    """Is the file what it was, and grown? Else it is another file under the same name and is read whole."""
    if before.importer != importer or not before.offset or size < before.size:
        return False
    known = min(HEAD_BYTES, before.size)
    return _head_mark(head[:known], reader) == before.head


class _Tally:
    """What redaction and clipping did to each session's records, beside what the importer counted."""

    def __init__(self) -> None:
        self.truncated: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.dropped: dict[str, set[int | str]] = {}

    def report(self, session: str, counted: CaptureReport, earlier: CaptureReport) -> CaptureReport:
        dropped = len(self.dropped.get(session, ())) + earlier.skipped.get("redaction-failed", 0)
        skipped = dict(counted.skipped)
        problems = list(counted.problems)
        if dropped:
            dropped = min(dropped, counted.kept)
            skipped["redaction-failed"] = dropped
            lines = sorted(line for line in self.dropped.get(session, ()) if isinstance(line, int))
            problems += [Problem(line=line, reason="could not be redacted and was dropped") for line in lines]
        return msgspec.structs.replace(
            counted,
            kept=counted.kept - dropped,
            skipped=dict(sorted(skipped.items())),
            truncated=earlier.truncated + self.truncated[session],
            redacted=earlier.redacted + self.redacted[session],
            problems=tuple(problems[:20]),
        )


def _copy(reading: Reading, reader: Reader, importer: Importer) -> tuple[dict[str, ChunkWriter], _Tally]:
    """Redacts every step on its way into the vault. A record of which a step cannot be redacted is dropped and counted.

    Steps of sessions that were erased are passed over. Raises msgspec.ValidationError for steps of a third-party importer that are
    none: in the vault they would keep their session from being told for ever.
    """
    agent, is_own = importer.name, type(importer).__module__.startswith("diarist.")
    writers: dict[str, ChunkWriter] = {}
    tally = _Tally()
    steps: Iterable[RawStep] = map(Withholding(reader.withhold), reading)
    for raw in steps:
        writer = writers.get(raw.session)
        if writer is None and _is_erased(raw.session, reading, reader, agent):
            continue
        if writer is None:
            writer = writers[raw.session] = ChunkWriter(reader.vault)
        try:
            step, masked = reader.redactor.step(raw, limit=reader.clip)
        except RedactionError:
            tally.dropped.setdefault(raw.session, set()).add(raw.line or raw.rid)
            continue
        writer.add(step if is_own else msgspec.json.decode(msgspec.json.encode(step), type=Step))
        tally.redacted[raw.session] += masked
        tally.truncated[raw.session] += bool(step.clipped)
    for writer in writers.values():
        writer.close()
    return writers, tally


def _is_erased(session: str, reading: Reading, reader: Reader, agent: str) -> bool:
    if not reader.erased:
        return False
    info = reading.sessions.get(session)
    agent = reader.redactor.redact(info.agent if info is not None else agent)
    return any(reader.erased.holds("session", agent, name) for name in all_names(session, reading, reader))


def _part(path: Path, info: SessionInfo, writer: ChunkWriter, capture: CaptureReport, reader: Reader) -> Part:
    """The key begins with the file's: what belongs to a file is found by it."""
    role = hashlib.sha256(f"{info.role}\0{info.actor}".encode()).hexdigest()[:8]
    return Part(
        agent=info.agent,
        session=info.session,
        key=f"{source_key(path)[:24]}-{role}",
        role="subagent" if info.role == "subagent" else "main",
        chunks=tuple(writer.chunks),
        steps=writer.steps,
        first_at=writer.first_at,
        info=to_json(info),
        capture=to_json(capture),
        rules_version=reader.redactor.version,
    )
