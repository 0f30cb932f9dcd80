"""After a rules update: whatever the workspace holds and the rules of today would mask is written anew.

The order makes it safe to interrupt: a mark says that a rescan is under way until everything is done, each step may be done
again to the same effect, and a text is rewritten before what was made from it. Evidence first, then records, entries made anew
from it, history, names of published files, the files, and in the end everything that could hold remains: free pages and log of
the database, the search index, temporary files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from diarist.app.distilling import distil_dirty, project_of
from diarist.app.evidence import main_info
from diarist.app.indexing import catch_up, rebuild
from diarist.app.leftovers import Leftovers
from diarist.app.masking import Masking
from diarist.app.publishing import free_name, publish_root
from diarist.app.records import entry_of, entry_record
from diarist.app.rescan_mark import Mark, clear_mark, load_mark, put_mark
from diarist.app.verifying import parts_of
from diarist.model.codec import seal, to_json
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import derived
from diarist.model.session import SessionInfo
from diarist.text.names import file_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from diarist.app.toolbox import Toolbox
    from diarist.model.record import HistoryEvent, Part
    from diarist.model.redacted import Redacted
    from diarist.ports import Transaction

ACTION = "rescan"
_PAGE = 500


class RescanReport(msgspec.Struct, frozen=True):
    """What a rescan did. All counts are 0 where the workspace was up to date."""

    rules_version: str
    current: bool = False
    """Nothing was looked at: these rules have seen everything already."""
    parts: int = 0
    """Parts of sessions whose evidence was rewritten."""
    records: int = 0
    """Entries, notes and other records that were rewritten."""
    payloads: int = 0
    """Earlier revisions whose text was taken out of history."""
    files: int = 0
    """Published and other files that were rewritten or renamed."""
    places: int = 0
    """Places newly masked, in evidence, records, history and files together; a text that is kept twice counts twice."""
    dropped: int = 0
    """Steps that could not be redacted and were left out."""


def rescan(box: Toolbox) -> RescanReport:
    """Brings the whole workspace under the present redaction rules. May be killed at any time and run again.

    Raises
    ------
    StoreLockedError, IndexUnavailableError
        Another process is at work; what was rewritten stays so, but remains may be left. Run it again.
    """
    return _Rescan(box, Masking(box.reader().redactor)).run()


def mask_everywhere(box: Toolbox, masking: Masking) -> RescanReport:
    """The same over everything there is, whatever was looked at before. Raises as `rescan` does."""
    return _Rescan(box, masking, forced=True).run()


class _Rescan:
    def __init__(self, box: Toolbox, masking: Masking, *, forced: bool = False) -> None:
        self._box = box
        self._forced = forced
        self._store = box.store
        self._reader = box.reader()
        self._version = self._reader.redactor.version
        self._masking = masking
        self._leftovers = Leftovers(box, self._masking)
        self._parts = self._records = self._payloads = 0
        self._renames: dict[str, Redacted] = {}
        self._doubtful: list[str] = []
        """Entries with evidence that hold something to mask: they are distilled anew, and looked at again."""

    def run(self) -> RescanReport:
        mark = load_mark(self._store)
        outdated = self._store.list_outdated(self._version)
        sessions = list(self._store.list_sessions()) if self._forced else outdated
        known = mark.seq if mark.done and mark.version == self._version else 0
        current = bool(known) and not outdated and self._store.last_seq() == known
        after = 0 if self._forced else known
        if after and not sessions and self._store.last_seq() == after:
            return RescanReport(self._version, current=True)
        self._forget_chunks(mark.chunks)
        with self._writing() as tx:
            put_mark(tx, Mark(version=self._version), self._box.now())
        last = self._store.last_seq()
        for agent, session in sessions:
            self._session(agent, session)
        for record in self._changed(after, last):
            self._record(record)
        self._records += distil_dirty(self._box, lambda _done, _total: None).updated
        self._settle()
        self._history(after)
        self._machinery()
        for record in self._changed(after, self._store.last_seq()):
            self._leftovers.record_files(record, self._cwd(record))
        self._leftovers.sweep(all_files=not after)
        report = self._report()
        interrupted = self._forced or (bool(mark.version) and not mark.done)
        if interrupted or report.places or report.parts or report.payloads or report.files:
            rebuild(self._store, self._box.search_index())
        if not after:
            self._leftovers.drop_cache()
        with self._writing() as tx:
            clear_mark(tx, self._version, self._box.now())
        if interrupted or report.places or report.parts or report.payloads:
            self._store.compact()
        with self._writing() as tx:
            looked = not self._forced or current
            put_mark(tx, Mark(version=self._version, done=True) if looked else Mark(), self._box.now())
        catch_up(self._store, self._box.search_index())
        return report

    def _report(self) -> RescanReport:
        masking = self._masking
        return RescanReport(
            self._version,
            parts=self._parts,
            records=self._records,
            payloads=self._payloads,
            files=self._leftovers.files,
            places=masking.places,
            dropped=masking.dropped,
        )

    # --- evidence ---------------------------------------------------------------------------------------------------------

    def _session(self, agent: str, session: str) -> None:
        """All parts of one session. Another process may add to them meanwhile: then once more."""
        while True:
            old = self._store.get_parts(agent, session)
            made = [self._masking.part(part, self._reader) for part in old]
            self._reader.vault.flush()
            if self._forced and not any(changed for _, changed in made):
                return
            with self._writing() as tx:
                if self._store.get_parts(agent, session) != old:
                    continue
                gone = self._put_parts(tx, old, made)
            self._forget_chunks(gone)
            self._parts += sum(changed for _, changed in made)
            return

    def _put_parts(self, tx: Transaction, old: Sequence[Part], made: Sequence[tuple[Part, bool]]) -> tuple[str, ...]:
        """Writes the parts in place of the old ones; returns chunks that are not needed any more."""
        gone = {chunk for part in old for chunk in part.chunks} - {chunk for part, _ in made for chunk in part.chunks}
        if not any(changed for _, changed in made):
            for part, _ in made:
                tx.put_part(part, changed=False)
            return ()
        parts = self._renamed(old, [part for part, _ in made])
        for before, after in zip(old, parts, strict=True):
            if (before.agent, before.session) != (after.agent, after.session):
                tx.delete_part(before.agent, before.session, before.key)
                tx.clear_dirty(before.agent, before.session)
            tx.put_part(after)
        self._rename_entry(tx, old, parts)
        if gone:
            put_mark(tx, Mark(version=self._version, chunks=tuple(sorted(gone))), self._box.now())
        return tuple(gone)

    def _renamed(self, old: Sequence[Part], made: Sequence[Part]) -> list[Part]:
        """The parts under their session's masked name; where another session has that name already, a number is added."""
        if not old or _names(old) == _names(made):
            return list(made)
        number, agent = 1, made[0].agent
        while True:
            tail = derived(f" ({number})" if number > 1 else "")
            parts = [_called(part, tail) for part in made]
            taken = self._store.get_parts(agent, parts[0].session)
            if not taken or parts[0].session == old[0].session:
                return parts
            number += 1

    def _rename_entry(self, tx: Transaction, old: Sequence[Part], made: Sequence[Part]) -> None:
        """The entry of a session whose facts were masked keeps its id, by being found under its new names, and its files."""
        before, after = main_info(old), main_info(made)
        where = RecordFilter(
            kinds=("entry",),
            agent=before.agent,
            session_id=before.session,
            task_id=before.task or before.session,
            project=before.project if before.task else None,
            include_inactive=True,
        )
        record = next(self._store.list_records(where, sort="id", limit=1), None)
        if before == after or record is None:
            return
        self._renames[f"{before.agent}:{before.session}"] = derived(f"{after.agent}:{after.session}")
        project = self._reader.redactor.redact(project_of(made))
        self._move_files(tx, record, before.cwd, project, after.cwd)
        if _own_names(before) != _own_names(after) or project != record.project:
            masked, search = self._masking.record(record, self._search(record))
            names = {"session_id": after.session, "task_id": after.task or after.session, "agent": after.agent, "project": project}
            entry = seal(msgspec.structs.replace(entry_of(masked), **names))
            made_record = entry_record(entry, trust=record.trust, at=self._box.now())
            self._rewrite(tx, msgspec.structs.replace(made_record, status=record.status), search)

    def _move_files(self, tx: Transaction, record: Record, cwd: str, project: Redacted, new_cwd: str) -> None:
        """A masked project or working directory may mean another place to publish to: what lies at the old one goes there."""
        places = file_name(record.project), file_name(project)
        roots = publish_root(self._box, record.project, cwd), publish_root(self._box, project, new_cwd)
        for kind, path in self._store.list_publications(record.id) if places[0] != places[1] or roots[0] != roots[1] else ():
            name = path.removeprefix(f"{places[0]}/")
            self._leftovers.move(record, kind, (roots[0], name), (roots[1], name))
            tx.move_publication(record.id, kind, f"{places[1]}/{name}")

    def _forget_chunks(self, chunks: Sequence[str]) -> None:
        """Deletes chunks that no part names any more."""
        if chunks:
            named = self._store.find_named_chunks(chunks)
            for chunk in chunks:
                if chunk not in named:
                    self._reader.vault.delete(chunk)
            self._reader.vault.flush()

    # --- records and history ----------------------------------------------------------------------------------------------

    def _changed(self, after: int, last: int) -> Iterator[Record]:
        """Records whose newest change is one of these."""
        while after < last:
            changes = self._store.get_changes(after, _PAGE)
            if not changes:
                return
            found = self._store.get_records([change.seq for change in changes])
            yield from (record for seq, record in found.items() if record.seq == seq <= last)
            after = changes[-1].seq

    def _record(self, record: Record) -> None:
        masked, search = self._masking.record(record, old := self._search(record))
        if masked == record and search == old:
            return
        with self._writing() as tx:
            parts = parts_of(self._box, entry_of(record)) if record.kind == "entry" else []
            if not parts:
                self._rewrite(tx, masked, search)
                return
            if masked.project != record.project:
                self._move_files(tx, record, main_info(parts).cwd, masked.project, main_info(parts).cwd)
            tx.put_part(parts[0])
            self._doubtful.append(record.id)

    def _settle(self) -> None:
        """Entries that evidence alone did not mend, as where a session gives no entry any more."""
        for record_id in self._doubtful:
            record = self._store.get_record(record_id)
            if record is not None:
                masked, search = self._masking.record(record, old := self._search(record))
                if masked != record or search != old:
                    with self._writing() as tx:
                        self._rewrite(tx, masked, search)

    def _rewrite(self, tx: Transaction, record: Record, search: SearchText) -> None:
        tx.put_record(msgspec.structs.replace(record, updated_at=self._box.now()), search, action=ACTION, rewrite=True)
        self._records += 1

    def _search(self, record: Record) -> SearchText:
        return self._store.get_search_text(record.id) or SearchText()

    def _history(self, after: int) -> None:
        """Earlier revisions: what they say that would be masked today is taken out, with the names that were made from it."""
        found: dict[str, list[int]] = {}
        for event in self._store.get_history(after=after):
            revision = self._masking.revision(event)
            if revision is not None and revision[0] != revision[1]:
                found.setdefault(event.record_id, []).append(event.seq)
        for record_id, seqs in found.items():
            record = self._store.get_record(record_id)
            if record is None:
                continue
            events = [event for event in self._store.get_history(record_id) if event.seq in seqs]
            root, place = publish_root(self._box, record.project, self._cwd(record)), file_name(record.project)
            moved = self._moved(record, events)
            for kind, old, new in moved:
                self._leftovers.move(record, kind, (root, old), (root, new))
            with self._writing() as tx:
                self._payloads += tx.forget_payloads(record_id, seqs)
                for kind, _, new in moved:
                    tx.move_publication(record_id, kind, f"{place}/{new}")

    def _moved(self, record: Record, events: Iterable[HistoryEvent]) -> list[tuple[str, str, str]]:
        """(kind, name, new name) of files whose name, below the publish root, was made from a text that is masked now."""
        plan = self._box.publisher().plan
        told = [(dict(plan(old)), dict(plan(new))) for old, new in filter(None, map(self._masking.again().revision, events)) if old.body]
        place = file_name(record.project)
        moved = []
        for kind, path in self._store.list_publications(record.id):
            name = path.removeprefix(f"{place}/")
            stem = name.rpartition(".")[0].removesuffix(f"~{record.id}")
            renamed = [new[kind] for old, new in told if kind in old and old[kind].rpartition(".")[0] == stem and new[kind] != old[kind]]
            if renamed:
                wanted = dict(plan(record)).get(kind, renamed[-1])
                moved.append((kind, name, free_name(self._box, record, kind, place, wanted).removeprefix(f"{place}/")))
        return moved

    def _cwd(self, record: Record) -> str:
        parts = parts_of(self._box, entry_of(record)) if record.kind == "entry" else []
        return main_info(parts).cwd if parts else ""

    # --- the rest of the database -----------------------------------------------------------------------------------------

    def _machinery(self) -> None:
        """Paths of sources and the sessions they held, sessions in the usefulness ledger, problems of deliveries."""
        for source in self._store.list_sources():
            sessions = tuple(self._renames.get(name) or self._masking.text(name) for name in source.sessions)
            changed = msgspec.structs.replace(
                source, path=self._masking.text(source.path), sessions=sessions, problem=self._masking.text(source.problem)
            )
            if changed != source:
                with self._writing() as tx:
                    tx.put_source(changed)
        for session in self._store.list_use_sessions():
            name = self._masking.text(session)
            if name != session:
                with self._writing() as tx:
                    tx.rename_use_session(session, name)
        self._leftovers.deliveries()

    def _writing(self) -> AbstractContextManager[Transaction]:
        return self._store.transaction(actor=self._box.actor, at=self._box.now())


def _names(parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [(part.agent, _session_of(part)) for part in parts]


def _session_of(part: Part) -> str:
    info = msgspec.json.decode(part.info, type=SessionInfo)
    return f"task:{info.project}/{info.task}" if part.role == "text" else info.session


def _own_names(info: SessionInfo) -> tuple[str, ...]:
    return info.agent, info.session, info.task, info.project


def _called(part: Part, tail: str) -> Part:
    """The part under the names its own facts give, `tail` added to tell sessions apart whose names were masked alike."""
    info = msgspec.json.decode(part.info, type=SessionInfo)
    info = msgspec.structs.replace(info, session=info.session + tail, task=info.task + tail if info.task else "")
    made = msgspec.structs.replace(part, info=to_json(info))
    return msgspec.structs.replace(made, session=_session_of(made))
