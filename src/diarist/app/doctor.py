"""Does everything in the workspace fit together? Reconciles sources, evidence, entries, history and index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.published import published_files
from diarist.app.records import entry_of
from diarist.app.source_check import check_sources
from diarist.errors import DiaristError
from diarist.model.codec import entry_digest
from diarist.model.record import RecordFilter
from diarist.model.session import CaptureReport

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record


def examine(box: Toolbox) -> dict[str, Any]:
    """`counts` (files and records seen, kept, skipped by reason, …), `faults` and `notes`, one line each, and what is `unknown`.

    Faults must not be. A note tells of something that may be so: an importer of another package that cannot be used, sources
    that their agent has deleted since. See `app.source_check` for what no importer knew.
    """
    sources = check_sources(box)
    counts, faults = sources.counts, sources.faults
    _evidence(box, counts, faults)
    _entries(box, counts, faults)
    faults += box.store.check_history() + box.store.check_storage()
    pending = box.store.list_erasures(pending=True)
    faults += [f"the erasure {each.id} is not finished; run `diarist erase --finish`" for each in pending]
    for delivery in box.store.list_deliveries(datetime.max.replace(tzinfo=UTC)):
        counts["hub_documents_waiting"] += 1
        if delivery.problem:
            faults.append(f"{delivery.record_id}: not delivered after {delivery.attempts} tries: {delivery.problem}")
    notes = [*_told(counts), *box.importer_problems()]
    unknown = [each._asdict() for each in sources.unknown]
    return {"counts": dict(sorted(counts.items())), "faults": sorted(faults), "notes": notes, "unknown": unknown}


def _told(counts: Counter[str]) -> Iterator[str]:
    """What the counts of sources mean, where somebody may wonder."""
    if counts["source_files_vanished"]:
        yield f"{counts['source_files_vanished']:,} source files are not there any more; what they told is kept"
    if counts["source_files_changed_since"]:
        yield f"{counts['source_files_changed_since']:,} source files have changed since they were read; `diarist ingest` reads on"
    if counts["published_files_missing"]:
        yield f"{counts['published_files_missing']:,} published files are not there; `diarist doctor --repair` writes them"
    if counts["sessions_to_distil"]:
        yield f"{counts['sessions_to_distil']:,} sessions wait to be distilled; `diarist ingest` goes on with them"


def _evidence(box: Toolbox, counts: Counter[str], faults: list[str]) -> None:
    vault = box.reader().vault
    for agent, session in box.store.list_sessions():
        counts["sessions"] += 1
        for part in box.store.get_parts(agent, session):
            capture = msgspec.json.decode(part.capture, type=CaptureReport)
            _reconcile(capture, f"session {session} of {agent}", counts, faults)
            for chunk in part.chunks:
                counts["vault_chunks"] += 1
                try:
                    vault.get(chunk)
                except DiaristError as error:
                    faults.append(f"evidence of session {session} of {agent}: {error}")
    counts["sessions_to_distil"] = len(box.store.list_dirty())


def _reconcile(capture: CaptureReport, name: str, counts: Counter[str], faults: list[str]) -> None:
    counts["records_seen"] += capture.seen
    counts["records_kept"] += capture.kept
    counts["records_malformed"] += capture.malformed
    for reason, number in capture.skipped.items():
        counts[f"records_skipped_{reason}"] += number
    if capture.seen != capture.kept + sum(capture.skipped.values()) + capture.malformed:
        faults.append(f"{name}: its capture report does not add up")


def _entries(box: Toolbox, counts: Counter[str], faults: list[str]) -> None:
    for record in box.store.list_records(RecordFilter(include_inactive=True), sort="created_at"):
        counts[f"records_of_kind_{record.kind}"] += 1
        _published(box, record, counts)
        if record.kind == "entry":
            entry = entry_of(record)
            if entry_digest(entry) != entry.entry_hash:
                faults.append(f"{record.id}: its hash does not fit its content")


def _published(box: Toolbox, record: Record, counts: Counter[str]) -> None:
    with suppress(DiaristError, ValueError):  # a damaged record is told elsewhere
        for each in published_files(box, record):
            counts["published_files"] += each.is_wanted
            counts["published_files_missing"] += each.is_wanted and not each.file.exists()
