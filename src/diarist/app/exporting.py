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
from diarist.model.redacted import derived
from diarist.stages.transcripts import FORMS as SESSION_FORMS
from diarist.stages.transcripts import render
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.record import Record, RecordFilter

FORMS = ("jsonl", "markdown")
"""Forms of entries; sessions have those of `stages.transcripts`."""
_SUFFIXES = {"jsonl": ".json", "markdown": ".md"}


class Exported(NamedTuple):
    """One entry or session written out. `name`: of a file for it alone, no two alike; `pieces`: its bytes, to be taken once, in order."""

    name: str
    pieces: Iterator[bytes]


def export(box: Toolbox, where: RecordFilter, form: str) -> Iterator[bytes]:
    """Entries as chunks of one document. Raises UsageError for an unknown form."""
    _check(form, FORMS, "entries")
    records = box.store.list_records(where, sort="id")
    return (piece for record in records for piece in _entry(box, record, form))


def export_entries(box: Toolbox, records: Iterable[Record], form: str) -> Iterator[Exported]:
    """Each entry by itself. Raises UsageError for an unknown form."""
    _check(form, FORMS, "entries")
    return (Exported(file_name(record.id) + _SUFFIXES[form], _entry(box, record, form)) for record in records)


def export_sessions(box: Toolbox, records: Iterable[Record], form: str) -> Iterator[Exported]:
    """The session behind each entry; entries that came without a transcript are left out. Raises UsageError for an unknown form."""
    _check(form, tuple(SESSION_FORMS), "sessions")
    suffix = SESSION_FORMS[form].suffix
    return (
        Exported(file_name(record.id) + suffix, pieces)
        for record in records
        if (pieces := _session(box, entry_of(record), form)) is not None
    )


def joined(exported: Iterable[Exported], form: str, of: str) -> Iterator[bytes]:
    """All of them as one stream, as each form allows: a line each, or one page below the other."""
    between = SESSION_FORMS[form].between if of == "sessions" else b""
    for number, each in enumerate(exported):
        if number:
            yield between
        yield from each.pieces


def _check(form: str, known: tuple[str, ...], what: str) -> None:
    if form not in known:
        raise UsageError(f"{what} cannot be exported as {form!r}; there are {', '.join(known)}")


def _entry(box: Toolbox, record: Record, form: str) -> Iterator[bytes]:
    yield (record.body if form == "jsonl" else box.publisher().render(record, "hub")) + b"\n"


def _session(box: Toolbox, entry: Entry, form: str) -> Iterator[bytes] | None:
    parts = parts_of(box, entry)
    if not parts:
        return None
    session = load_session(Evidence(parts, box.reader()), derived(box.reader().redactor.redact(project_of(parts))))
    return render(msgspec.structs.replace(session, info=msgspec.structs.replace(session.info, host={})), form)
