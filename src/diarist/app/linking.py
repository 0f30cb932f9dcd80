"""Published hub documents get the ids of what they are related to, once the index knows of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from diarist.app.evidence import main_info
from diarist.app.publishing import publish_root
from diarist.app.records import entry_of
from diarist.app.relating import related_ids
from diarist.app.verifying import parts_of
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

MOST = 20_000
_PAGE = 500


def relate_since(box: Toolbox, position: int) -> int:
    """Names in each hub document published since a change what it is related to; returns how many files that changed.

    Of very many changes the newest `MOST` are looked at: an index that is made anew must not cost hours here.

    Raises
    ------
    StoreFullError
        A file cannot be written.
    """
    changed, at = 0, max(position, box.store.last_seq() - MOST)
    while changes := box.store.get_changes(at, _PAGE):
        at = changes[-1].seq
        for record in box.store.get_records([change.seq for change in changes if change.op == "put"]).values():
            if record.kind == "entry" and record.status == "active":
                try:
                    changed += _relate(box, record)
                except msgspec.MsgspecError:
                    continue  # a record that cannot be read is told by `diarist doctor`; it does not keep the others back
    return changed


def _relate(box: Toolbox, record: Record) -> bool:
    path = box.store.get_publication(record.id, "hub")
    if path is None:
        return False
    parts = parts_of(box, entry_of(record))
    root = publish_root(box, record.project, main_info(parts).cwd if parts else "")
    target = root.joinpath(*PurePosixPath(path.removeprefix(f"{file_name(record.project)}/")).parts)
    if not target.is_file():
        return False  # `diarist doctor` writes what is missing
    data = box.publisher().render(record, "hub", related_ids(box, record))
    if target.read_bytes() == data:
        return False
    box.publisher().put(target, data)
    return True
