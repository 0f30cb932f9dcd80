"""Taking over what other systems kept: Burin's legacy stores, Harn's memory and session store. Sources are never changed.

Each can be tried without writing, done again without adding anything, and broken off at any point without being left half done.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.legacy_records import Migrated, take_record
from diarist.app.memories import list_items
from diarist.app.memory_log import read_lines
from diarist.app.observing import learning_state, put_observation
from diarist.app.sources import SourceProblem
from diarist.errors import DiaristError, InvalidInputError
from diarist.model.ids import make_id
from diarist.model.observation import NAMESPACE, SCHEMA
from diarist.model.record import Record, SearchText
from diarist.model.redacted import Redacted, derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

MARKER = ".burin-session-store-migrated-v1.json"
MARKER_SCHEMA = "harn.pattern_learning.migration.v1"
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
    What was taken over into one namespace is not taken over into another. `harn_root`: also writes Harn's own marker and
    `events.jsonl` below this folder.
    """
    marker = box.settings.workspace / "memory" / Path(*namespace.split("/")) / MARKER
    status = probe(marker)
    if status not in ("missing", "file"):
        return Migrated(unavailable=True, marker_status=status)
    scope = box.reader().redactor.redact(project)
    sources = [checkout / ".harn" / "session-store" / f"{LEGACY}.{stream}.jsonl" for stream in STREAMS]
    before = box.store.get_record(_mark_id(checkout))
    if before is not None:
        return _finish_again(box, marker, before, namespace, dry_run=dry_run)
    if status == "file" and not any(probe(source) == "file" for source in sources):
        return Migrated(already_done=True)
    if not any(probe(source) == "file" for source in sources):
        return Migrated(skipped=True, why="there is no legacy store")
    report = Migrated(migrated=not dry_run, dry_run=dry_run)
    with suppress(_Undo), box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for stream, source in zip(STREAMS, sources, strict=True):
            _take_stream(box, tx, stream, source, scope, namespace, report)
        tx.put_record(_mark(box, checkout, scope, namespace), SearchText(), action="migrate")
        if dry_run:
            raise _Undo
    if not dry_run:
        _write_marker(box, marker)
        if harn_root is not None:
            _write_harn_tree(box, harn_root, scope, namespace)
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


def probe(path: Path) -> str:
    """What a look at a path says: "missing", "file", "denied", "other" (no plain file) or "error"."""
    try:
        return "file" if stat.S_ISREG(path.stat().st_mode) else "other"
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except PermissionError:
        return "denied"
    except OSError:
        return "error"


def _finish_again(box: Toolbox, marker: Path, before: Record, namespace: str, *, dry_run: bool) -> Migrated:
    """The data is here; a run that died before it wrote the marker left that to do."""
    if before.namespace != namespace:
        return Migrated(skipped=True, why=f"it was taken over into the namespace {before.namespace} already")
    if not dry_run and probe(marker) == "missing":
        _write_marker(box, marker)
    return Migrated(already_done=True)


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


# --- marks ----------------------------------------------------------------------------------------------------------------


def _mark_id(checkout: Path) -> str:
    """Names the source, not the namespace: it is taken over once."""
    return make_id("migration", "burin", str(checkout.resolve()))


def _mark(box: Toolbox, checkout: Path, scope: Redacted, namespace: str) -> Record:
    body = json.dumps({"source": _mark_id(checkout), "migrated_at": box.now().isoformat()}).encode()
    return Record(
        id=_mark_id(checkout),
        kind="state",
        namespace=derived(namespace),
        project=scope,
        title=derived("migration of a Burin store"),
        created_at=box.now(),
        updated_at=box.now(),
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )


def _write_marker(box: Toolbox, marker: Path) -> None:
    told = {"schema": MARKER_SCHEMA, "migrated_at": box.now().isoformat().replace("+00:00", "Z")}
    box.publisher().put(marker, json.dumps(told).encode() + b"\n", mode=0o600)


def _write_harn_tree(box: Toolbox, root: Path, scope: Redacted, namespace: str) -> None:
    """Harn's own tree, for a Harn that goes on working on this project."""
    from diarist.app.projecting import project_events

    folder = root / "memory" / Path(*namespace.split("/"))
    data = b"".join(project_events(box.store, scope, namespace))
    box.publisher().put(folder / "events.jsonl", data, mode=0o600)
    _write_marker(box, folder / MARKER)


# --- Harn's session store -------------------------------------------------------------------------------------------------


def migrate_session_store(box: Toolbox, path: Path, project: str, *, namespace: str = NAMESPACE, dry_run: bool = False) -> Migrated:
    """Observations of the runs in a `session-store.sqlite` that ended by themselves and were marked as eligible.

    Raises InvalidInputError for a file that is no such store, or of a newer schema than is known.
    """
    from diarist.app.harn_sessions import read_runs

    scope = box.reader().redactor.redact(project)
    report = Migrated(migrated=not dry_run, dry_run=dry_run)
    if not learning_state(box.store, scope, namespace).enabled:
        return Migrated(skipped=True, why="learning is disabled for this project")
    with suppress(_Undo), box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for made in read_runs(box, path, scope, namespace, report.problems):
            new = put_observation(tx, made, trust="import", at=box.now(), namespace=namespace)
            report.observations += new
            report.known += not new
        if dry_run:
            raise _Undo
    return report
