"""Error text → the runs that solved that error, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diarist.model.hit import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry


class Solved(NamedTuple):
    """A run that met the error and got past it. Texts are redacted."""

    hit: Hit
    error: str
    fix: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def find_fixes(box: Toolbox, error: str, *, project: str | None, limit: int) -> list[Solved]:
    """Runs that solved an error like those in `error`, best first. One that only met it helps nobody who is in the middle of it."""
    from diarist.app.recall import search_error
    from diarist.app.records import entry_of

    found: list[Solved] = []
    for hit in search_error(box.store, box.search_index(), error, limit=3 * limit, project=project):
        record = box.store.get_record(hit.id)
        if record is not None and record.kind == "entry" and (solved := next(_solutions(hit, entry_of(record)), None)):
            found.append(solved)
        if len(found) >= limit:
            break
    return found


def _solutions(hit: Hit, entry: Entry) -> Iterator[Solved]:
    resolved = {error.fingerprint: error for error in entry.errors if error.resolved}
    for fix in entry.fixes:
        if fix.error in resolved:
            yield Solved(hit, resolved[fix.error].message, fix.text, fix.files, fix.commands)
    for error in resolved.values():
        if error.resolved_by:
            yield Solved(hit, error.message, error.resolved_by)
