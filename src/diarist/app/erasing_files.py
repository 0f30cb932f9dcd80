"""What lies outside the store of things that are erased: published files, skills, chunks, the spool, copies in a hub."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from diarist.app.backlog import Seen, read_backlog, remove_events
from diarist.app.evidence import main_info
from diarist.app.publishing import publish_root
from diarist.app.records import entry_of
from diarist.app.skillfolders import places
from diarist.app.skills import checkout_of
from diarist.app.spool import shown_folder
from diarist.app.verifying import parts_of
from diarist.errors import DiaristError, HubError
from diarist.model.codec import from_json
from diarist.model.erasing import Removal
from diarist.model.skill import AcceptedSkill
from diarist.model.theme import Draft
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.erasing_reach import Reach
    from diarist.app.toolbox import Toolbox
    from diarist.model.erasing import Todo
    from diarist.model.record import Record


def files_of(box: Toolbox, record: Record) -> Iterator[Removal]:
    """The files that were written for a record."""
    parts = parts_of(box, entry_of(record)) if record.kind == "entry" else []
    cwd = main_info(parts).cwd if parts else ""
    place = file_name(record.project)
    roots = dict.fromkeys([publish_root(box, record.project, cwd), box.settings.workspace / "projects" / place])
    for _, path in box.store.list_publications(record.id):
        for root in roots:
            yield Removal(path=str(root.joinpath(*PurePosixPath(path.removeprefix(f"{place}/")).parts)))
    if record.kind == "state" and record.namespace == "syntheses":
        draft = from_json(record.body, Draft)
        for root in roots:
            yield Removal(path=str(root.joinpath(*PurePosixPath(draft.path).parts)))
    if record.kind == "skill":
        skill = from_json(record.body, AcceptedSkill)
        checkout = checkout_of(box, record.project)
        with suppress(DiaristError):  # a link that leads out of the checkout: nothing of ours is there
            for each in places(box, checkout, skill) if checkout is not None else ():
                if each.place != "missing":
                    yield Removal(path=str(each.file), digests=tuple(dict.fromkeys((skill.digest, *skill.written))))


def hub_paths(box: Toolbox, found: Reach) -> tuple[str, ...]:
    """Documents of entries that a hub elsewhere was, or was to be, sent."""
    from diarist.app.delivering import delivery_wanted

    if not delivery_wanted(box):
        return ()
    paths = []
    for record in found.records:
        if record.kind == "entry" and record.trust != "import":
            # a name is kept also where the run turned out otherwise since
            known = box.store.get_publication(record.id, "hub") or dict(box.publisher().plan(record)).get("hub", "")
            paths += [known.removeprefix(f"{file_name(record.project)}/")] if known else []
    return tuple(paths)


def remove_files(files: Iterable[Removal]) -> tuple[int, list[str]]:
    """Removes them; how many there were, and those that were edited and stay."""
    removed, kept = 0, []
    for each in files:
        path = Path(each.path)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        if each.digests and hashlib.sha256(data).hexdigest() not in each.digests:
            kept.append(each.path)
            continue
        if path.parent.is_symlink():
            path.parent.unlink()
        else:
            path.unlink()
            _remove_empty(path.parent)
        removed += 1
    return removed, kept


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        for _ in range(4):
            folder.rmdir()
            folder = folder.parent


def forget_in_spool(workspace: Path, sessions: Iterable[tuple[str, str]]) -> None:
    """Takes events and marks of sessions out of the spool."""
    gone = {session for _, session in sessions}
    if not gone:
        return
    backlog = read_backlog(workspace)
    remove_events(workspace, [event.name for dirty in backlog.dirty if dirty.session in gone for event in dirty.events])
    remove_events(workspace, [event.name for event in backlog.used if event.session in gone])
    for path in Path(workspace, "spool", "failed").glob("*.json"):
        with suppress(OSError, ValueError):
            if json.loads(path.read_bytes()).get("session") in gone:
                path.unlink()
    for session in gone:
        shutil.rmtree(shown_folder(str(workspace), session), ignore_errors=True)
    seen = Seen(workspace)
    tries = {key: count for key, count in seen.tries.items() if key.partition(":")[2] not in gone}
    errors = [each for each in seen.errors if not any(session in str(each.get("message", "")) for session in gone)]
    if tries != seen.tries or errors != seen.errors:
        seen.tries, seen.errors = tries, errors
        seen.save()


def delete_chunks(box: Toolbox, chunks: tuple[str, ...]) -> int:
    """Deletes chunks that no part names any more."""
    if not chunks:
        return 0
    vault, named = box.reader().vault, box.store.find_named_chunks(chunks)
    gone = [chunk for chunk in chunks if chunk not in named]
    for chunk in gone:
        vault.delete(chunk)
    vault.flush()
    return len(gone)


def rewrite_targets(box: Toolbox, projects: Iterable[str]) -> int:
    """Writes the instruction files of these projects without the lessons that are gone; what to go back to is forgotten."""
    from diarist.app.targets import drop_lessons

    return sum(drop_lessons(box, project) for project in projects)


def tell_hub(box: Toolbox, todo: Todo) -> list[str]:
    """Replaces the documents in the hub elsewhere by empty ones; the paths that it did not take."""
    left: list[str] = []
    hub = box.hub() if todo.hub else None
    if hub is None:
        return list(todo.hub)
    for path in todo.hub:
        try:
            hub.put(
                {
                    "path": path,
                    "title": "Erased",
                    "body": "This document was erased.\n",
                    "tags": [],
                    "source_type": "diary",
                    "related": [],
                    "actor": box.actor,
                    "idempotency_key": "erase:" + hashlib.sha256(path.encode()).hexdigest()[:32],
                }
            )
        except HubError:
            left.append(path)
    return left
