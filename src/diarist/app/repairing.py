"""`diarist doctor --repair`: makes a consistent workspace out of what is whole, and says what it could not save.

Nothing is deleted that could be the last copy of something: a damaged database is kept aside, a damaged chunk of evidence too.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.distilling import distil_dirty
from diarist.app.erasing import finish
from diarist.app.indexing import rebuild, verify
from diarist.app.published import published_files
from diarist.errors import DiaristError, ErasedError, IndexUnavailableError, StoreCorruptError, StoreError
from diarist.model.codec import from_json
from diarist.model.erasing import Receipt
from diarist.model.machinery import ImportMark
from diarist.model.record import RecordFilter, SearchText
from diarist.model.session import CaptureReport, SessionInfo

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.app.toolbox import Toolbox
    from diarist.model.machinery import Salvaged
    from diarist.model.record import Record
    from diarist.ports import Store

OpenMemory = Callable[[Path, bool], "Memory"]
Salvage = Callable[[Path], "Salvaged"]
_CHAINED = ("history", "history_payloads", "records")
_JSON = {"parts": ("chunks", "info", "capture"), "sources": ("sessions",), "erasures": ("receipt",), "records": ("tags",)}
"""Columns by table that hold JSON."""
_LEFT = ("answers", "api_keys", "workspaces")
DATABASE = "diarist.db"


class Repair(msgspec.Struct):
    """What was done, and what could not be saved, one line each."""

    done: list[str] = msgspec.field(default_factory=list)
    lost: list[str] = msgspec.field(default_factory=list)
    kept: list[str] = msgspec.field(default_factory=list)
    """Where damaged files were put aside."""


def repair(workspace: Path, open_memory: OpenMemory, salvage: Salvage) -> Repair:
    """Repairs a workspace. Raises StoreError where not even that is possible, and StoreLockedError while others write."""
    report = Repair()
    if (workspace / DATABASE).exists() and _is_damaged(workspace, open_memory, report):
        _save_database(workspace, open_memory, salvage, report)
    with open_memory(workspace, False) as memory:
        _settle(memory._box, report)
    return report


def _is_damaged(workspace: Path, open_memory: OpenMemory, report: Repair) -> bool:
    faults = _faults(workspace, open_memory)
    report.done += [f"found: {fault}" for fault in faults[:5]]
    return bool(faults)


def _faults(workspace: Path, open_memory: OpenMemory) -> list[str]:
    """What is wrong with the database; looked at without changing it, unless an older form has to be brought up to date first."""
    for read_only in (True, False):
        try:
            with open_memory(workspace, read_only) as memory:
                store = memory._box.store
                faults = [*store.check_storage(), *store.check_history()]
                _read_all(store)
                return faults
        except StoreCorruptError as error:
            return [str(error)]
        except (ValueError, TypeError) as error:
            return [f"a row cannot be read ({error})"]
        except StoreError:
            if not read_only:
                raise
    return []


def _read_all(store: Store) -> None:
    """Every row must make sense. Raises StoreCorruptError, ValueError for one that does not."""
    for _ in store.list_records(RecordFilter(include_inactive=True)):
        pass
    for _ in store.list_sources():
        pass
    for agent, session in store.list_sessions():
        for part in store.get_parts(agent, session):
            msgspec.json.decode(part.info, type=SessionInfo)
            msgspec.json.decode(part.capture, type=CaptureReport)
    store.tombstones()
    store.list_corrections()
    for erasure in store.list_erasures():
        from_json(erasure.receipt, Receipt)


# --- the database ---------------------------------------------------------------------------------------------------------


def _save_database(workspace: Path, open_memory: OpenMemory, salvage: Salvage, report: Repair) -> None:
    found = salvage(workspace / DATABASE)
    report.lost += found.lost
    draft = workspace.with_name(f".{workspace.name}.repair")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        (draft / "first").mkdir(parents=True, mode=0o700)
        with open_memory(draft / "first", False) as memory:
            _load(memory._box, found, report, ordered=True)
            faults = memory._box.store.check_history()
        chosen = draft / "first"
        if faults:
            chosen = draft / "second"
            chosen.mkdir(mode=0o700)
            _begin_anew(draft, found, open_memory, report)
        _exchange(workspace, chosen, report)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _load(box: Toolbox, found: Salvaged, report: Repair, *, ordered: bool) -> None:
    """Rows as they were; with `ordered` history and records too."""
    assert box.whole is not None
    workspace_id, secret = _identity(found) or (box.store.workspace_id(), box.store.tombstone_key())
    box.whole.begin_import(ImportMark(workspace_id, secret), empty=True)
    tables = [table for table in sorted(found.rows) if table not in _LEFT and (ordered or table not in _CHAINED)]
    for table in sorted(tables, key=lambda name: (name != "history", name)):
        rows = list(_fitting(table, found))
        if ordered and len(rows) < len(found.rows[table]):
            report.lost.append(f"table {table}: {len(found.rows[table]) - len(rows):,} rows make no sense")
        _load_table(box, table, rows, found.columns)
    box.whole.end_import(workspace_id, secret)


def _load_table(box: Toolbox, table: str, rows: list[Sequence[Any]], columns: Mapping[str, list[str]]) -> None:
    """A page at a time; of a page with a row that does not fit, row by row: that one is as good as lost."""
    assert box.whole is not None
    for start in range(0, len(rows), 500):
        page = [(table, row) for row in rows[start : start + 500]]
        try:
            box.whole.load_rows(page, columns)
        except (StoreError, ValueError, TypeError):
            for each in page:
                with suppress(StoreError, ValueError, TypeError):
                    box.whole.load_rows([each], columns)


def _fitting(table: str, found: Salvaged) -> Iterator[Sequence[Any]]:
    """Rows that make sense, and that nothing else contradicts: a payload needs its change."""
    if table != "history_payloads":
        places = [found.columns[table].index(name) for name in _JSON.get(table, ())]
        yield from (row for row in found.rows[table] if all(_is_json(row[place]) for place in places))
        return
    place = found.columns["history"].index("seq")
    seqs = {row[place] for row in found.rows.get("history", ())}
    own = found.columns[table].index("seq")
    yield from (row for row in found.rows[table] if row[own] in seqs)


def _is_json(value: Any) -> bool:
    try:
        msgspec.json.decode(value)
    except (msgspec.DecodeError, TypeError, ValueError):
        return False
    return True


def _identity(found: Salvaged) -> tuple[str, bytes] | None:
    rows = found.rows.get("workspaces", [])
    if not rows:
        return None
    told: Mapping[str, Any] = dict(zip(found.columns["workspaces"], rows[0], strict=True))
    secret = told.get("secret")
    return (str(told.get("workspace_id")), secret) if isinstance(secret, bytes) and len(secret) == 32 else None


def _begin_anew(draft: Path, found: Salvaged, open_memory: OpenMemory, report: Repair) -> None:
    """A new history that begins with every record that is whole; the old one stays in the file that is put aside."""
    saved, gone = 0, []
    with open_memory(draft / "first", False) as old, open_memory(draft / "second", False) as new:
        box = new._box
        _load(box, found, report, ordered=False)
        place = found.columns["records"].index("id")
        for row in found.rows.get("records", ()):
            record, search = _whole(old._box, str(row[place]))
            if record is None:
                gone.append(str(row[place]))
                continue
            try:
                with box.store.transaction(actor=box.actor, at=box.now()) as tx:
                    tx.put_record(record, search, action="repair")
                saved += 1
            except ErasedError:
                continue
            except DiaristError:
                gone.append(record.id)
        if _identity(found) is None:
            report.lost.append("the key of the tombstones: values that were erased are not recognised any more")
    report.done.append(f"history begins anew with {saved:,} records; the old one is in the file put aside")
    report.lost += [f"record {each}" for each in gone[:100]]
    if found.rows.get("api_keys"):
        report.lost.append("keys of the hub: make new ones with `diarist keys add`")


def _whole(box: Toolbox, record_id: str) -> tuple[Record | None, SearchText]:
    import hashlib

    try:
        record = box.store.get_record(record_id)
        search = box.store.get_search_text(record_id)
    except (DiaristError, ValueError, TypeError):
        return None, SearchText()
    if record is None or hashlib.sha256(record.body).hexdigest() != record.digest:
        return None, SearchText()
    return record, search or SearchText()


def _exchange(workspace: Path, chosen: Path, report: Repair) -> None:
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}Z"
    for suffix in ("", "-wal", "-shm"):
        path = workspace / f"{DATABASE}{suffix}"
        if path.exists():
            aside = workspace / f"{DATABASE}.damaged-{stamp}{suffix}"
            path.rename(aside)
            report.kept += [str(aside)] if not suffix else []
    (chosen / DATABASE).rename(workspace / DATABASE)
    shutil.rmtree(workspace / "index", ignore_errors=True)  # derived, and of another history
    report.done.append("the database was written anew from what could be read")


# --- what lies beside -----------------------------------------------------------------------------------------------------


def _settle(box: Toolbox, report: Repair) -> None:
    finished = finish(box)
    report.done += [f"finished the erasure {each.id}" for each in finished]
    _evidence(box, report)
    _sources(box, report)
    try:
        changed = distil_dirty(box, lambda _done, _total: None)
        if changed.created or changed.updated:
            report.done.append(f"distilled {changed.created + changed.updated:,} sessions that waited")
        report.lost += [f"session {session} of {agent} cannot be distilled: {why}" for (agent, session), why in changed.problems.items()]
    except DiaristError as error:
        report.lost.append(f"a session could not be distilled: {error}")
    try:
        faults = verify(box.store, box.search_index())
    except IndexUnavailableError as error:
        faults = [str(error)]
    if faults:
        rebuild(box.store, box.search_index())
        report.done.append("the search index was made anew")
    written = sum(_publish(box, record, report) for record in box.store.list_records(RecordFilter(include_inactive=False), sort="id"))
    if written:
        report.done.append(f"wrote {written:,} published files that were missing")


def _evidence(box: Toolbox, report: Repair) -> None:
    """Damaged chunks are put aside, and the files they came from are to be read again."""
    vault = box.reader().vault
    for agent, session in list(box.store.list_sessions()):
        for part in box.store.get_parts(agent, session):
            broken = []
            for chunk in part.chunks:
                try:
                    vault.get(chunk)
                except DiaristError as error:
                    broken.append(chunk)
                    report.lost.append(f"evidence of session {session} of {agent}: {error}")
                    _put_aside(box.settings.workspace, chunk, report)
            if broken:
                _read_again(box, part.key[:24], report)


def _sources(box: Toolbox, report: Repair) -> None:
    """Files whose evidence is gone are to be read again."""
    for source in list(box.store.list_sources()):
        sessions = [tuple(name.split(":", 1)) for name in source.sessions]
        if any(len(each) == 2 and not box.store.get_parts(*each) for each in sessions):
            with box.store.transaction(actor=box.actor, at=box.now()) as tx:
                tx.put_source(msgspec.structs.replace(source, size=-1, mtime_ns=0, offset=0, state=b"", sessions=()))
            report.lost.append(f"evidence of {source.path}: `diarist ingest` reads it again, if it is still there")


def _put_aside(workspace: Path, chunk: str, report: Repair) -> None:
    for path in (workspace / "vault" / chunk[:2]).glob(f"{chunk}.*"):
        aside = workspace / "vault" / "damaged" / path.name
        aside.parent.mkdir(mode=0o700, exist_ok=True)
        path.rename(aside)
        report.kept.append(str(aside))


def _read_again(box: Toolbox, key: str, report: Repair) -> None:
    for source in list(box.store.list_sources()):
        if source.key.startswith(key):
            with box.store.transaction(actor=box.actor, at=box.now()) as tx:
                tx.put_source(msgspec.structs.replace(source, size=-1, mtime_ns=0, offset=0, state=b""))
            report.done.append(f"{source.path} will be read again by `diarist ingest`, if it is still there")


def _publish(box: Toolbox, record: Record, report: Repair) -> int:
    """Writes the files of a record that are not there, and removes those that should not be."""
    written = 0
    try:
        for each in published_files(box, record):
            if not each.is_wanted:
                box.publisher().remove(each.root, each.path)
            elif not each.file.exists():
                box.publisher().write(record, each.kind, each.root, each.path)
                written += 1
    except (DiaristError, ValueError) as error:
        report.lost.append(f"files of {record.id}: {error}")
    return written
