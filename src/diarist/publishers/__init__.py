"""Projections of records as files: diary JSON and hub Markdown. A new projection is one module and one line here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

from diarist.model.record import Record
from diarist.publishers import diary_json, hub_markdown, synthesis_report
from diarist.publishers.files import read_old, remove_file, sweep, write_all_atomically, write_atomically

Projection = tuple[Callable[[Record], str | None], Callable[[Record], bytes]]


class FilePublisher:
    """Implements `ports.Publisher`. `hub_outcomes`: outcomes for which a hub document is written."""

    def __init__(self, hub_outcomes: Sequence[str]) -> None:
        self._swept: set[str] = set()
        self._projections: dict[str, Projection] = {
            "diary": (diary_json.path_of, diary_json.render),
            "hub": (lambda record: hub_markdown.path_of(record, hub_outcomes), hub_markdown.render),
            "synthesis": (synthesis_report.path_of, synthesis_report.render),
        }

    def plan(self, record: Record) -> list[tuple[str, str]]:
        """(kind, wanted path relative to the publish root) for each file this record should have."""
        return [(kind, path) for kind, (path_of, _) in self._projections.items() if (path := path_of(record)) is not None]

    def render(self, record: Record, kind: str, related: Sequence[str] = ()) -> bytes:
        """The projection itself, whether or not the record would be published as that kind. `related`: for hub documents."""
        return hub_markdown.render(record, related) if kind == "hub" else self._projections[kind][1](record)

    def is_current(self, record: Record, kind: str, data: bytes) -> bool:
        """Is a published file what the record is rendered as, with what it was found to be related to?"""
        return data == self.render(record, kind, hub_markdown.related_in(data) if kind == "hub" else ())

    def write(self, record: Record, kind: str, root: Path, path: str) -> Path:
        """Renders and writes one projection. Raises StoreFullError where it cannot be written."""
        self.write_all([(record, kind, root, path)])
        return root.joinpath(*PurePosixPath(path).parts)

    def write_all(self, wanted: Iterable[tuple[Record, str, Path, str]]) -> None:
        """Renders and writes many: (record, kind, root, path) each. Raises StoreFullError where one cannot be written."""
        files: dict[str, bytes] = {}
        for record, kind, root, path in wanted:
            target = f"{root}{os.sep}{path.replace('/', os.sep)}"
            folder = os.path.dirname(target)  # noqa: PTH120
            if folder not in self._swept:
                self._swept.add(folder)
                sweep(Path(folder))
            old = read_old(target)
            data = self.render(record, kind, hub_markdown.related_in(old) if kind == "hub" and old is not None else ())
            if data != old:
                files[target] = data
        if files:
            write_all_atomically(files)

    def put(self, target: Path, data: bytes, *, mode: int = 0o600) -> None:
        """Writes one file that is no projection. Raises StoreFullError where it cannot be written."""
        write_atomically(target, data, mode=mode)

    def remove(self, root: Path, path: str) -> bool:
        """True if there was a file to remove."""
        return remove_file(root.joinpath(*PurePosixPath(path).parts))
