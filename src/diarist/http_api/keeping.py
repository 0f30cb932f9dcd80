"""`/v1/corrections`, `/v1/erasures`, `/v1/memory/*`: putting right, taking out, small facts in namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from diarist.app.memories import Item
from diarist.asgi.reading import iso
from diarist.errors import UsageError
from diarist.http_api.answered_keeping import Corrected, Erased, Fact, FactHit, Facts, FactsForgotten, FactsFound, FactStored, Reached
from diarist.http_api.lists import page, time_of
from diarist.model.erasing import EraseWish

if TYPE_CHECKING:
    from diarist.http_api.route import Call
    from diarist.model.memory_item import MemoryItem


def correct(call: Call) -> Corrected:
    """Says that a record was wrong, or is no longer so; search and recall mark it from then on."""
    body = call.body
    until = time_of(body.until, "until", call.memory.now())
    made = call.memory.correct(body.id, body.shape, text=body.text, why=body.why, until=until)
    return Corrected(id=made.correction, target=made.target, shape=made.shape, lessons=list(made.lessons), look_at=list(made.look_at))


def erase(call: Call) -> Erased:
    """Erases records for good, with what was made from them. With `dry_run` (the default) it only tells what that would reach."""
    wish = EraseWish(ids=tuple(call.body.ids))
    if call.body.dry_run:
        records = call.memory.preview_erase(wish).records
        return Erased(receipt="", done=False, reached=[Reached(id=each.id, kind=each.kind) for each in records])
    receipt = call.memory.erase(wish)
    return Erased(receipt=receipt.id, done=receipt.done, reached=[Reached(id=each.id, kind=each.kind) for each in receipt.reached])


def store_fact(call: Call) -> FactStored:
    """Stores a fact; the same id again replaces it."""
    body = call.body
    item = Item(key=body.key, value=msgspec.json.decode(body.value), tags=body.tags, id=body.id)
    made = call.memory.memory_store(body.namespace, item, project=_project(call))
    return FactStored(id=made.id)


def list_facts(call: Call) -> Facts:
    """Facts of a namespace, oldest first."""
    asked = call.query
    found = call.memory.memory_list(asked.namespace, project=_project(call))
    part, cursor = page(found, asked.cursor, asked.limit)
    return Facts(facts=[_fact(item) for item in part], next_cursor=cursor)


def recall_facts(call: Call) -> FactsFound:
    """The facts that fit a query, best first."""
    body = call.body
    call.room.refresh(call.memory, call.caller)
    found = call.memory.memory_recall(body.namespace, body.query, body.k, project=_project(call))
    return FactsFound(hits=[FactHit(score=hit.score, fact=_fact(hit.item)) for hit in found.hits], mode=found.effective_mode)


def forget_facts(call: Call) -> FactsForgotten:
    """Retracts facts by id, key, tag or words; history keeps them."""
    body = call.body
    told = {name: getattr(body, name) for name in ("id", "key", "tag", "query") if getattr(body, name)}
    if not told:
        raise UsageError("say what to forget: id, key, tag or query")
    return FactsForgotten(ids=list(call.memory.memory_forget(body.namespace, told, project=_project(call)).ids))


def _project(call: Call) -> str:
    asked = call.body if call.body is not None else call.query
    return call.caller.project if call.caller.project is not None else str(asked.project)


def _fact(item: MemoryItem) -> Fact:
    return Fact(id=item.id, key=item.key, value=item.value, tags=list(item.tags), stored_at=iso(item.stored_at))
