"""`diarist ingest --watch`: imports files as they grow, in one process that the system wakes when something changed.

A file is imported when it has been quiet for a moment, or after a minute of growing without a pause: an entry for every line
would be noise. Files that were renamed are copies of what is known; ones that were cut short are read anew; what a deleted file
told is kept. A watched folder that goes away is taken up again when it comes back.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Protocol

import msgspec

from diarist.app.sources import SKIPPED_FOLDERS
from diarist.errors import StoreLockedError, UsageError

if TYPE_CHECKING:
    from diarist.app.ingest import IngestOptions, IngestReport

QUIET_SECONDS = 2.0
LONGEST_SECONDS = 60.0
TICK_SECONDS = 1.0
"""How often the process wakes while nothing happens, to see what is due; it touches no file then but the folders themselves."""
FOLDERS_SECONDS = 5.0
"""How often it looks whether the watched folders are still the same ones."""


class Import(Protocol):
    """Imports paths with options: `Memory.ingest`."""

    def __call__(self, paths: Sequence[Path], options: IngestOptions) -> IngestReport: ...


class Pending:
    """Changed paths, and when each is due. Times are seconds of any clock that never steps back."""

    def __init__(self, quiet: float = QUIET_SECONDS, longest: float = LONGEST_SECONDS) -> None:
        self._quiet = quiet
        self._longest = longest
        self._changed: dict[Path, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._changed)

    def add(self, paths: Iterable[Path], now: float) -> None:
        """Notes that these changed just now."""
        for path in paths:
            first, _ = self._changed.get(path, (now, now))
            self._changed[path] = (first, now)

    def take_due(self, now: float) -> list[Path]:
        """Paths that have been quiet, or have waited long; sorted. They are pending no more."""
        due = sorted(path for path, (first, last) in self._changed.items() if now - last >= self._quiet or now - first >= self._longest)
        for path in due:
            del self._changed[path]
        return due


def watch(
    roots: Sequence[Path],
    ingest: Import,
    options: IngestOptions,
    on_report: Callable[[IngestReport], None],
    stop: Event,
) -> None:
    """Imports what is below `roots` now and whatever changes there, until `stop` is set or the process is interrupted.

    `on_report` is told of each import that did something. Raises UsageError where the system cannot watch that many folders.
    """
    report = ingest(roots, options)
    on_report(report)
    pending, found = Pending(), msgspec.structs.replace(options, jobs=1, explicit=False)
    while not stop.is_set() and not report.interrupted:
        watched = _Watched(roots)
        pending.add(watched.there(), time.monotonic())  # what changed while nobody looked
        for changed in watched.changes(stop):
            now = time.monotonic()
            pending.add(changed, now)
            report = _import_due(pending, now, ingest, found, on_report) or report
            if stop.is_set() or report.interrupted or watched.moved(now):
                break


def _import_due(
    pending: Pending, now: float, ingest: Import, options: IngestOptions, on_report: Callable[[IngestReport], None]
) -> IngestReport | None:
    due = [path for path in pending.take_due(now) if path.exists()]
    if not due:
        return None
    try:
        report = ingest(due, options)
    except StoreLockedError:
        pending.add(due, now)  # another process writes: later
        return None
    if report.files_read or report.problems or report.interrupted:
        on_report(report)
    return report


class _Watched:
    """The roots as they are now: folders that the system watches, and single files, which are looked at every second."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._folders = {root.resolve(): root for root in roots if root.is_dir()}
        self._marks = {root: _mark(root) for root in roots}
        self._files = {root: _state(root) for root in roots if root not in self._folders.values()}
        self._looked = time.monotonic()

    def there(self) -> list[Path]:
        """Roots that exist."""
        return [root for root in self._roots if root.exists()]

    def changes(self, stop: Event) -> Iterator[set[Path]]:
        """Sets of changed paths as they come, mostly an empty one every second. Raises UsageError where a folder cannot be watched."""
        if not self._folders:
            while not stop.wait(TICK_SECONDS):
                yield self._changed_files()
            return
        from watchfiles import watch as watch_files

        wait = int(TICK_SECONDS * 1000)
        names = [str(folder) for folder in self._folders]
        watched = watch_files(
            *names,
            watch_filter=None,
            stop_event=stop,
            debounce=400,
            step=100,
            rust_timeout=wait,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        try:
            for changes in watched:
                yield {named for _, path in changes if (named := self._name(Path(path))) is not None} | self._changed_files()
        except FileNotFoundError:
            yield set()  # a folder went away before it could be watched
        except (OSError, RuntimeError) as error:
            raise UsageError(f"cannot watch {', '.join(names)}: {error}. Name fewer or smaller folders.") from error

    def moved(self, now: float) -> bool:
        """Has a root come, gone, or become another one? Looks now and then only."""
        if now - self._looked < FOLDERS_SECONDS:
            return False
        self._looked = now
        return any(_mark(root) != mark for root, mark in self._marks.items())

    def _name(self, path: Path) -> Path | None:
        """The changed path as it is called below its root; None for one in a folder that is never walked."""
        for folder, root in self._folders.items():
            if path.is_relative_to(folder):
                inner = path.relative_to(folder)
                return None if SKIPPED_FOLDERS.intersection(inner.parts) else root / inner
        return None

    def _changed_files(self) -> set[Path]:
        found = {path: _state(path) for path in self._files}
        changed = {path for path, state in found.items() if state != self._files[path]}
        self._files = found
        return changed


def _mark(root: Path) -> tuple[int, int] | None:
    """Which folder a root is; None for one that is no folder."""
    try:
        found = root.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
