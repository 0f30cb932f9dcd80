"""`/v1/kb/*`: documents by path and id, search, the scope tree, the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.app.documents import Edit, clean_path, document_id, path_of
from diarist.app.graph import SHOWN, in_scope, scope_of
from diarist.app.recall import Hits
from diarist.asgi.problems import Problem
from diarist.asgi.reading import body_of, iso
from diarist.errors import ConflictError
from diarist.http_api.answered import Change, Changes, Document, Edge, EditAnswer, FoundPage, Node, ScopeCount, Scopes
from diarist.http_api.lists import found_of, make_cursor, offset_of
from diarist.http_api.route import Call, Reply

if TYPE_CHECKING:
    from diarist.app.documents import Edited
    from diarist.model.record import Record

MAX_ETAG = 200
MOST_FOUND = 400
"""Hits looked at for one query, however many pages are asked for."""


def edit(call: Call) -> EditAnswer:
    """Writes a document, or files the edit for review. A stale `base_revision` (or If-Match) is a 409 with both versions."""
    body = call.body
    wish = Edit(
        path=body.path,
        title=body.title,
        body=body.body,
        tags=body.tags,
        source_type=body.source_type,
        related=body.related,
        actor=body.actor,
        base_revision=_base(call),
        idempotency_key=body.idempotency_key or call.headers.get("idempotency-key", ""),
        project=call.caller.project if call.caller.project is not None else body.project,
    )
    try:
        return _edited(call.memory.edit_document(wish, by=_by(call)))
    except ConflictError as error:
        yours = {"title": body.title, "body": body.body, "base_revision": wish.base_revision}
        raise Problem(409, str(error), current=_version(error.current), yours=yours) from error


def search(call: Call) -> FoundPage:
    """Finds entries, documents and approved lessons. Best first; few or none if nothing fits."""
    asked = call.query
    return _search(call, asked.q, asked.top_k, asked.scope_prefix, asked.cursor)


def search_by_body(call: Call) -> FoundPage:
    """The same with the query in the body."""
    asked = call.body
    return _search(call, asked.query, asked.top_k, asked.scope_prefix, asked.cursor)


def fetch(call: Call) -> Reply:
    """One record as Markdown. Its ETag is its revision; If-None-Match answers 304."""
    record = call.memory.get(call.ids["id"])
    tag = etag_of(record)
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in [each.strip() for each in call.headers.get("if-none-match", "").split(",")]:
        return Reply(document_of(call, record, ""), 304, headers)
    return Reply(document_of(call, record, call.memory.markdown(record.id)), 200, headers)


def history(call: Call) -> Changes:
    """Every change of a record, oldest first, with the text it had then."""
    record = call.memory.get(call.ids["id"])
    found = call.memory.history(record.id)
    return Changes(
        id=record.id,
        changes=[
            Change(
                revision=each.revision,
                seq=each.seq,
                action=each.action,
                actor=each.actor,
                at=iso(each.at),
                title=each.title,
                body=each.text,
            )
            for each in found
        ],
    )


def revert(call: Call) -> EditAnswer:
    """Gives a document the text of an earlier revision: a new edit, merged or filed for review as any other."""
    return _edited(call.memory.revert(call.ids["id"], call.body.revision, by=_by(call)))


def scopes(call: Call) -> Scopes:
    """The scope tree: where documents lie, and how many."""
    counts: dict[str, int] = {}
    for scope in call.memory.scopes():
        place = scope_of(scope.kind, scope.project, scope.agent)
        if scope.kind in SHOWN and in_scope(place, call.query.prefix):
            counts[place] = counts.get(place, 0) + scope.records
    places = [ScopeCount(scope=place, documents=count) for place, count in sorted(counts.items())]
    return Scopes(prefix=call.query.prefix, documents=sum(counts.values()), scopes=places)


def node(call: Call) -> Node:
    """A record and what it is related to, one step away: related, derived from, supersedes, same run."""
    record = call.memory.get(call.ids["id"])
    edges = [
        Edge(relation=each.relation, id=each.record.id, title=each.record.title, kind=each.record.kind, url=call.url(each.record.id))
        for each in call.memory.neighbours(record.id)
    ]
    scope = scope_of(record.kind, record.project, record.agent)
    return Node(id=record.id, title=record.title, kind=record.kind, scope=scope, url=call.url(record.id), neighbours=edges)


def etag_of(record: Record) -> str:
    """Changes whenever the record does."""
    return f'"{record.revision}-{record.digest[:16]}"'


def document_of(call: Call, record: Record, text: str) -> Document:
    """A record with its text."""
    body = body_of(record)
    extra = body.get("extra") if record.kind == "note" else None
    source = str(extra.get("source_type", "note")) if isinstance(extra, dict) else ("diary" if record.kind == "entry" else record.kind)
    related = body.get("related")
    return Document(
        id=record.id,
        path=path_of(record),
        title=record.title,
        body=text,
        kind=record.kind,
        source_type=source,
        scope=scope_of(record.kind, record.project, record.agent),
        project=record.project,
        agent=record.agent,
        workflow=record.workflow,
        task_id=record.task_id,
        outcome=record.outcome,
        verified=record.verified,
        tags=list(record.tags),
        related=[str(each) for each in related] if isinstance(related, list) else [],
        trust=record.trust,
        status=record.status,
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        revision=record.revision,
        digest=record.digest,
        url=call.url(record.id),
    )


def _search(call: Call, query: str, top_k: int, prefix: str, cursor: str) -> FoundPage:
    start = offset_of(cursor)
    call.room.refresh(call.memory, call.caller)
    project = _project_of(call, prefix)
    wanted = prefix.strip("/")
    whole = not wanted or wanted == (project or "").strip("/")
    reach = min(MOST_FOUND, start + top_k + 1) if whole else MOST_FOUND
    hits = call.memory.search(query, limit=reach, project=project) if reach > start else Hits()
    found = [hit for hit in hits if in_scope(scope_of(hit.kind, hit.project, hit.agent), prefix)]
    more = len(found) > start + top_k
    return FoundPage(
        results=[found_of(call, hit) for hit in found[start : start + top_k]],
        next_cursor=make_cursor(start + top_k) if more else None,
        behind=hits.behind,
        mode=hits.mode,
        mode_reason=hits.mode_reason,
    )


def _project_of(call: Call, prefix: str) -> str | None:
    """The one project that a scope prefix lies in, if it names one."""
    wanted = prefix.strip("/")
    if not wanted:
        return None
    names = {scope.project for scope in call.memory.scopes() if scope.project}
    return next((name for name in sorted(names, key=len, reverse=True) if f"{wanted}/".startswith(f"{name.strip('/')}/")), None)


def _base(call: Call) -> int | None:
    """The revision an edit was made on: from the body, or from If-Match."""
    told = call.headers.get("if-match", "").strip()
    if call.body.base_revision is not None or not told or told == "*":
        return int(call.body.base_revision) if call.body.base_revision is not None else None
    number, _, digest = told.strip('"').partition("-")
    if len(told) > MAX_ETAG or not (number.isascii() and number.isdigit()) or len(number) > 9 or not digest:
        raise Problem(422, "If-Match takes the ETag of the document")
    project = call.caller.project if call.caller.project is not None else call.body.project
    ids = document_id(project, clean_path(call.body.path))
    known = next((each for each in call.memory.history(ids) if each.revision == int(number)), None) if _there(call, ids) else None
    if known is None:
        raise Problem(409, "the document is not what If-Match says; fetch it again")
    return int(number)


def _there(call: Call, record_id: str) -> bool:
    from diarist.errors import NotFoundError

    try:
        call.memory.get(record_id)
    except NotFoundError:
        return False
    return True


def _by(call: Call) -> str:
    return call.caller.name if call.caller.key_id else ""


def _edited(edited: Edited) -> EditAnswer:
    return EditAnswer(**edited._asdict())


def _version(record: object) -> dict[str, object] | None:
    from diarist.model.record import Record

    if not isinstance(record, Record):
        return None
    body = body_of(record)
    return {"id": record.id, "revision": record.revision, "title": record.title, "body": body.get("body", ""), "etag": etag_of(record)}
