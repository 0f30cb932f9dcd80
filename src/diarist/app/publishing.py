"""Published files: which root, which name (fixed at first publication), and writing them once the store has committed.

What is about to be written is noted in the workspace before the store commits: a process that is killed between the two leaves a note,
and `published.publish_left` writes what is missing or old.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from diarist.app.begun import noted
from diarist.model.redacted import Redacted
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.begun import Note
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record
    from diarist.ports import Transaction

PROJECT_FOLDERS = (".diarist", ".sdd")
NOTES = "publications-begun"
Plan: TypeAlias = "Callable[[Transaction, Sequence[tuple[Record, str]]], None]"
"""Names the files of records, each with the working folder of its run ("": none is known), inside the transaction that writes them."""


class Publication(NamedTuple):
    """A file to write, or to remove, once the transaction that named it has committed."""

    record: Record
    kind: str
    root: Path
    path: str
    is_wanted: bool = True
    """False: the record was published so before and is no more, as a run that turned out to have failed is no hub document."""


@contextmanager
def publishing(box: Toolbox) -> Iterator[Plan]:
    """Stands around a transaction; writes the files that were planned in it once it has committed.

    Raises StoreFullError where one cannot be written; `published.publish_left` makes good for it.
    """
    planned: list[Publication] = []
    begun: list[Note] = []
    with ExitStack() as notes:

        def plan(tx: Transaction, records: Sequence[tuple[Record, str]]) -> None:
            more = _planned(box, tx, records)
            if more:
                ids = "\n".join(dict.fromkeys(each.record.id for each in more))
                begun.append(notes.enter_context(noted(box.settings.workspace / NOTES, secrets.token_hex(8), ids.encode())))
            planned.extend(more)

        try:
            yield plan
            write_publications(box, planned)
        except BaseException:  # also where a server was lost in the middle of a commit: who knows whether it went through
            for note in begun:
                note.kept = True
            raise


def is_left(box: Toolbox) -> bool:
    """May there be something for `published.publish_left`?"""
    folder = box.settings.workspace / NOTES
    return folder.is_dir() and any(folder.iterdir())


def _planned(box: Toolbox, tx: Transaction, records: Sequence[tuple[Record, str]]) -> list[Publication]:
    """The names of files; one once given stays. What is named already, and whose a name is, is looked up at once for all."""
    if not box.settings.get("publish.enabled"):
        return []
    places = {project: file_name(project) for project in {record.project for record, _ in records}}
    roots = {(project, cwd): publish_root(box, project, cwd) for project, cwd in {(record.project, cwd) for record, cwd in records}}
    plan = box.publisher().plan
    wanted = [(record, cwd, kind, f"{places[record.project]}/{path}") for record, cwd in records for kind, path in plan(record)]
    known = box.store.list_names_of([record.id for record, _ in records])
    holders = {
        (kind, path): holder
        for kind in sorted({kind for _, _, kind, _ in wanted})
        for path, holder in box.store.list_holders(kind, [path for _, _, each, path in wanted if each == kind]).items()
    }
    planned = []
    for record, cwd, kind, path in wanted:
        name = known.get((record.id, kind))
        if name is None:
            name = path if holders.setdefault((kind, path), record.id) == record.id else _own_name(path, record)
            known[record.id, kind] = name
            tx.put_publication(record.id, kind, name)
        planned.append(Publication(record, kind, roots[record.project, cwd], name.removeprefix(f"{places[record.project]}/")))
    return planned + _withdrawn(records, planned, known, roots)


def _withdrawn(
    records: Sequence[tuple[Record, str]],
    planned: Sequence[Publication],
    known: Mapping[tuple[str, str], str],
    roots: Mapping[tuple[Redacted, str], Path],
) -> list[Publication]:
    """What is named and not planned. The name stays, for a run that turns out well after all."""
    told = {record.id: (record, cwd) for record, cwd in records}
    wanted = {(each.record.id, each.kind) for each in planned}
    withdrawn = []
    for (record_id, kind), name in known.items():
        if (record_id, kind) not in wanted:
            record, cwd = told[record_id]
            withdrawn.append(Publication(record, kind, roots[record.project, cwd], name.partition("/")[2], is_wanted=False))
    return withdrawn


def write_publications(box: Toolbox, planned: Sequence[Publication]) -> None:
    """Writes the files, and removes those that are not wanted any more. Raises StoreFullError where one cannot be written."""
    box.publisher().write_all([(each.record, each.kind, each.root, each.path) for each in planned if each.is_wanted])
    for each in planned:
        if not each.is_wanted:
            box.publisher().remove(each.root, each.path)


def publish_root(box: Toolbox, project: Redacted, cwd: str = "") -> Path:
    """The project's own `.diarist/` or `.sdd/` where there is one, else a folder of the workspace."""
    default = box.settings.workspace / "projects" / file_name(project)
    for folder in (registered_checkout(default), _checkout_of(cwd)):
        for name in PROJECT_FOLDERS if folder is not None else ():
            assert folder is not None
            if (folder / name).is_dir():
                return folder / name
    return default


def register_checkout(box: Toolbox, project: Redacted, checkout: Path) -> None:
    """Remembers where the project lies on this machine; `diarist init` calls it."""
    folder = box.settings.workspace / "projects" / file_name(project)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "checkout").write_text(str(checkout), encoding="utf-8")


def registered_checkout(folder: Path) -> Path | None:
    """The checkout that was registered for the project whose workspace folder this is, if it is still there."""
    try:
        path = Path((folder / "checkout").read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return None
    return path if path.is_dir() else None


def _checkout_of(cwd: str) -> Path | None:
    if not cwd or not Path(cwd).is_absolute():
        return None
    try:
        return next((folder for folder in (Path(cwd), *Path(cwd).parents) if (folder / ".git").exists()), None)
    except OSError:
        return None


def free_name(box: Toolbox, record: Record, kind: str, place: str, wanted: str) -> str:
    """The wanted name, or, where another record has it, the name with this record's id."""
    name = f"{place}/{wanted}"
    if box.store.find_publication(kind, name) in (None, record.id):
        return name
    return _own_name(name, record)


def _own_name(name: str, record: Record) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}~{record.id}{dot}{suffix}"
