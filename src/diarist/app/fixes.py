"""Error text → the runs that solved that error, and how. A hook loads this: bodies are read as plain JSON, without the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.model.hit import Hit, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diarist.app.toolbox import Toolbox
    from diarist.model.hit import HitRow


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
    from diarist.app.error_lookup import find_faults
    from diarist.app.influencing import by_usefulness
    from diarist.app.seeking import bring_up_to_date, healing
    from diarist.stages.rank.faults import read_errors

    read = read_errors(error)
    asked = [found.fingerprint for found in read.errors if found.fingerprint]
    if not asked:
        return []
    store, index = box.store, box.search_index()
    bring_up_to_date(store, index)
    influence = by_usefulness(store)
    ranked = healing(store, index, lambda: find_faults(store, index, read, 4 * limit, Query(project=project), influence))[: 4 * limit]
    return sorted(_solutions(box, [(one.row, one.score) for one in ranked], asked), key=lambda each: not each.same)[:limit]


def find_same_fixes(box: Toolbox, error: str, *, project: str, limit: int) -> list[Solved]:
    """Runs that solved the very same error: verified ones first, then those that helped so far, then the newest. May be empty.

    Looks in the index for that one mark: quick enough for a hook, which does not bring the index up to date either.
    """
    from diarist.app.influencing import usefulness_factors
    from diarist.text.fingerprint import errors_in

    asked = [found.fingerprint for found in errors_in(error, failed=True)]
    if not asked:
        return []
    query = Query(kinds=("entry",), project=project, fingerprints=tuple("+" + each for each in asked))
    rows = [
        row for row in box.store.get_hits([match.seq for match in box.search_index().search(query, 8 * limit)]) if row.status == "active"
    ]
    rows.sort(key=lambda row: row.id)
    rows.sort(key=lambda row: row.created_at, reverse=True)
    factors = usefulness_factors(box.store, rows)
    rows.sort(key=lambda row: -factors.get(row.id, 1.0))
    rows.sort(key=lambda row: row.verified is not True)
    return [each for each in _solutions(box, [(row, 0.0) for row in rows], asked) if each.same][:limit]


def _solutions(box: Toolbox, rows: Iterable[tuple[HitRow, float]], asked: Sequence[str]) -> list[Solved]:
    """What these runs did about the errors, in the order given; those that did nothing are left out."""
    scored = [(row, score) for row, score in rows if row.kind == "entry"]
    bodies = box.store.get_bodies([row.seq for row, _ in scored])
    found = (_solution(_hit(row, score), json.loads(bodies[row.seq]), asked) for row, score in scored if row.seq in bodies)
    return [each for each in found if each is not None]


def _hit(row: HitRow, score: float) -> Hit:
    at = row.created_at
    return Hit(row.id, score, row.kind, row.title, None, row.project, row.agent, row.outcome, row.verified, row.task_id, at)


def _solution(hit: Hit, entry: dict[str, Any], asked: Sequence[str]) -> Solved | None:
    """What this run (`model.entry.Entry` as JSON) did about one of the errors asked for: the same one, else one of its kind."""
    from diarist.text.fingerprint import family

    kinds = {family(each) for each in asked}
    resolved = [error for error in entry.get("errors", ()) if error.get("resolved") and family(error["fingerprint"]) in kinds]
    resolved.sort(key=lambda error: error["fingerprint"] not in asked)
    fixes = {fix["error"]: fix for fix in reversed(entry.get("fixes", ()))}
    for error in resolved:
        same = error["fingerprint"] in asked
        if fix := fixes.get(error["fingerprint"]):
            return Solved(hit, error["message"], fix["text"], tuple(fix.get("files", ())), tuple(fix.get("commands", ())), same)
        if error.get("resolved_by"):
            return Solved(hit, error["message"], error["resolved_by"], same=same)
    return None
