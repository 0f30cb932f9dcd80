"""Transcripts in: find files, read them into evidence, distil what changed, publish, bring the index up to date.

Two steps, each safe to interrupt. Reading writes evidence and marks sessions dirty, in small transactions; distilling
turns dirty sessions into entries. A run that was killed leaves dirty marks, and the next run begins with them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from diarist.app.consent import may_capture
from diarist.app.distilling import Changed, distil_dirty
from diarist.app.evidence import main_info
from diarist.app.naming import under_stored_name
from diarist.app.publishing import is_left
from diarist.app.reading import Before, FileRead, name_bytes, read_bytes, read_file, source_key
from diarist.app.sources import Source, SourceProblem, find_sources
from diarist.app.spool import left_out
from diarist.errors import UsageError
from diarist.model.entry import Entry
from diarist.model.record import Part, SourceState
from diarist.model.session import CaptureReport, Step

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader, Toolbox
    from diarist.app.workers import Workers
    from diarist.config import Settings
    from diarist.ports import Store

BATCH_FILES = 64
BATCH_SECONDS = 1.0
DISTIL_BYTES = 64 << 20
"""Distil what is dirty after this much was read, so that a long import shows entries on the way."""
POOL_BYTES = 24 << 20
"""Less than this is read faster in one process than workers start."""
MUCH_BYTES = 1 << 20
"""So much is worth making the redactor's tables for before anything is read."""
FILE_BYTES = 64 << 10
"""However small a file is, it takes as long as this much of a large one."""
MOST_JOBS = 4


def jobs_of(settings: Settings) -> int:
    """Processes to read with: as `ingest.jobs` says, else as many as there are cores, at most `MOST_JOBS`."""
    chosen: int = settings.get("ingest.jobs")
    return chosen or min(MOST_JOBS, os.cpu_count() or 1)


class IngestOptions(msgspec.Struct, frozen=True):
    """How to import. `since`: files changed before are left alone; `agent`, `project`: only sessions of these.

    `explicit`: the user named the files; one that is met otherwise must look more like a transcript. `jobs`: processes that read; 0:
    as many as `jobs_of` says.
    """

    since: datetime | None = None
    agent: str | None = None
    project: str | None = None
    dry_run: bool = False
    jobs: int = 1
    explicit: bool = True


class IngestReport(msgspec.Struct):
    """What a run did. `entries`: made or changed, in file order; `captures`: one a session read."""

    entries: list[Entry] = msgspec.field(default_factory=list)
    earlier: set[str] = msgspec.field(default_factory=set)
    """Ids of those entries whose sessions waited from before and were not read in this run."""
    captures: list[CaptureReport] = msgspec.field(default_factory=list)
    files_read: int = 0
    files_unchanged: int = 0
    files_skipped: int = 0
    """No known format, empty, or left out by a filter."""
    bytes_read: int = 0
    without_entry: int = 0
    """Sessions without a prompt, a call or a reply."""
    created: int = 0
    updated: int = 0
    problems: list[SourceProblem] = msgspec.field(default_factory=list)
    interrupted: bool = False

    @property
    def lost(self) -> bool:
        """True if something that should have been imported was not."""
        return any(problem.lost for problem in self.problems)


class Progress(msgspec.Struct, frozen=True):
    """Where a run stands, for a progress bar: bytes done of bytes to do, and the step it is at."""

    done: int
    total: int
    stage: str
    files: int = 0


OnProgress = Callable[[Progress], None]


class Ingest:
    """One run over files."""

    def __init__(self, box: Toolbox, options: IngestOptions, on_progress: OnProgress | None = None) -> None:
        self._box = box
        self._options = options
        self._tell = on_progress or (lambda _progress: None)
        self._order: dict[tuple[str, str], None] = {}
        self._workers: Workers | None = None
        self._allowed: dict[str, bool] = {}
        """By working folder: whether its sessions may be kept, which files there say."""
        self._tombstones = box.store.tombstones()
        self.report = IngestReport()

    def run(self, paths: Sequence[Path], stdin: bytes | None = None) -> IngestReport:
        """Imports what is below `paths` and, if given, a transcript that came through standard input."""
        todo = self._plan(paths)
        total = sum(source.size for source, _ in todo) + len(stdin or b"")
        if self._options.dry_run:
            self.report.files_read, self.report.bytes_read = len(todo), total
            return self.report
        try:
            self._run(todo, total, stdin)
        except KeyboardInterrupt:
            self.report.interrupted = True
        return self.report

    def _run(self, todo: list[tuple[Source, Before | None]], total: int, stdin: bytes | None) -> None:
        jobs = min(self._options.jobs or jobs_of(self._box.settings), len(todo))
        with ExitStack() as stack:
            if jobs > 1 and total + FILE_BYTES * len(todo) >= POOL_BYTES:
                from diarist.app.workers import start_workers

                workers = start_workers(jobs, self._box.make_reader)
                self._workers = stack.enter_context(workers) if workers is not None else None
            if self._workers is None and total >= MUCH_BYTES:
                self._box.reader().redactor.engine(total)  # as much as this pays for the tables at once
            self._import(todo, total, stdin)
        self._workers = None

    def _import(self, todo: list[tuple[Source, Before | None]], total: int, stdin: bytes | None) -> None:
        if is_left(self._box):
            from diarist.app.published import publish_left

            publish_left(self._box)
        self._distil()
        self.report.earlier.update(entry.id for entry in self.report.entries)
        self._read(todo, total)
        if stdin is not None:
            self._apply([(None, read_bytes(stdin, name_bytes(self._box.store, stdin), self._box.reader(), self._box.now()))])
        self._distil()

    def _plan(self, paths: Sequence[Path]) -> list[tuple[Source, Before | None]]:
        """Files that are new or changed, with what is known of them."""
        todo = []
        for found in find_sources(paths, self._options.explicit):
            if isinstance(found, SourceProblem):
                self.report.problems.append(found)
                continue
            if self._options.since is not None and found.mtime_ns < self._options.since.timestamp() * 1e9:
                self.report.files_skipped += 1
                continue
            state = self._box.store.get_source(source_key(found.path))
            if state is not None and (state.size, state.mtime_ns, state.inode) == (found.size, found.mtime_ns, found.inode):
                self.report.files_unchanged += 1
                continue
            todo.append((found, _before(state, self._box.store)))
        return todo

    def _read(self, todo: list[tuple[Source, Before | None]], total: int) -> None:
        done, since_distil, batch, began = 0, 0, list[tuple[Source | None, FileRead]](), time.monotonic()
        for source, read in self._results(todo):
            batch.append((source, read))
            done += source.size
            since_distil += read.bytes_read
            if len(batch) >= BATCH_FILES or time.monotonic() - began >= BATCH_SECONDS:
                self._apply(batch)
                batch, began = [], time.monotonic()
            if since_distil >= DISTIL_BYTES:
                self._apply(batch)
                batch, since_distil = [], 0
                self._distil()
            self._tell(Progress(done, total, "reading", self.report.files_read))
        self._apply(batch)

    def _results(self, todo: list[tuple[Source, Before | None]]) -> Iterator[tuple[Source, FileRead]]:
        if self._workers is not None:
            return self._workers.read(todo, self._box.now)
        if not todo:
            return iter(())
        reader = self._box.reader()
        return ((source, read_file(source.path, source.explicit, reader, before, self._box.now())) for source, before in todo)

    def _apply(self, batch: Iterable[tuple[Source | None, FileRead]]) -> None:
        """Writes down what was read, in one transaction, once the evidence is on disk."""
        batch = list(batch)
        if not batch:
            return
        self._box.reader().vault.flush()
        late = None
        with self._box.store.transaction(actor=self._box.actor, at=self._box.now()) as tx:
            if self._box.store.tombstones() is not self._tombstones:  # something was erased while this was read
                from diarist.app.erasing_values import LateMasking

                late = LateMasking(self._box)
            for source, found in batch:
                read = renamed(found, self._box.store)
                kept = [part if late is None else late.part(part) for part in read.parts if self._wanted(part)]
                for part in kept:
                    for each in _placed(part, read.continued, self._box.store, self._box.reader()):
                        tx.put_part(each)
                    self._order.setdefault((part.agent, part.session))
                if read.source is not None and len(kept) == len(read.parts):
                    tx.put_source(read.source if late is None else late.source(read.source))
                self._count(source, read, len(kept))
        if late is not None:
            late.finish()

    def _count(self, source: Source | None, read: FileRead, kept: int) -> None:
        path = str(source.path) if source is not None else "-"
        if read.status == "lost":
            self.report.problems.append(SourceProblem(path, read.reason))
            return
        if read.status == "unknown" or (read.parts and not kept):
            self.report.files_skipped += 1
            if source is None or (source.explicit and read.status == "unknown"):
                self.report.problems.append(SourceProblem(path, read.reason, lost=read.reason != "empty"))
            return
        self.report.files_read += 1
        self.report.bytes_read += read.bytes_read
        self.report.captures += read.captures
        for capture in read.captures:
            if capture.malformed or capture.skipped.get("redaction-failed"):
                self.report.problems.append(SourceProblem(path, _lines(capture)))

    def _wanted(self, part: Part) -> bool:
        from diarist.app.distilling import project_of

        if self._options.agent is not None and part.agent != self._options.agent:
            return False
        cwd = main_info([part]).cwd
        if cwd not in self._allowed:
            self._allowed[cwd] = may_capture(self._box.settings, "", cwd)
        if not self._allowed[cwd] or left_out(str(self._box.settings.workspace), part.session):
            return False
        return self._options.project is None or project_of([part]) == self._options.project

    def _distil(self) -> None:
        def show(done: int, total: int) -> None:
            self._tell(Progress(done, total, "distilling", self.report.files_read))

        changed = distil_dirty(self._box, show, self._workers.tell if self._workers is not None else None)
        self._merge(changed)

    def _merge(self, changed: Changed) -> None:
        self.report.without_entry += changed.without_entry
        self.report.created += changed.created
        self.report.updated += changed.updated
        failed = [self._failed(*each) for each in changed.problems.items()]
        named = {problem.path for problem in failed}
        self.report.problems = [*(problem for problem in self.report.problems if problem.path not in named), *failed]
        known = {entry.id: number for number, entry in enumerate(self.report.entries)}
        for entry in changed.entries:
            self.report.earlier.discard(entry.id)
            if entry.id in known:
                self.report.entries[known[entry.id]] = entry
            else:
                self.report.entries.append(entry)
        places = {key: number for number, key in enumerate(self._order)}
        self.report.entries.sort(key=lambda entry: places.get((str(entry.agent), str(entry.session_id)), -1))

    def _failed(self, key: tuple[str, str], problem: str) -> SourceProblem:
        """A session that could not be distilled; one that waits from before was told as lost when it was read."""
        agent, session = key
        reason = f"could not be distilled ({problem}). The next import tries again; what was told of it before stays"
        return SourceProblem(f"session {session} of {agent}", reason, lost=key in self._order)


def _before(state: SourceState | None, store: Store) -> Before | None:
    if state is None:
        return None
    captures: dict[str, CaptureReport] = {}
    for name in state.sessions:
        agent, _, session = name.partition(":")
        part = next((each for each in store.get_parts(agent, session) if each.key.startswith(state.key[:24])), None)
        if part is not None:
            captures[session] = msgspec.json.decode(part.capture, type=CaptureReport)
    return Before(state, captures)


def _placed(part: Part, continued: bool, store: Store, reader: Reader) -> Iterator[Part]:
    """The part as it must stand in the store beside what is there already.

    Read on from a checkpoint: the new chunks go behind the old ones. Read anew: it takes the old one's place, which is
    kept under another key if it holds steps that the file has lost since.
    """
    old = next((each for each in store.get_parts(part.agent, part.session) if each.key == part.key), None)
    if old is not None and continued:
        first_at = min(filter(None, (old.first_at, part.first_at)), default=None)
        part = msgspec.structs.replace(part, chunks=old.chunks + part.chunks, steps=old.steps + part.steps, first_at=first_at)
        part = msgspec.structs.replace(part, rules_version=old.rules_version)  # until a rescan, that is what its first chunks are of
    elif old is not None and not _rids(old, reader) <= _rids(part, reader):
        yield msgspec.structs.replace(old, key=f"{old.key}-{old.chunks[-1][:12]}")
    yield part


def _rids(part: Part, reader: Reader) -> set[str]:
    decode = msgspec.json.Decoder(Step).decode
    return {decode(line).rid for chunk in part.chunks for line in reader.vault.get(chunk).splitlines()}


def renamed(read: FileRead, store: Store) -> FileRead:
    """The same under the names by which the store has the sessions already."""
    if not read.formers or read.source is None:
        return read
    parts = [under_stored_name(part, read.formers.get(part.session, ""), store) for part in read.parts]
    source = msgspec.structs.replace(read.source, sessions=tuple(f"{part.agent}:{part.session}" for part in parts))
    return msgspec.structs.replace(read, parts=tuple(parts), source=source)


def _lines(capture: CaptureReport) -> str:
    failed = capture.skipped.get("redaction-failed", 0)
    said = [f"{capture.malformed} records could not be read"] if capture.malformed else []
    said += [f"{failed} could not be redacted and were dropped"] if failed else []
    where = ", ".join(f"line {problem.line}: {problem.reason}" if problem.line else problem.reason for problem in capture.problems[:3])
    return "; ".join(said) + (f" ({where})" if where else "") + ". The rest was imported."


def check_paths(paths: Sequence[str]) -> list[Path]:
    """The paths of a command line as `Path`s. Raises UsageError for one that cannot be a path."""
    for path in paths:
        if not path or "\0" in path:
            raise UsageError(f"{path!r} is not a path")
    return [Path(path) for path in paths]
