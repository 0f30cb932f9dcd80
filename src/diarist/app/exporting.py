"""What the workspace keeps, written back out: entries, or the sessions they were made from. The same content gives the same bytes.

Entries come sorted by id, sessions in the order of their entries. A session comes from the evidence vault: redacted, whole, and
without what a host stated about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.distilling import project_of
from diarist.app.evidence import Evidence, load_session
from diarist.app.records import entry_of
from diarist.app.verifying import parts_of
from diarist.errors import UsageError
from diarist.stages.transcripts import FORMS as SESSION_FORMS
from diarist.stages.transcripts import render
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

_FORMS = {"entries": ("jsonl", "markdown"), "sessions": tuple(SESSION_FORMS)}


class Exported(NamedTuple):
    """One entry or session written out. `name`: of a file for it alone, no two alike; `pieces`: its bytes, to be taken once, in order."""

    name: str
    pieces: Iterator[bytes]
    between: bytes = b""
    """What stands before it where another precedes it in one stream."""


def export_each(box: Toolbox, records: Iterable[Record], form: str, of: str) -> Iterator[Exported]:
    """Each of the entries by itself, or (`of` "sessions") the session behind it; entries that came without a transcript have none.

    Raises UsageError for an unknown form.
    """
    if of not in _FORMS:
        raise UsageError(f"only {' and '.join(_FORMS)} can be exported, not {of!r}")
    if form not in _FORMS[of]:
        raise UsageError(f"{of} cannot be exported as {form!r}; there are {', '.join(_FORMS[of])}")
    make = _entry if of == "entries" else _session
    return (made for record in records if (made := make(box, record, form)) is not None)


def joined(exported: Iterable[Exported]) -> Iterator[bytes]:
    """All of them as one stream, as each form allows: a line each, or one page below the other."""
    for number, each in enumerate(exported):
        if number:
            yield each.between
        yield from each.pieces


def _entry(box: Toolbox, record: Record, form: str) -> Exported:
    def pieces() -> Iterator[bytes]:
        yield (record.body if form == "jsonl" else box.publisher().render(record, "hub")) + b"\n"

    return Exported(file_name(record.id) + (".json" if form == "jsonl" else ".md"), pieces())


def _session(box: Toolbox, record: Record, form: str) -> Exported | None:
    parts = parts_of(box, entry_of(record))
    if not parts:
        return None
    project = box.reader().redactor.redact(project_of(parts))
    session = load_session(Evidence(parts, box.reader()), project)
    told, style = msgspec.structs.replace(session.info, host={}), SESSION_FORMS[form]
    return Exported(file_name(record.id) + style.suffix, render(msgspec.structs.replace(session, info=told), form), style.between)
