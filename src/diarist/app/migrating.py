"""Taking over what other systems kept: Burin's legacy stores, Harn's memory and session store. Sources are never changed.

Each can be tried without writing, done again without adding anything, and broken off at any point without being left half done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.legacy_records import Migrated, take_record
from diarist.app.memories import list_items
from diarist.app.memory_log import read_lines
from diarist.app.migration_marks import digest_of, make_mark, mark_id, marker_path, probe, write_files
from diarist.app.observing import learning_state, put_observation
from diarist.app.sources import SourceProblem
from diarist.errors import DiaristError, InvalidInputError
from diarist.model.observation import NAMESPACE, SCHEMA
from diarist.model.record import SearchText
from diarist.model.redacted import Redacted

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

LEGACY = "burin.agent_context.pattern_learning"
STREAMS = ("observations", "pending", "state")
_STREAM_OF = {"observation": "observations", "pending": "pending", "state": "state"}


# --- Burin's legacy stores ------------------------------------------------------------------------------------------------


def migrate_burin(
    box: Toolbox,
    checkout: Path,
    project: str,
    *,
    namespace: str = NAMESPACE,
    dry_run: bool = False,
    harn_root: Path | None = None,
) -> Migrated:
    """Takes over `.harn/session-store/burin.agent_context.pattern_learning.*.jsonl` of a checkout, once.

    The marker lies in `<workspace>/memory/<namespace>/`; a denied or failing look at it ends the attempt, nothing written.
    What was taken over into one namespace or project is not taken over into another, from a copy of the checkout neither.
    `harn_root`: also writes Harn's own marker and `events.jsonl` below this folder; what Harn has there stays.
    """
    status = probe(marker_path(box, namespace))
    if status not in ("missing", "file"):
        return Migrated(unavailable=True, marker_status=status)
    scope = box.reader().redactor.redact(project)
    sources = {stream: checkout / ".harn" / "session-store" / f"{LEGACY}.{stream}.jsonl" for stream in STREAMS}
    there = [source for source in sources.values() if probe(source) == "file"]
    marks = [mark_id(str(checkout.resolve()))]
    before = box.store.get_record(marks[0])
    if before is None and there:  # read only where its place is not known
        marks.append(mark_id(digest_of(there)))
        before = box.store.get_record(marks[1])
    if before is None:
        if not there:
            return Migrated(already_done=True) if status == "file" else Migrated(skipped=True, why="there is no legacy store")
        if not learning_state(box.store, scope, namespace).enabled:
            return Migrated(skipped=True, why="learning is disabled for this project")
        report = _take_all(box, sources, marks, scope, namespace, dry_run=dry_run)
    elif (before.namespace, before.project) != (namespace, scope):
        return Migrated(skipped=True, why=f"it was taken over into {before.namespace} of the project {before.project or '(none)'} already")
    else:  # A run that died before it wrote the files left that to do.
        report = Migrated(already_done=True)
    if not dry_run:
        write_files(box, scope, namespace, harn_root)
    return report


def _take_all(
    box: Toolbox, sources: Mapping[str, Path], marks: Sequence[str], scope: Redacted, namespace: str, *, dry_run: bool
) -> Migrated:
    report = Migrated(migrated=not dry_run, dry_run=dry_run)
    with suppress(_Undo), box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for stream, source in sources.items():
            _take_stream(box, tx, stream, source, scope, namespace, report)
        for each in marks:
            tx.put_record(make_mark(box, each, scope, namespace), SearchText(), action="migrate")
        if dry_run:
            raise _Undo
    return report


def ensure_migrated(box: Toolbox, project: str, cwd: str = "") -> Migrated:
    """The same where the project's checkout is known and has a legacy store; on writable paths only. Never raises."""
    from diarist.app.skills import checkout_of

    try:
        checkout = checkout_of(box, project, cwd)
        if checkout is None or not (checkout / ".harn" / "session-store").is_dir():
            return Migrated(skipped=True)
        return migrate_burin(box, checkout, project)
    except (DiaristError, OSError) as error:
        return Migrated(unavailable=True, marker_status="error", why=str(error))


class _Undo(Exception):  # noqa: N818 - never leaves this module
    """Rolls a dry run back."""


def _take_stream(box: Toolbox, tx: Transaction, stream: str, source: Path, scope: Redacted, namespace: str, report: Migrated) -> None:
    if probe(source) != "file":
        return
    try:
        records = list(_fold(source, report))
    except InvalidInputError as error:
        report.problems.append(SourceProblem(source.name, str(error)))
        return
    for number, raw in records:
        try:
            take_record(box, tx, stream, raw, scope, namespace, report)
        except (DiaristError, msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
            report.problems.append(SourceProblem(f"{source.name}:{number}", f"not a record of {stream}: {str(error)[:120]}"))


def _fold(source: Path, report: Migrated) -> Iterator[tuple[int, dict[str, Any]]]:
    """Plays the mutations of one stream: the records that survive, in the order in which they first appeared."""
    kept: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, line in read_lines(source):
        payload = line.get("payload") if isinstance(line, dict) else None
        if not isinstance(payload, dict):
            reason = line if isinstance(line, str) else "no payload"
            report.problems.append(SourceProblem(f"{source.name}:{number}", reason))
            continue
        if not _play(kept, number, payload):
            report.problems.append(SourceProblem(f"{source.name}:{number}", "no known mutation"))
    yield from kept.values()


def _play(kept: dict[str, tuple[int, dict[str, Any]]], number: int, payload: dict[str, Any]) -> bool:
    kind = str(payload.get("kind") or payload.get("type") or payload.get("op") or payload.get("mutation") or "")
    if not kind and len(payload) == 1:  # {"upsert": {"record": …}}
        ((kind, told),) = payload.items()
        payload = told if isinstance(told, dict) else {}
    record, records, value = payload.get("record"), payload.get("records"), payload.get("value")
    if kind == "upsert" and isinstance(record, dict):
        _keep(kept, number, record)
    elif kind == "delete" and payload.get("id") is not None:
        kept.pop(str(payload["id"]), None)
    elif kind == "clear":
        kept.clear()
    elif kind == "replace" and (isinstance(records, list) or value is not None):
        kept.clear()
        listed = records if isinstance(records, list) else value if isinstance(value, list) else [value]
        for each in listed:
            if isinstance(each, dict):
                _keep(kept, number, each)
    else:
        return False
    return True


def _keep(kept: dict[str, tuple[int, dict[str, Any]]], number: int, record: dict[str, Any]) -> None:
    key = str(record.get("id") or f"line-{number}-{len(kept)}")
    kept[key] = (kept[key][0] if key in kept else number, record)


def absorb_records(box: Toolbox, project: str, namespace: str = NAMESPACE) -> Migrated:
    """Pattern records that an imported `events.jsonl` brought into a namespace, as observations, proposals and state of ours."""
    scope = box.reader().redactor.redact(project)
    report = Migrated(migrated=True)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for item in list_items(box.store, namespace, scope):
            stream = _STREAM_OF.get(str(item.value.get("record_kind"))) if is_pattern_record(item.value) else None
            if stream is None:
                continue
            try:
                take_record(box, tx, stream, item.value, scope, namespace, report)
            except (DiaristError, msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
                report.problems.append(SourceProblem(f"{namespace}: {item.id}", f"not a record of {stream}: {str(error)[:120]}"))
    return report


def is_pattern_record(value: object) -> bool:
    """True for the value of a `harn.pattern_learning.v1` record."""
    return isinstance(value, dict) and value.get("schema") == SCHEMA


# --- Harn's session store -------------------------------------------------------------------------------------------------


def migrate_session_store(
    box: Toolbox, path: Path, project: str, *, tenant: str = "", namespace: str = NAMESPACE, dry_run: bool = False
) -> Migrated:
    """Observations of the runs in a `session-store.sqlite` that ended by themselves and were marked as eligible.

    Of `tenant` only; without one the store must hold one tenant's sessions.

    Raises InvalidInputError for a file that is no such store, or where a tenant must be chosen.
    """
    from diarist.app.harn_sessions import read_runs

    scope = box.reader().redactor.redact(project)
    report = Migrated(migrated=not dry_run, dry_run=dry_run)
    if not learning_state(box.store, scope, namespace).enabled:
        return Migrated(skipped=True, why="learning is disabled for this project")
    with suppress(_Undo), box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for made in read_runs(box, path, scope, namespace, report.problems, tenant):
            new = put_observation(tx, made, trust="import", at=box.now(), namespace=namespace)
            report.observations += new
            report.known += not new
        if dry_run:
            raise _Undo
    return report
