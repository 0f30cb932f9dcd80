"""How far the workspace is known to be clean: under which rules, up to which change, and what an interrupted rescan left."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.records import state_record
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.ports import Store, Transaction

NAMESPACE = derived("redaction")
_ID = make_id("rescan")


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Body of the record of kind state in the namespace "redaction"."""

    version: str = ""
    """Of the rules; empty where there was no rescan yet."""
    done: bool = False
    """False: it was begun, and may have been interrupted."""
    chunks: tuple[str, ...] = ()
    """Vault chunks that were replaced last, to be deleted where that was not come to."""
    seq: int = 0
    """The mark's own change: what changed later has not been looked at. Set by `load_mark`."""


def load_mark(store: Store) -> Mark:
    """The mark of this workspace; an empty one before the first rescan."""
    record = store.get_record(_ID)
    return Mark() if record is None else msgspec.structs.replace(from_json(record.body, Mark), seq=record.seq)


def put_mark(tx: Transaction, mark: Mark, at: datetime) -> None:
    """Writes the mark in place of the one before."""
    record = state_record(_ID, to_json(mark), namespace=NAMESPACE, title="Redaction rescan", at=at)
    tx.put_record(record, SearchText(), action="rescan-mark", rewrite=True)


def clear_mark(tx: Transaction, version: str, at: datetime) -> None:
    """Lets go of what the mark said before, names of deleted chunks among it; the rescan still counts as under way."""
    tx.erase_record(_ID)
    put_mark(tx, Mark(version=version), at)
