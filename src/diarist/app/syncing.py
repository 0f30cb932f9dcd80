"""`diarist sync`: absorb published diaries that others wrote: a Bernstein tree, or a teammate's commit of our own files.

What comes in this way has trust level *import*: it is searchable, but it never replaces what local sources told, and it
has no transcript to verify against.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.records import entry_record
from diarist.app.sources import SourceProblem
from diarist.errors import ErasedError, InvalidInputError
from diarist.model.codec import seal
from diarist.model.entry import SCHEMA_VERSION, Entry
from diarist.model.ids import is_id, make_id
from diarist.model.record import SearchText
from diarist.model.redacted import Redacted, derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

MAX_BYTES = 16 << 20
_STRING_LISTS = ("tried", "worked", "failed", "tags")


class SyncReport(msgspec.Struct):
    """What a sync took over. `unchanged` includes entries that local sources tell better."""

    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    problems: list[SourceProblem] = msgspec.field(default_factory=list)


def sync_tree(box: Toolbox, root: Path, project: str, *, dry_run: bool = False) -> SyncReport:
    """Reads `<root>/runtime/diaries/*.json` (root: a `.sdd` or `.diarist` folder). Bad files are reported and left out.

    `dry_run`: says what would be taken over and writes nothing.
    """
    report = SyncReport()
    folder = root / "runtime" / "diaries"
    try:
        names = sorted(entry for entry in folder.iterdir() if entry.suffix == ".json" and not entry.name.startswith("."))
    except FileNotFoundError:
        return report
    except OSError as error:
        report.problems.append(SourceProblem(str(folder), f"cannot be read: {error.strerror or error}"))
        return report
    for path in names:
        try:
            entry = read_diary(box, path, project)
        except InvalidInputError as error:
            report.problems.append(SourceProblem(str(path), str(error)))
            continue
        report.read += 1
        try:
            _store(box, entry, report, dry_run=dry_run)
        except ErasedError as error:
            report.problems.append(SourceProblem(str(path), str(error), lost=False))
    return report


def read_diary(box: Toolbox, path: Path, project: str) -> Entry:
    """One published diary file as an entry. Raises InvalidInputError saying what is wrong with it."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInputError(f"larger than {MAX_BYTES >> 20} MiB")
        raw = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise InvalidInputError(f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"not valid JSON ({type(error).__name__})") from error
    if not isinstance(raw, dict):
        raise InvalidInputError(f"holds {type(raw).__name__}, not an object")
    checked = _check(raw)
    safe = box.reader().redactor.json(checked)
    own = _own(safe)
    return own if own is not None else _foreign(safe, project)


def _check(raw: dict[str, Any]) -> dict[str, Any]:
    """Bernstein's nine fields, each of its kind; unknown fields are left for our own form."""
    version = raw.get("schema_version", SCHEMA_VERSION)
    if type(version) is not int or version != SCHEMA_VERSION:
        raise InvalidInputError(f"schema_version {version!r} is not known here; a newer version of its writer made it")
    task_id = raw.get("task_id")
    if not isinstance(task_id, str) or not task_id.strip():
        raise InvalidInputError("task_id is missing or not a text")
    for name in _STRING_LISTS:
        value = raw.setdefault(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InvalidInputError(f"{name} is not a list of texts")
    if not isinstance(raw.setdefault("rationale", ""), str):
        raise InvalidInputError("rationale is not a text")
    raw["created_at"] = _time(raw.get("created_at")).isoformat()
    return raw


def _time(value: object) -> datetime:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        at = None
    if at is None:
        raise InvalidInputError("created_at is not an ISO 8601 time")
    try:
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except OverflowError as error:
        raise InvalidInputError("created_at is out of range") from error


def _own(raw: dict[str, Any]) -> Entry | None:
    """An entry that a Diarist wrote: all its fields are there and its hash holds."""
    if not is_id(str(raw.get("id", ""))):
        return None
    try:
        entry = msgspec.convert(raw, Entry)
    except msgspec.ValidationError:
        return None
    sealed = seal(entry)
    if sealed.entry_hash != entry.entry_hash:
        raise InvalidInputError("its hash does not fit its content: the file was changed after it was written")
    return sealed


def _foreign(raw: dict[str, Any], project: str) -> Entry:
    def texts(name: str) -> tuple[Redacted, ...]:
        return tuple(derived(item.strip()) for item in raw[name] if item.strip())

    task_id = derived(raw["task_id"])
    tags = tuple(dict.fromkeys(derived(tag.lower()) for tag in texts("tags")))
    hash_ = raw.get("redaction_hash")
    first = next(iter((*texts("worked"), *texts("tried"), *texts("failed"))), task_id)
    return seal(
        Entry(
            id=make_id("task", "bernstein", project, task_id),
            task_id=task_id,
            session_id=task_id,
            agent=derived("bernstein"),
            project=derived(project),
            title=derived(f"{task_id}: {first}"[:120]),
            tried=texts("tried"),
            worked=texts("worked"),
            failed=texts("failed"),
            rationale=derived(raw["rationale"]),
            tags=tags,
            created_at=datetime.fromisoformat(raw["created_at"]),
            redaction_hash=hash_ if isinstance(hash_, str) else "",
            source=derived("bernstein/diary"),
        )
    )


def _store(box: Toolbox, entry: Entry, report: SyncReport, *, dry_run: bool) -> None:
    known = box.store.get_record(entry.id)
    if known is not None and known.trust != "import":
        report.unchanged += 1
        return
    record = entry_record(entry, trust="import", at=box.now())
    if dry_run:
        changed = known is None or known.digest != record.digest
    else:
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            changed = tx.put_record(record, _search_text(entry))
    report.unchanged += not changed
    report.added += changed and known is None
    report.updated += changed and known is not None


def _search_text(entry: Entry) -> SearchText:
    bullets = "\n".join((*entry.tried, *entry.worked, *entry.failed, entry.rationale, entry.prompt))
    return SearchText(
        title=entry.title,
        errors=derived("\n".join(error.message for error in entry.errors)),
        fixes=derived("\n".join(fix.text for fix in entry.fixes)),
        tags=derived(" ".join(entry.tags)),
        body=derived(bullets),
        files=tuple(touched.path for touched in entry.files),
        tools=tuple(dict.fromkeys(entry.tools)),
        fingerprints=tuple(error.fingerprint for error in entry.errors),
        fixed_fingerprints=tuple(error.fingerprint for error in entry.errors if error.resolved),
    )
