"""The hub's graph: scopes of records, and what a record is related to, one step away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from diarist.errors import IndexUnavailableError
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from diarist.model.record import Record
    from diarist.ports import Index, Store

FOLDERS = {"entry": "diaries/agents", "note": "notes", "lesson": "lessons", "observation": "observations", "memory": "memory"}
SHOWN = ("entry", "note", "lesson", "skill", "memory")
"""Kinds that a scope tree counts: what waits for review and what Diarist keeps for itself are no documents."""
_TELLING = ("related", "supersedes", "derived_from", "evidence")
"""Fields of a body that name other records."""
MOST = 50
_LOOKED_AT = 2_000


class Neighbour(NamedTuple):
    """A record one step away, and how it is related: related, supersedes, superseded by, derived from, same workflow, …"""

    relation: str
    record: Record
    why: str = ""
    """Of an amendment: who said so, or the parts of the judgement."""


def scope_of(kind: str, project: str, agent: str) -> str:
    """Where a record hangs in the scope tree: `github.com/team/app/diaries/agents/codex`.

    A note of an agent's is a diary document that another Diarist handed in.
    """
    diary = kind == "entry" or (kind == "note" and bool(agent))
    folder = FOLDERS["entry"] if diary else FOLDERS.get(kind, f"{kind}s")
    return "/".join(part for part in (project.strip("/") or "(no project)", folder, agent if diary else "") if part)


def in_scope(scope: str, prefix: str) -> bool:
    """True where a scope lies below a prefix of whole parts; one that begins with a folder ("diaries/") fits every project."""
    wanted = prefix.strip("/")
    if not wanted or f"{scope}/".startswith(f"{wanted}/"):
        return True
    tops = {folder.split("/")[0] for folder in FOLDERS.values()}
    return wanted.split("/")[0] in tops and f"/{wanted}/" in f"/{scope}/"


def neighbours(store: Store, record: Record, index: Index | None = None) -> list[Neighbour]:
    """Records that this one names, that name it, or that belong to the same run; at most fifty.

    With an index also what it replaced and what replaced it, as searches judge: from the texts, and from what people said.
    """
    found: dict[str, Neighbour] = {}
    judged = _amendments(store, index, record) if index is not None else ()
    for neighbour in islice(chain(judged, _all(store, record)), 4 * MOST):
        if neighbour.record.id != record.id and len(found) < MOST:
            found.setdefault(neighbour.record.id, neighbour)
    return list(found.values())


def _amendments(store: Store, index: Index, record: Record) -> Iterator[Neighbour]:
    from diarist.app.amendments import amendments_of

    with suppress(IndexUnavailableError):
        for one in amendments_of(store, index, record.id):
            later = one.later == record.id
            other = store.get_record(one.earlier if later else one.later)
            if other is not None and other.status != "retracted":
                relation = "does not supersede" if one.stands and later else "stands beside" if one.stands else None
                parts = ", ".join(f"{name} {value:.2f}" for name, value in one.parts.items() if value)
                why = f"said by {one.said_by}" if one.said_by else f"judged from the texts: {one.score:.2f} of 1 ({parts})"
                yield Neighbour(relation or ("supersedes" if later else "superseded by"), other, why)


def _all(store: Store, record: Record) -> Iterator[Neighbour]:
    for relation, wanted in _named(record):
        other = store.get_record(wanted)
        if other is not None and other.status != "retracted":
            yield Neighbour(relation.replace("_", " "), other)
    yield from _naming(store, record.id)
    if record.workflow:
        where = RecordFilter(kinds=("entry",), project=record.project, workflow=record.workflow)
        yield from (Neighbour("same workflow", other) for other in store.list_records(where, limit=MOST))
    if record.session_id:
        where = RecordFilter(kinds=("entry",), session_id=record.session_id)
        yield from (Neighbour("same session", other) for other in store.list_records(where, limit=MOST))


def _naming(store: Store, record_id: str) -> Iterator[Neighbour]:
    """Curated records that name this one; they are few beside the entries."""
    backwards = {"supersedes": "superseded by", "derived_from": "gave rise to", "evidence": "gave rise to", "related": "related"}
    for other in store.list_records(RecordFilter(kinds=("note", "lesson")), limit=_LOOKED_AT):
        for relation, named in _named(other):
            if named == record_id:
                yield Neighbour(backwards[relation], other)


def _named(record: Record) -> Iterator[tuple[str, str]]:
    body = json.loads(record.body)
    if not isinstance(body, dict):
        return
    for field in _TELLING:
        value = body.get(field)
        yield from ((field, each) for each in value if isinstance(each, str)) if isinstance(value, list) else ()
