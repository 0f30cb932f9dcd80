"""Sources reconciled: what became of every file that was ever looked at, and what no importer knew, with a shape for a report.

A shape holds names of fields and sizes of what stands in them, no words (`diarist.text.records`), and was redacted all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.explaining import sample
from diarist.app.packed import open_source
from diarist.app.tombstones import ERASED_PATH
from diarist.model.redacted import Redacted, derived
from diarist.model.session import CaptureReport, SessionInfo
from diarist.text.records import outlines

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Part, SourceState
    from diarist.ports import Store

HEAD = 1 << 16
MOST_SHAPES = 10
MAX_LINE = 1 << 20
UNKNOWN_TYPE = "unknown-type"


class Unknown(NamedTuple):
    """Something that no importer knew. `of`: "" for whole files, else the format whose records they are; `number`: how many."""

    of: str
    number: int
    example: Redacted
    """Path of one of the files, with the line where it is a record."""
    shape: tuple[Redacted, ...]


class SourceReport(NamedTuple):
    """`counts` by name; `faults` must not be; `notes` may well be."""

    counts: Counter[str]
    faults: list[str]
    notes: list[str]
    unknown: list[Unknown]


def check_sources(box: Toolbox) -> SourceReport:
    """Looks at every file that was ever read: is it there, was it read, is its evidence there?"""
    report = SourceReport(Counter(), [], [], [])
    nameless: list[SourceState] = []
    told = frozenset(part.key[:24] for part in _parts(box.store))
    for source in box.store.list_sources():
        _count(source, report)
        if source.importer:
            _reconcile(source, told, report)
        else:
            nameless.append(source)
    report.unknown.extend(_unknown_files(nameless, box, report.counts))
    report.unknown.extend(_unknown_records(box))
    return report


def _count(source: SourceState, report: SourceReport) -> None:
    counts = report.counts
    counts["source_files"] += 1
    counts[f"source_files_{source.importer or 'of_no_known_format'}"] += 1
    counts["source_files_parsed" if source.importer else "source_files_skipped"] += 1
    if source.problem:
        report.faults.append(f"{source.path}: {source.problem}")
    if "[REDACTED:" in source.path or source.path == ERASED_PATH or not source.inode:
        counts["source_files_not_looked_for"] += 1  # its name was masked or erased, or it came through standard input
        return
    try:
        found = Path(source.path).stat()
    except OSError:
        counts["source_files_vanished"] += 1
        return
    if (found.st_size, found.st_mtime_ns) != (source.size, source.mtime_ns):
        counts["source_files_changed_since"] += 1


def _reconcile(source: SourceState, told: frozenset[str], report: SourceReport) -> None:
    """Evidence of every file that told of a session is there, unless that was erased."""
    if source.sessions and source.key[:24] not in told:
        names = ", ".join(source.sessions[:3])
        report.faults.append(f"{source.path}: read, but its evidence ({names}) is not there; `diarist ingest` it again")


def _unknown_files(nameless: Iterable[SourceState], box: Toolbox, counts: Counter[str]) -> Iterator[Unknown]:
    """JSON that nobody knows, by shape, most frequent first. Other files (pictures, notes) are no transcripts."""
    alike: dict[str, list[Redacted]] = {}
    shapes: dict[str, Redacted] = {}
    for source in nameless:
        head = _head(source.path)
        if not head:
            continue
        if head.lstrip()[:1] not in (b"{", b"["):
            counts["source_files_that_are_no_json"] += 1
            continue
        shape = sample(head, box.reader())[0]
        name = re.sub(r"\d+", "", shape)  # sizes apart
        alike.setdefault(name, []).append(source.path)
        shapes.setdefault(name, shape)
    for name, paths in sorted(alike.items(), key=lambda each: (-len(each[1]), each[0]))[:MOST_SHAPES]:
        yield Unknown("", len(paths), min(paths), (shapes[name],))


def _unknown_records(box: Toolbox) -> Iterator[Unknown]:
    """Types of records that their importer did not know: how many in each format, and the shapes of some."""
    paths = {source.key[:24]: source.path for source in box.store.list_sources() if source.importer}
    counts: Counter[str] = Counter()
    shapes: dict[str, dict[Redacted, Redacted]] = {}
    for part in _parts(box.store):
        capture = msgspec.json.decode(part.capture, type=CaptureReport)
        number = capture.skipped.get(UNKNOWN_TYPE, 0)
        if not number:
            continue
        form = msgspec.json.decode(part.info, type=SessionInfo).format
        counts[form] += number
        known, path = shapes.setdefault(form, {}), paths.get(part.key[:24])
        for problem in capture.problems:
            if path is not None and problem.reason == UNKNOWN_TYPE and len(known) < MOST_SHAPES:
                for line in outlines(_line(path, problem.line)):
                    known.setdefault(box.reader().redactor.redact(line), derived(f"{path}:{problem.line}"))
    for form, number in sorted(counts.items()):
        yield Unknown(form, number, next(iter(shapes[form].values()), Redacted("")), tuple(shapes[form]))


def _parts(store: Store) -> Iterator[Part]:
    for agent, session in store.list_sessions():
        yield from store.get_parts(agent, session)


def _head(path: str) -> bytes:
    try:
        with open_source(Path(path)) as stream:
            return stream.read(HEAD)
    except (OSError, ValueError):
        return b""


def _line(path: str, number: int) -> bytes:
    try:
        with open_source(Path(path)) as stream:
            return next(islice(stream, number - 1, None), b"")[:MAX_LINE] if number > 0 else b""
    except (OSError, ValueError):
        return b""
