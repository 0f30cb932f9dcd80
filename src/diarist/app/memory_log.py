"""Harn's append-only `events.jsonl`, in and out: one JSON object a line, of type store, update, forget or open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.memories import (
    apply_patch,
    event_record_id,
    find_item,
    item_of_event,
    item_record_id,
    list_events,
    list_items,
    put_event,
    put_item,
    space_of,
)
from diarist.app.sources import SourceProblem
from diarist.errors import InvalidInputError, RedactionError

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

TYPES = ("store", "update", "forget", "open")
MAX_BYTES = 256 << 20


class LogReport(msgspec.Struct):
    """What became of a log: `lines == stored + updated + forgotten + opened + known + len(problems)`."""

    lines: int = 0
    stored: int = 0
    updated: int = 0
    forgotten: int = 0
    opened: int = 0
    known: int = 0
    """Events that were here already."""
    dry_run: bool = False
    problems: list[SourceProblem] = msgspec.field(default_factory=list)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Lines of a JSON Lines file from 1: the object, or why there is none. Empty lines are passed over.

    Raises
    ------
    InvalidInputError
        The file cannot be read, or is larger than 256 MiB.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInputError(f"{path} is larger than {MAX_BYTES >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror or error}") from error
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, "torn: the file ends in the middle of it" if number == len(lines) else "not JSON"
            continue
        yield number, value if isinstance(value, dict) else "not an object"


def import_log(box: Toolbox, path: Path, namespace: str, project: str = "", *, dry_run: bool = False) -> LogReport:
    """Takes the events of a log over, in order, all or none. The source is left as it is; a second import adds nothing.

    Bad lines are reported and skipped. Raises InvalidInputError for a file that cannot be read.
    """
    space = space_of(box, namespace)
    report = LogReport(dry_run=dry_run)
    scope = box.reader().redactor.redact(project)
    with suppress(_Undo), box.store.transaction(actor=box.actor, at=box.now()) as tx:
        first = box.store.last_seq() + 1
        for number, told in read_lines(path):
            report.lines += 1
            reason = told if isinstance(told, str) else _take(box, tx, space, scope, told, first + number, report)
            if reason:
                report.problems.append(SourceProblem(f"{path.name}:{number}", reason))
        if dry_run:
            raise _Undo
    return report


class _Undo(Exception):  # noqa: N818 - never leaves this module
    """Rolls a dry run back."""


def _take(box: Toolbox, tx: Transaction, space: str, scope: str, raw: dict[str, Any], order: int, report: LogReport) -> str:
    """Applies one event; why not, if it cannot be."""
    kind = raw.get("type")
    if kind not in TYPES:
        return f"there is no event type {str(kind)[:40]!r}"
    try:
        event: dict[str, Any] = dict(box.reader().redactor.json(raw))
    except RedactionError:
        return "it could not be redacted"
    if _is_known(box, space, scope, event):
        report.known += 1
        return ""
    try:
        if kind == "store":
            made = item_of_event(event, order)
            put_item(tx, space, scope, made, trust="import", at=box.now())
            report.stored += 1
            return ""
        at = _time_of(event, box.now())
        if kind == "update":
            known = find_item(box.store, space, scope, str(event.get("id", "")))
            if known is not None:
                put_item(tx, space, scope, apply_patch(known, event, at), trust="import", at=box.now(), action="update")
            report.updated += 1
        elif kind == "forget":
            for item_id in event.get("forgotten_ids") or ():
                if find_item(box.store, space, scope, str(item_id)) is not None:
                    tx.set_status(item_record_id(space, scope, str(item_id)), "retracted", action="forget")
            report.forgotten += 1
        else:
            report.opened += 1
        put_event(box, tx, space, scope, event, at=at, order=order)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        return f"not a {kind} event: {str(error)[:120]}"
    return ""


def _is_known(box: Toolbox, space: str, scope: str, event: dict[str, Any]) -> bool:
    if event["type"] == "store":
        record = box.store.get_record(item_record_id(space, scope, str(event.get("id", ""))))
        return record is not None
    return box.store.get_record(event_record_id(space, scope, event)) is not None


def _time_of(event: dict[str, Any], default: datetime) -> datetime:
    for name in ("updated_at", "forgotten_at", "opened_at", "stored_at"):
        if isinstance(event.get(name), str):
            at = datetime.fromisoformat(event[name])
            return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return default


def export_log(box: Toolbox, namespace: str, project: str = "", without: str | None = None) -> Iterator[bytes]:
    """The namespace as lines of `events.jsonl`, in the order of its events; forgotten items and what forgot them included.

    `without`: leave out items whose value is a record of this schema.
    """
    space = space_of(box, namespace)
    scope = box.reader().redactor.redact(project)
    items = list_items(box.store, space, scope, active=False)
    events = [(item.order, item.event) for item in items if without is None or _schema_of(item.value) != without]
    events += [(each.order, each.event) for each in list_events(box.store, space, scope)]
    for _, event in sorted(events, key=lambda each: (each[0], json.dumps(each[1], sort_keys=True))):
        yield json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _schema_of(value: Any) -> Any:
    return value.get("schema") if isinstance(value, dict) else None


def write_log(box: Toolbox, root: Path, namespace: str, lines: Sequence[bytes]) -> Path:
    """Writes a namespace's log where Harn looks for it. Raises InvalidInputError where one there holds lines that these do not."""
    file = root / "memory" / Path(*space_of(box, namespace).split("/")) / "events.jsonl"
    try:
        before = file.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        before = []
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror or error}") from error
    known = set(lines)
    if any(line not in known for line in before):
        raise InvalidInputError(f"{file} holds events that are not known here. `diarist memory import {file} {namespace}` first.")
    box.publisher().put(file, b"".join(lines), mode=0o600)
    return file
