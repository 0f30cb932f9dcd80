"""Hub documents to a Cerebrum hub: queued with the entry, sent afterwards, tried again later, never in the way of the task.

`KB_DIARIES_ENABLED` switches it on, `MOTHER_AI_URL` says where, `MOTHER_AI_API_KEY` goes into `x-api-key`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from diarist.app.indexing import catch_up
from diarist.app.journal import log
from diarist.app.records import entry_of
from diarist.app.relating import related_ids
from diarist.config import truthy
from diarist.errors import HubError, IndexUnavailableError
from diarist.model.machinery import Delivery
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record
    from diarist.ports import HubClient, Transaction

MAX_SECONDS = 20.0
"""No pass goes on longer: the rest waits for the next one."""
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=6)
GIVEN_UP = timedelta(days=30)
"""A document the hub refuses for good is looked at again after so long; `diarist doctor` shows it meanwhile."""


def delivery_wanted(box: Toolbox) -> bool:
    """True where the hub is switched on. Without an address that is logged, and nothing else is done."""
    return truthy(box.environ.get("KB_DIARIES_ENABLED"))


def queue_delivery(box: Toolbox, tx: Transaction, record: Record) -> None:
    """Notes that a hub should have this record, in the transaction that writes it.

    One that was a document before and turned out otherwise is sent once more: what the hub holds says how it ended, too.
    """
    if record.kind != "entry" or record.trust == "import" or not delivery_wanted(box):
        return
    if record.outcome in box.settings.get("hub.outcomes") or box.store.get_publication(record.id, "hub") is not None:
        tx.put_delivery(Delivery(record.id, 0, box.now()))


def deliver_due(box: Toolbox) -> dict[str, int]:
    """Sends what is due. Returns counts: sent, failed, waiting. Never raises for what a hub or the network does."""
    counts = {"sent": 0, "failed": 0, "waiting": 0}
    due = box.store.list_deliveries(box.now()) if delivery_wanted(box) else []
    if not due:
        return counts
    hub = box.hub()
    if hub is None:
        log(box.settings.workspace, box.now(), "hub-not-configured", missing="MOTHER_AI_URL", waiting=len(due))
        return {**counts, "waiting": len(due)}
    with suppress(IndexUnavailableError):  # then what is related is looked for among what the index holds
        catch_up(box.store, box.search_index())
    until = time.monotonic() + MAX_SECONDS
    for number, delivery in enumerate(due):
        if time.monotonic() > until:
            counts["waiting"] = len(due) - number
            break
        counts["sent" if _deliver(box, hub, delivery) else "failed"] += 1
    log(box.settings.workspace, box.now(), "hub", **counts)
    return counts


def document(box: Toolbox, record: Record) -> dict[str, object]:
    """The body of `/v1/kb/edit` for one entry."""
    entry = entry_of(record)
    related = related_ids(box, record)
    known = box.store.get_publication(record.id, "hub") or dict(box.publisher().plan(record)).get("hub", "")
    return {
        "path": known.removeprefix(f"{file_name(record.project)}/"),
        "title": entry.title,
        "body": box.publisher().render(record, "hub", related).decode(),
        "tags": list(dict.fromkeys([*entry.tags, f"outcome:{entry.outcome}", f"task:{entry.task_id}"])),
        "source_type": "diary",
        "related": related,
        "actor": entry.agent,
        "idempotency_key": f"{record.id}:{record.digest[:16]}",
    }


def _deliver(box: Toolbox, hub: HubClient, delivery: Delivery) -> bool:
    record = box.store.get_record(delivery.record_id)
    problem, pause = "", FIRST_PAUSE
    if record is not None:
        try:
            hub.put(document(box, record))
        except HubError as error:
            problem = str(error)
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**delivery.attempts) if error.retry else GIVEN_UP
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        if problem:
            tx.put_delivery(Delivery(delivery.record_id, delivery.attempts + 1, box.now() + pause, problem))
        else:
            tx.delete_delivery(delivery.record_id)
    return not problem
