"""Error text → the runs that solved that error, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diarist.model.hit import Hit

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.record import Record


class Solved(NamedTuple):
    """A run that met the error and got past it. Texts are redacted."""

    hit: Hit
    error: str
    fix: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    same: bool = True
    """False: an error of the same kind that names something else (another module, another file)."""


def find_fixes(box: Toolbox, error: str, *, project: str | None, limit: int) -> list[Solved]:
    """Runs that solved an error like those in `error`: the same ones first, then those of the same kind. May be empty.

    A run that only met it helps nobody who is in the middle of it.
    """
    from diarist.app.recall import search_error
    from diarist.app.records import entry_of
    from diarist.text.fingerprint import errors_in

    asked = [found.fingerprint for found in errors_in(error, failed=True)]
    found: list[Solved] = []
    for hit in search_error(box.store, box.search_index(), error, limit=4 * limit, project=project) if asked else ():
        record = box.store.get_record(hit.id)
        if record is not None and record.kind == "entry" and (solved := _solution(hit, entry_of(record), asked)):
            found.append(solved)
    return sorted(found, key=lambda each: not each.same)[:limit]


def find_same_fixes(box: Toolbox, error: str, *, project: str, limit: int) -> list[Solved]:
    """Runs that solved the very same error, verified ones first, then the newest. May be empty.

    Looks in the index for that one mark: quick enough for a hook, which does not bring the index up to date either.
    """
    from diarist.app.records import entry_of
    from diarist.model.hit import Query
    from diarist.text.fingerprint import errors_in

    asked = [found.fingerprint for found in errors_in(error, failed=True)]
    if not asked:
        return []
    query = Query(kinds=("entry",), project=project, fingerprints=tuple("+" + each for each in asked))
    matches = box.search_index().search(query, 8 * limit)
    found = box.store.get_records([match.seq for match in matches]).values()
    records = sorted(found, key=lambda record: (record.verified is not True, -record.created_at.timestamp(), record.id))
    solved = (_solution(_hit(record), entry_of(record), asked) for record in records if record.status == "active")
    return [each for each in solved if each is not None and each.same][:limit]


def _hit(record: Record) -> Hit:
    at = f"{record.created_at:%Y-%m-%dT%H:%M:%SZ}"
    return Hit(
        record.id, 0.0, record.kind, record.title, None, record.project, record.agent, record.outcome, record.verified, record.task_id, at
    )


def _solution(hit: Hit, entry: Entry, asked: list[str]) -> Solved | None:
    """What this run did about one of the errors asked for: the same one, else one of its kind."""
    from diarist.text.fingerprint import family

    kinds = {family(each) for each in asked}
    resolved = [error for error in entry.errors if error.resolved and family(error.fingerprint) in kinds]
    resolved.sort(key=lambda error: error.fingerprint not in asked)
    fixes = {fix.error: fix for fix in reversed(entry.fixes)}
    for error in resolved:
        same = error.fingerprint in asked
        if fix := fixes.get(error.fingerprint):
            return Solved(hit, error.message, fix.text, fix.files, fix.commands, same)
        if error.resolved_by:
            return Solved(hit, error.message, error.resolved_by, same=same)
    return None
