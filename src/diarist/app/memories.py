"""Namespaced memory: store, recall, summarize, update, forget. What is forgotten is retracted; history keeps it until it is erased."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.memory_search import Roles, rank_items
from diarist.app.times import utc
from diarist.errors import DiaristError, InvalidInputError, NotFoundError, UsageError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.memory_item import MemoryEvent, MemoryItem, Recalled, RecallMode, SpaceOptions, Summary
from diarist.model.record import Record, RecordFilter, SearchText, Trust
from diarist.model.redacted import Redacted, derived
from diarist.text.analyse import analyse
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Embedder, Store, Transaction

MOST_RECALLED = 100
SUMMARY_ITEMS, MOST_SUMMARIZED, SUMMARY_CHARACTERS = 20, 200, 4_000
MAX_VALUE = 200_000
EVENT_TAG = derived("memory-event")
OPEN_TAG = derived("memory-open")
_PATCHABLE = ("key", "value", "text", "tags", "provenance", "status", "scope", "flags")
_PREDICATES = ("id", "key", "tag", "tags", "query")

Predicate = str | Mapping[str, Any]
"""A text: part of key or text, whatever the case. Or fields of which all must match: id, key, tag, tags (one of), query (one word)."""


class Item(NamedTuple):
    """What is to be stored. `id` and `at`: the caller's own, for imports and replays."""

    key: str
    value: Any
    tags: Sequence[str] = ()
    text: str | None = None
    provenance: Mapping[str, Any] | None = None
    status: str | None = None
    scope: str | None = None
    flags: Mapping[str, Any] | None = None
    id: str = ""
    at: datetime | None = None


class Forgotten(NamedTuple):
    """What was forgotten: ids, oldest first."""

    ids: tuple[str, ...]
    forgotten_at: datetime


class Past(NamedTuple):
    """One change of an item. `item`: what it was from then on; None where it was forgotten, or where that is not known any more."""

    at: datetime
    actor: str
    action: str
    item: MemoryItem | None


def check_namespace(namespace: str) -> str:
    """The namespace as a relative path of parts.

    Raises
    ------
    InvalidInputError
        It is empty, absolute, or has a part "." or "..".
    """
    parts = namespace.replace("\\", "/").split("/")
    drive = len(parts[0]) == 2 and parts[0][1] == ":"
    if not namespace.strip() or drive or any(part in ("", ".", "..") or not part.isprintable() for part in parts):
        raise InvalidInputError(f"{namespace[:80]!r} is not a namespace: use a relative path of names, as project/notes")
    return "/".join(parts)


def space_of(box: Toolbox, namespace: str) -> Redacted:
    """The namespace, checked, as it is kept: its name may hold a secret as any other text. Raises InvalidInputError."""
    return box.reader().redactor.redact(check_namespace(namespace))


# --- writing --------------------------------------------------------------------------------------------------------------


def open_space(box: Toolbox, namespace: str, options: SpaceOptions, project: str = "", *, at: datetime | None = None) -> SpaceOptions:
    """Sets how a namespace recalls and how much it keeps. The latest opening holds. Raises UsageError for numbers without sense."""
    space = space_of(box, namespace)
    if options.retain < 1 or min(options.bm25_weight, options.vector_weight) < 0 or options.bm25_weight + options.vector_weight <= 0:
        raise UsageError("retain must be at least 1, weights must not be negative and not both 0")
    moment = utc(at or box.now(), "at")
    scope = box.reader().redactor.redact(project)
    event = {"type": "open", "namespace": space, **msgspec.to_builtins(options), "opened_at": _iso(moment)}
    with box.store.transaction(actor=box.actor, at=moment) as tx:
        put_event(box, tx, space, scope, event, at=moment)
    return options


def store_item(box: Toolbox, namespace: str, item: Item, project: str = "", *, trust: Trust = "agent") -> MemoryItem:
    """Stores an item; the same id again replaces it. Older items than the namespace retains are forgotten.

    Raises InvalidInputError for a namespace, key or value that cannot be.
    """
    space = space_of(box, namespace)
    moment = utc(item.at or box.now(), "at")
    scope = box.reader().redactor.redact(project)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        made = _made(box, space, scope, item, moment, order=box.store.last_seq() + 1)
        put_item(tx, space, scope, made, trust=trust, at=box.now())
    _retain(box, space, scope)
    return made


def update_item(box: Toolbox, namespace: str, item_id: str, patch: Mapping[str, Any], project: str = "") -> MemoryItem:
    """Overlays the fields of `patch` (key, value, text, tags, provenance, status, scope, flags); flags are merged key by key.

    Raises
    ------
    NotFoundError
        Nothing active has that id in the namespace.
    InvalidInputError
        A field cannot be changed.
    """
    space = space_of(box, namespace)
    unknown = sorted(set(patch) - set(_PATCHABLE))
    if unknown:
        raise InvalidInputError(f"{', '.join(unknown)} cannot be changed; only {', '.join(_PATCHABLE)}")
    scope = box.reader().redactor.redact(project)
    item_id = box.reader().redactor.redact(item_id)
    known = find_item(box.store, space, scope, item_id)
    if known is None:
        raise NotFoundError(f"nothing in {space} has the id {item_id!r}")
    safe = box.reader().redactor.json(dict(patch))
    at = box.now()
    with box.store.transaction(actor=box.actor, at=at) as tx:
        made = apply_patch(known, safe, at)
        put_item(tx, space, scope, made, trust="agent", at=at, action="update")
        event = {"type": "update", "namespace": space, "id": item_id, **safe, "updated_at": _iso(at)}
        put_event(box, tx, space, scope, event, at=at)
    return made


def apply_patch(known: MemoryItem, patch: Mapping[str, Any], at: datetime) -> MemoryItem:
    """The item with the (redacted) fields of a patch laid over it."""
    changes = {name: patch[name] for name in _PATCHABLE if name in patch}
    if isinstance(changes.get("flags"), Mapping):
        changes["flags"] = {**(known.flags or {}), **changes["flags"]}
    if "tags" in changes:
        changes["tags"] = tuple(sorted({str(tag) for tag in changes["tags"]}))
    if "value" in changes and "text" not in changes:
        changes["text"] = text_of(changes["value"])
    return msgspec.structs.replace(known, **changes, updated_at=at)


def forget(box: Toolbox, namespace: str, predicate: Predicate, project: str = "", *, at: datetime | None = None) -> Forgotten:
    """Retracts what fits the predicate; history keeps it (`erase` is final).

    Raises UsageError for a predicate that is empty or names an unknown field.
    """
    space = space_of(box, namespace)
    make_test(predicate)
    scope = box.reader().redactor.redact(project)
    safe = box.reader().redactor.json({"predicate": predicate if isinstance(predicate, str) else dict(predicate)})
    fits = make_test(safe["predicate"])  # of what is kept, as it is kept
    moment = utc(at or box.now(), "at")
    with box.store.transaction(actor=box.actor, at=moment) as tx:
        found = [item for item in list_items(box.store, space, scope) if fits(item)]
        for item in found:
            tx.set_status(item_record_id(space, scope, item.id), "retracted", action="forget")
        event = {"type": "forget", "namespace": space, **safe, "forgotten_ids": [item.id for item in found], "forgotten_at": _iso(moment)}
        put_event(box, tx, space, scope, event, at=moment)
    return Forgotten(tuple(item.id for item in found), moment)


def _retain(box: Toolbox, space: str, scope: str) -> None:
    most = space_options(box.store, space, scope).retain
    where = RecordFilter(kinds=("memory",), namespace=space, project=scope)
    over = box.store.count_records(where) - most
    if over > 0:
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            for record in list(box.store.list_records(where, sort="created_at", limit=over)):
                tx.set_status(record.id, "retracted", action="retire")


# --- reading --------------------------------------------------------------------------------------------------------------


def recall_items(
    box: Toolbox,
    namespace: str,
    query: str,
    k: int = 5,
    project: str = "",
    *,
    mode: RecallMode | None = None,
    embedder: Embedder | None = None,
) -> Recalled:
    """The items that fit a query, best first; with an empty query the newest, at score 0. Deterministic in bm25 mode.

    `mode` None: as the namespace was opened. `embedder` None: the configured one. Raises UsageError for `k` outside 1 to 100.
    """
    if not 1 <= k <= MOST_RECALLED:
        raise UsageError(f"recall gives 1 to {MOST_RECALLED} items, not {k}")
    space = space_of(box, namespace)
    scope = box.reader().redactor.redact(project)
    options = space_options(box.store, space, scope)
    wanted = mode or options.backend
    items = list(list_items(box.store, space, scope))
    roles, why_not = (Roles(embedder, embedder), "") if embedder is not None else _roles(box, wanted)
    return rank_items(items, query, k, wanted, options, roles, box.settings.workspace / "vectors", why_not)


def _roles(box: Toolbox, mode: RecallMode) -> tuple[Roles | None, str]:
    """The configured model, where this mode needs one; else why there is none."""
    from diarist.app.embedding import capped

    if mode == "bm25":
        return None, ""
    try:
        found = box.embedders()
    except DiaristError as error:
        return None, str(error)
    return (None, "") if found is None else (Roles(capped(box, found, found.queries), capped(box, found, found.passages)), "")


def summarize(box: Toolbox, namespace: str, project: str = "", *, since: datetime | None = None, limit: int = SUMMARY_ITEMS) -> Summary:
    """The newest items in a few lines of their own words, newest first, at most 4,000 characters. `count`: of all in the window.

    Raises UsageError for a `limit` outside 1 to MOST_SUMMARIZED.
    """
    if not 1 <= limit <= MOST_SUMMARIZED:
        raise UsageError(f"a summary is made of 1 to {MOST_SUMMARIZED} items, not {limit}")
    space = space_of(box, namespace)
    scope = box.reader().redactor.redact(project)
    items = [item for item in list_items(box.store, space, scope) if since is None or item.stored_at >= since]
    newest = sorted(items, key=lambda item: (item.stored_at, item.order), reverse=True)[:limit]
    lines: list[str] = []
    room = SUMMARY_CHARACTERS
    for item in newest:
        line = f"- {item.key}: {clip(' '.join(item.text.split()), 200)}"
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        lines.append(line)
    return Summary(count=len(items), text=derived("\n".join(lines)), ids=tuple(item.id for item in newest[: len(lines)]))


def list_items(store: Store, space: str, project: str, *, active: bool = True) -> Iterator[MemoryItem]:
    """Items of a namespace, oldest first. `space` and `project` as they were checked and redacted."""
    where = RecordFilter(kinds=("memory",), namespace=space, project=project, include_inactive=not active)
    for _, _, body in store.list_bodies(where, sort="created_at"):
        yield from_json(body, MemoryItem)


def find_item(store: Store, space: str, project: str, item_id: str) -> MemoryItem | None:
    """The active item with this id."""
    record = store.get_record(item_record_id(space, project, item_id))
    return from_json(record.body, MemoryItem) if record is not None and record.status == "active" else None


def item_history(box: Toolbox, namespace: str, item_id: str, project: str = "") -> list[Past]:
    """What an item was, oldest first. Raises NotFoundError where it never was, or was erased."""
    space = space_of(box, namespace)
    redact = box.reader().redactor.redact
    known = item_record_id(space, redact(project), redact(item_id))
    if box.store.get_record(known) is None:
        raise NotFoundError(f"nothing in {space} ever had the id {item_id!r}")
    found = []
    for event in box.store.get_history(known):
        body = event.payload.partition(b"\n")[2] if event.payload else b""
        found.append(Past(event.at, event.actor, event.action, from_json(body, MemoryItem) if body else None))
    return found


def space_options(store: Store, space: str, project: str) -> SpaceOptions:
    """How the namespace was opened last; the defaults where it never was."""
    latest: MemoryEvent | None = None
    for event in list_events(store, space, project, OPEN_TAG):
        if event.event.get("type") == "open" and (latest is None or event.order > latest.order):
            latest = event
    if latest is None:
        return SpaceOptions()
    known = {field: latest.event[field] for field in SpaceOptions.__struct_fields__ if field in latest.event}
    try:
        return msgspec.convert(known, SpaceOptions, strict=False)
    except msgspec.ValidationError:
        return SpaceOptions()


def list_events(store: Store, space: str, project: str, tag: Redacted = EVENT_TAG) -> Iterator[MemoryEvent]:
    """Events of a namespace that store nothing, in their order; with `OPEN_TAG` only those that opened it."""
    where = RecordFilter(kinds=("state",), namespace=space, project=project, tag=tag)
    yield from sorted((from_json(body, MemoryEvent) for _, _, body in store.list_bodies(where, sort="id")), key=lambda each: each.order)


def make_test(predicate: Predicate) -> Any:
    """Item → does it fit? Raises UsageError."""
    if isinstance(predicate, str):
        if not predicate.strip():
            raise UsageError("say what to forget; an empty text would be everything")
        part = predicate.casefold()
        return lambda item: part in item.key.casefold() or part in item.text.casefold()
    unknown = sorted(set(predicate) - set(_PREDICATES))
    if unknown or not predicate:
        raise UsageError(f"forget by {', '.join(_PREDICATES)}; {', '.join(unknown) or 'nothing'} was given")
    tags = {str(predicate["tag"])} if "tag" in predicate else set()
    tags |= {str(tag) for tag in predicate.get("tags", ())}
    terms = set(analyse(str(predicate.get("query", ""))))

    def fits(item: MemoryItem) -> bool:
        return (
            ("id" not in predicate or item.id == predicate["id"])
            and ("key" not in predicate or item.key == predicate["key"])
            and (not tags or bool(tags & set(item.tags)))
            and ("query" not in predicate or bool(terms & set(analyse(f"{item.key} {item.text}"))))
        )

    return fits


# --- records --------------------------------------------------------------------------------------------------------------


def _made(box: Toolbox, space: str, scope: str, item: Item, at: datetime, *, order: int) -> MemoryItem:
    redactor = box.reader().redactor
    try:
        size = len(json.dumps(item.value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the value of {item.key[:80]!r} is not JSON: {error}") from error
    if not item.key.strip() or size > MAX_VALUE:
        raise InvalidInputError(f"a memory needs a key and a value of at most {MAX_VALUE:,} characters as JSON")
    told = redactor.json(
        {
            "key": item.key,
            "value": item.value,
            "text": text_of(item.value) if item.text is None else item.text,
            "tags": sorted({str(tag) for tag in item.tags}),
            **{name: value for name in ("provenance", "status", "scope", "flags") if (value := getattr(item, name)) is not None},
        }
    )
    item_id = redactor.redact(item.id) or make_id("memory", space, scope, told["key"], _iso(at), json.dumps(told["value"], sort_keys=True))
    event = {"type": "store", "id": item_id, "namespace": space, **told, "stored_at": _iso(at)}
    return item_of_event(event, order)


def item_of_event(event: dict[str, Any], order: int) -> MemoryItem:
    """The item that a (redacted) store event tells of. Raises msgspec.ValidationError where it is none."""
    fields: dict[str, Any] = {name: event[name] for name in ("id", "stored_at", *_PATCHABLE) if event.get(name) is not None}
    fields.setdefault("value", None)
    if not isinstance(fields.get("text"), str):
        fields["text"] = text_of(fields["value"])
    return msgspec.convert({**fields, "event": event, "order": order}, MemoryItem)


def text_of(value: Any) -> Redacted:
    """What recall searches of a value: a text as it is, else its JSON."""
    return derived(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True))


def put_item(tx: Transaction, space: str, project: str, item: MemoryItem, *, trust: Trust, at: datetime, action: str = "store") -> bool:
    """Writes an item; False where it stands there already, the same."""
    body = to_json(item)
    record = Record(
        id=item_record_id(space, project, item.id),
        kind="memory",
        namespace=derived(space),
        project=derived(project),
        task_id=derived(item.id),
        title=derived(clip(item.key, 120)),
        tags=item.tags,
        trust=trust,
        created_at=item.stored_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    search = SearchText(title=derived(item.key), tags=derived(" ".join(item.tags)), body=derived(item.text[:20_000]))
    return tx.put_record(record, search, action=action)


def put_event(box: Toolbox, tx: Transaction, space: str, project: str, event: dict[str, Any], *, at: datetime, order: int = 0) -> bool:
    """Keeps an event that stores nothing. `order` 0: after all that is there."""
    made = MemoryEvent(event=event, order=order or box.store.last_seq() + 1)
    body = to_json(made)
    record = Record(
        id=event_record_id(space, project, event),
        kind="state",
        namespace=derived(space),
        project=derived(project),
        title=derived(f"memory {event.get('type', '')}"),
        tags=(EVENT_TAG, OPEN_TAG) if event.get("type") == "open" else (EVENT_TAG,),
        created_at=at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    return tx.put_record(record, SearchText(), action=str(event.get("type", "event")))


def event_record_id(space: str, project: str, event: Mapping[str, Any]) -> str:
    """Id of the record that holds an event: the same event (its time is part of it) is kept once."""
    return make_id("memory-event", space, project, json.dumps(event, sort_keys=True, ensure_ascii=False))


def item_record_id(space: str, project: str, item_id: str) -> str:
    """Id of the record that holds an item: ids need to be distinct within their namespace only."""
    return make_id("memory", space, project, item_id)


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
