"""Entries written back out, sorted by id: the same entries give the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import RecordFilter

FORMS = ("jsonl", "markdown")


def export(box: Toolbox, where: RecordFilter, form: str) -> Iterator[bytes]:
    """Chunks of one document. Raises UsageError for an unknown form."""
    if form not in FORMS:
        raise UsageError(f"there is no export form {form!r}; there are {', '.join(FORMS)}")
    for record in box.store.list_records(where, sort="id"):
        yield record.body + b"\n" if form == "jsonl" else box.publisher().render(record, "hub") + b"\n"
