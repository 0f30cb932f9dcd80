"""A session's evidence: from redacted steps to vault chunks, and back to one session.

`canon/1`, the canonical rendering, is JSON lines: each `Step` as compact JSON, keys in the order of the type, default
values left out, UTF-8, one line feed after each. The redaction hash of a session is the SHA-256 of that rendering of its
united steps. What depends on the copy (line numbers, offsets, file names) is no part of it.

A session may have several parts: its file, copies of it, files of its subagents. Their union does not depend on the order
in which they were imported: parts are merged by time, equal times by the order of `_precedence`, and a step whose `rid`
was seen is left out. Renderings (a page, another program's trajectory) have other steps than the transcript they were made
from: they are told only where that is not there, and only one kind of them.
"""

from __future__ import annotations

import hashlib
import heapq
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.errors import StoreCorruptError
from diarist.model.record import Part
from diarist.model.session import CaptureReport, Session, SessionInfo, Step, Usage

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader
    from diarist.model.redacted import Redacted
    from diarist.ports import Vault

CHUNK_BYTES = 1 << 20
"""Plain size at which a chunk is closed."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Step).decode
_EPOCH = datetime(1, 1, 1, tzinfo=UTC)


class ChunkWriter:
    """Collects the steps of one part and hands them to the vault chunk by chunk."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._buffer = bytearray()
        self.chunks: list[str] = []
        self.steps = 0
        self.first_at: datetime | None = None

    def add(self, step: Step) -> None:
        """Appends one step. Raises ValueError for a time without a zone."""
        if step.at is not None and step.at.tzinfo is None:
            raise ValueError("a time without a zone")
        self._buffer += _encode(step)
        self._buffer += b"\n"
        self.steps += 1
        if self.first_at is None or (step.at is not None and step.at < self.first_at):
            self.first_at = step.at or self.first_at
        if len(self._buffer) >= CHUNK_BYTES:
            self.close()

    def close(self) -> None:
        """Stores what is left; `chunks` is complete afterwards."""
        if self._buffer:
            self.chunks.append(self._vault.put(bytes(self._buffer)))
            self._buffer.clear()


class _Line(NamedTuple):
    step: Step
    raw: bytes
    part: int


class Evidence:
    """The united steps of a session's parts. Iterate as often as needed; one chunk per part is in memory at a time."""

    def __init__(self, parts: Iterable[Part], reader: Reader) -> None:
        self.parts = _told(sorted(parts, key=_precedence))
        self._reader = reader

    def __iter__(self) -> Iterator[Step]:
        if len(self.parts) == 1 and self.parts[0].role == "text":  # nothing to unite: no line is needed
            return steps_of_text(self.parts[0], self._reader)
        return (line.step for line in self._lines())

    def digest(self) -> tuple[str, list[int]]:
        """The redaction hash (64 hex digits), and how many steps each of `parts` added to the union."""
        digest = hashlib.sha256()
        added = [0] * len(self.parts)
        if len(self.parts) == 1:
            for chunk in self.parts[0].chunks:
                digest.update(self._reader.vault.get(chunk))
            return digest.hexdigest(), [self.parts[0].steps]
        for line in self._lines():
            digest.update(line.raw)
            added[line.part] += 1
        return digest.hexdigest(), added

    def text(self) -> str:
        """The whole redacted transcript as stored: JSON lines, or the plain text of a text part."""
        if len(self.parts) == 1:
            return b"".join(map(self._reader.vault.get, self.parts[0].chunks)).decode("utf-8", "replace")
        return b"".join(line.raw for line in self._lines()).decode("utf-8", "replace")

    def _lines(self) -> Iterator[_Line]:
        streams = [self._part_lines(number, part) for number, part in enumerate(self.parts)]
        if len(streams) == 1:
            return streams[0]
        return _unseen(line for _, _, line in heapq.merge(*map(_timed, range(len(streams)), streams), key=lambda item: item[:2]))

    def _part_lines(self, number: int, part: Part) -> Iterator[_Line]:
        if part.role == "text":
            yield from (_Line(step, _encode(step) + b"\n", number) for step in steps_of_text(part, self._reader))
            return
        for chunk in part.chunks:
            for raw in self._reader.vault.get(chunk).splitlines(keepends=True):
                try:
                    yield _Line(_decode(raw), raw, number)
                except msgspec.MsgspecError as error:
                    raise StoreCorruptError(
                        f"vault chunk {chunk} does not hold steps ({error}); `diarist doctor` names the session"
                    ) from error


def load_session(evidence: Evidence, project: Redacted) -> Session:
    """One session from its parts, ready to be distilled."""
    digest, added = evidence.digest()
    infos = [msgspec.json.decode(part.info, type=SessionInfo) for part in evidence.parts]
    captures = [msgspec.json.decode(part.capture, type=CaptureReport) for part in evidence.parts]
    whole = [count == part.steps for count, part in zip(added, evidence.parts, strict=True)]
    told = [capture for number, capture in enumerate(captures) if number == 0 or whole[number]]
    return Session(info=_united(infos, whole), project=project, capture=_sum(told), steps=evidence, redaction_hash=digest)


def steps_of_text(part: Part, reader: Reader) -> Iterator[Step]:
    """Steps read out of a plain (redacted) transcript, whatever format it is written in."""
    content = b"".join(map(reader.vault.get, part.chunks))
    importer = reader.find_importer(content[:65536], None)
    if importer is None:
        return
    for raw in importer.read(io.BytesIO(content), None):
        yield reader.redactor.step(raw, limit=reader.clip)[0]


def main_info(parts: Iterable[Part]) -> SessionInfo:
    """Facts of the part that leads the session (for its project and agent)."""
    return msgspec.json.decode(min(parts, key=_precedence).info, type=SessionInfo)


def _precedence(part: Part) -> tuple[bool, bool, bool, datetime, int, str]:
    """Which part leads: one that says something before one that only counts records that are told elsewhere."""
    silent = part.steps == 0 and part.role != "text"
    return _rendered_by(part) != "", part.role == "subagent", silent, part.first_at or _EPOCH, -part.steps, part.key


def _rendered_by(part: Part) -> str:
    """The format of a rendering, "" for a transcript of the session itself."""
    if b'"rendering":true' not in part.info:
        return ""
    info = msgspec.json.decode(part.info, type=SessionInfo)
    return info.format if info.rendering else ""


def _told(parts: list[Part]) -> list[Part]:
    """Of sorted parts those that the session is told from."""
    forms = [_rendered_by(part) for part in parts]
    if not any(forms):
        return parts
    own = [part for part, form in zip(parts, forms, strict=True) if not form]
    if any(part.role != "subagent" for part in own):
        return own
    sizes: dict[str, int] = {}
    for part, form in zip(parts, forms, strict=True):
        if form:
            sizes[form] = sizes.get(form, 0) + part.steps
    fullest = max(sizes, key=lambda form: (sizes[form], form))
    return [part for part, form in zip(parts, forms, strict=True) if form in ("", fullest)]


def _timed(number: int, lines: Iterable[_Line]) -> Iterator[tuple[datetime, int, _Line]]:
    """Lines with a time that never steps back (clocks do), so that streams can be merged."""
    latest = _EPOCH
    for line in lines:
        if line.step.at is not None and line.step.at > latest:
            latest = line.step.at
        yield latest, number, line


def _unseen(lines: Iterable[_Line]) -> Iterator[_Line]:
    seen: set[str] = set()
    for line in lines:
        if line.step.rid not in seen:
            seen.add(line.step.rid)
            yield line


def _united(infos: list[SessionInfo], whole: list[bool]) -> SessionInfo:
    """Facts of all parts. Usage (like counts of records) is added for parts that overlap with no other; copies do not count."""
    first = infos[0]
    models: dict[str, None] = {}
    usages, starts, ends = [], [], []
    for number, info in enumerate(infos):
        models.update(dict.fromkeys(info.models))
        starts += [info.started_at] if info.started_at else []
        ends += [info.ended_at] if info.ended_at else []
        if number == 0 or whole[number]:
            usages.append(info.usage)
    return msgspec.structs.replace(
        first,
        models=tuple(models),
        title=next((info.title for info in infos if info.title and info.role == "main"), first.title),
        parent_session=next((info.parent_session for info in infos if info.parent_session and info.role == "main"), ""),
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        usage=_total(usages),
    )


def _total(usages: list[Usage]) -> Usage:
    def told(name: str) -> list[float]:
        return [value for usage in usages if (value := getattr(usage, name)) is not None]

    return Usage(
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in usages),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in usages),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in usages),
        cost_usd=sum(told("cost_usd")) if told("cost_usd") else None,
        latency_ms=int(sum(told("latency_ms"))) if told("latency_ms") else None,
    )


def _sum(captures: list[CaptureReport]) -> CaptureReport:
    if len(captures) == 1:
        return captures[0]
    skipped: dict[str, int] = {}
    for capture in captures:
        for reason, count in capture.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count

    def total(name: str) -> int:
        return sum(getattr(capture, name) for capture in captures)

    return CaptureReport(
        seen=total("seen"),
        kept=total("kept"),
        skipped=dict(sorted(skipped.items())),
        malformed=total("malformed"),
        truncated=total("truncated"),
        redacted=total("redacted"),
        calls=total("calls"),
        calls_paired=total("calls_paired"),
        problems=tuple(problem for capture in captures for problem in capture.problems)[:20],
    )
