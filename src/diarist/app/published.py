"""Where the files lie that a record was published as: for whoever checks them, or writes those that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diarist.app.begun import cut_off
from diarist.app.evidence import main_info
from diarist.app.publishing import NOTES, Publication, publish_root, write_publications
from diarist.app.records import entry_of
from diarist.app.verifying import parts_of
from diarist.errors import DiaristError
from diarist.text.names import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record


class PublishedFile(NamedTuple):
    """A file of a record: `path`, relative to `root` and with slashes, was fixed when the record was first published."""

    kind: str
    root: Path
    path: str
    is_wanted: bool
    """Should it be there? A run that turned out otherwise has no hub document any more."""

    @property
    def file(self) -> Path:
        """The whole path."""
        return self.root.joinpath(*self.path.split("/"))


def published_files(box: Toolbox, record: Record) -> Iterator[PublishedFile]:
    """The published files of a record, sorted by kind; none for most records. Raises StoreError, ValueError for a damaged entry."""
    names = box.store.list_publications(record.id)
    if not names:
        return
    parts = parts_of(box, entry_of(record)) if record.kind == "entry" else []
    root = publish_root(box, record.project, main_info(parts).cwd if parts else "")
    place = file_name(record.project)
    wanted = {kind for kind, _ in box.publisher().plan(record)}
    for kind, path in names:
        yield PublishedFile(kind, root, path.removeprefix(f"{place}/"), kind in wanted)


def publish_left(box: Toolbox) -> int:
    """Writes what `publishing` could not, as its process was killed or its disk full; removes what should not be there. Records of it."""
    if box.whole is None:  # only a project is seen, and the records may be another's
        return 0
    done = 0
    for note in cut_off(box.settings.workspace / NOTES):
        try:
            for record in filter(None, map(box.store.get_record, note.told.decode().split())):
                if record.status == "active":
                    write_publications(box, [Publication(record, *each) for each in published_files(box, record)])
                    done += 1
        except DiaristError:
            note.kept = True
    return done
