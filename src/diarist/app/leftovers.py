"""What a rescan looks at besides the store: published files, reports, blocks in instruction files, log, spool, temporary files."""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from diarist.app.publishing import publish_root, registered_checkout
from diarist.app.targets import NAMESPACE as TARGETS
from diarist.app.targets import Applied
from diarist.model.codec import from_json
from diarist.model.theme import Draft
from diarist.stages.synthesis.lessons import BEGIN, END
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.masking import Masking
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

TEMP_MARK = ".diarist-tmp-"
STALE_SECONDS = 600.0
"""A draft that is older belongs to a writer that died."""
MAX_BYTES = 64 << 20
CHECKOUT = "checkout"
"""Says where a project lies: it has to name the folder as it is."""


class Leftovers:
    """Rewrites files in place. `files`: how many were rewritten or renamed."""

    def __init__(self, box: Toolbox, masking: Masking) -> None:
        self._box = box
        self._masking = masking
        self._settled: set[Path] = set()
        self.files = 0

    def move(self, record: Record, kind: str, old: tuple[Path, str], new: tuple[Path, str]) -> None:
        """Publishes under the new root and name what is published under the old ones; nothing where no file is there."""
        publisher = self._box.publisher()
        if old == new or not _target(old).is_file():
            return
        publisher.write(record, kind, *new)
        publisher.remove(*old)
        _remove_empty(_target(old).parent, old[0])
        self.files += 1

    def record_files(self, record: Record, cwd: str) -> None:
        """The files that tell of a record, if they hold something to mask."""
        place = file_name(record.project)
        for kind, path in self._box.store.list_publications(record.id):
            root, name = publish_root(self._box, record.project, cwd), path.removeprefix(f"{place}/")
            target = _target((root, name))
            if self._masked(target) is not None:
                before = target.read_bytes()
                self._box.publisher().write(record, kind, root, name)
                self.files += target.read_bytes() != before
                self._settled.add(target)
        if record.kind == "state" and record.namespace == "syntheses":
            draft = from_json(record.body, Draft)
            self._mask(_target((publish_root(self._box, record.project), draft.path)))
        elif record.kind == "state" and record.namespace == TARGETS:
            self._mask_block(record)

    def deliveries(self) -> None:
        """Why documents were not delivered."""
        for delivery in self._box.store.list_deliveries(datetime.max.replace(tzinfo=UTC)):
            problem = self._masking.text(delivery.problem)
            if problem != delivery.problem:
                with self._box.store.transaction(actor=self._box.actor, at=self._box.now()) as tx:
                    tx.put_delivery(delivery._replace(problem=problem))

    def sweep(self, *, all_files: bool) -> None:
        """Log, spool and drafts of writers that died; with `all_files` also what else lies in the folders of projects."""
        workspace = self._box.settings.workspace
        for path in [*_files(workspace / "log"), workspace / "spool" / "seen.json", *_files(workspace / "spool" / "failed")]:
            self._mask(path)
        drafts = [path for path in _files(workspace / "projects") if path.name.startswith(TEMP_MARK)]
        drafts += [path for path in _files(workspace / "spool") if path.suffix == ".tmp"]
        limit = time.time() - STALE_SECONDS
        for path in drafts:
            with suppress(OSError):
                if path.stat().st_mtime < limit:
                    path.unlink()
        self._box.reader().vault.sweep()
        if all_files:
            for path in _files(workspace / "projects"):
                if path.name != CHECKOUT and path not in self._settled:
                    self._mask(path)
            self._rename_folders(workspace / "projects")
            for folder in sorted((path for path in (workspace / "projects").rglob("*") if path.is_dir()), reverse=True):
                name = urllib.parse.unquote(folder.name)
                if self._masking.text(name) != name:
                    _remove_empty(folder, folder.parent)

    def drop_cache(self) -> None:
        """Compiled tables of earlier rules: they may hold values that were allowed then. They are made anew when needed."""
        for path in _files(self._box.settings.workspace / "cache"):
            with suppress(OSError):
                path.unlink()

    def _rename_folders(self, projects: Path) -> None:
        """A project's folder whose name is masked now: what is left in it goes to the folder of the masked name."""
        for folder in sorted(projects.iterdir()) if projects.is_dir() else ():
            name = urllib.parse.unquote(folder.name)
            masked = self._masking.text(name)
            if masked == name or not folder.is_dir():
                continue
            for path in list(_files(folder)):
                target = projects / file_name(masked) / path.relative_to(folder)
                if not target.exists():
                    self._box.publisher().put(target, path.read_bytes())
                path.unlink()
                self.files += 1
            for empty in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
                _remove_empty(empty, projects)

    def _mask_block(self, record: Record) -> None:
        """The block of lessons in a file of the project's checkout; the rest of that file is not ours."""
        checkout = registered_checkout(self._box.settings.workspace / "projects" / file_name(record.project))
        name = from_json(record.body, Applied).name
        file = checkout.joinpath(*PurePosixPath(name).parts) if checkout is not None else None
        text = None if file is None else _read(file)
        if file is None or text is None or BEGIN not in text:
            return
        head, _, rest = text.partition(BEGIN)
        block, end, tail = rest.partition(END)
        masked = self._masking.text(block)
        if end and masked != block:
            self._box.publisher().put(file, f"{head}{BEGIN}{masked}{END}{tail}".encode(), mode=file.stat().st_mode & 0o777)
            self.files += 1

    def _mask(self, path: Path) -> None:
        masked = self._masked(path)
        if masked is not None:
            self._box.publisher().put(path, masked.encode(), mode=path.stat().st_mode & 0o777)
            self.files += 1

    def _masked(self, path: Path) -> str | None:
        """The file's text masked; None where there is nothing to mask, no such file, or no text in it."""
        text = _read(path)
        masked = None if text is None else self._masking.text(text)
        return masked if masked != text else None


def _remove_empty(folder: Path, root: Path) -> None:
    """Removes the folder and those above it, up to the root, as long as nothing is in them."""
    with suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _target(place: tuple[Path, str]) -> Path:
    return place[0].joinpath(*PurePosixPath(place[1]).parts)


def _read(path: Path) -> str | None:
    try:
        return None if path.stat().st_size > MAX_BYTES else path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder, sorted; links are not followed."""
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
