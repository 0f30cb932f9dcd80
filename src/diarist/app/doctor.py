"""Does everything in the workspace fit together? Reconciles sources, evidence, entries, history and index."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.records import entry_of
from diarist.errors import DiaristError
from diarist.model.codec import entry_digest
from diarist.model.record import RecordFilter
from diarist.model.session import CaptureReport

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox


def examine(box: Toolbox) -> dict[str, Any]:
    """`counts` (records of sources seen, kept, skipped by reason, …) and `faults`, one line each, sorted."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    _sources(box, counts, faults)
    _evidence(box, counts, faults)
    _entries(box, counts, faults)
    faults += box.store.check_history() + box.store.check_storage()
    for delivery in box.store.list_deliveries(datetime.max.replace(tzinfo=UTC)):
        counts["hub_documents_waiting"] += 1
        if delivery.problem:
            faults.append(f"{delivery.record_id}: not delivered after {delivery.attempts} tries: {delivery.problem}")
    return {"counts": dict(sorted(counts.items())), "faults": sorted(faults)}


def _sources(box: Toolbox, counts: Counter[str], faults: list[str]) -> None:
    for source in box.store.list_sources():
        counts["source_files"] += 1
        counts[f"source_files_{source.importer or 'of_no_known_format'}"] += 1
        if source.problem:
            faults.append(f"{source.path}: {source.problem}")


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
        if record.kind == "entry":
            entry = entry_of(record)
            if entry_digest(entry) != entry.entry_hash:
                faults.append(f"{record.id}: its hash does not fit its content")
