"""`Memory`, the façade: everything a surface can ask for, one verb each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from diarist.app.amend_verbs import AmendVerbs
from diarist.app.hub_verbs import HubVerbs
from diarist.app.job_verbs import JobVerbs
from diarist.app.learning import Learning
from diarist.app.moving_verbs import MovingVerbs
from diarist.app.search_verbs import SearchVerbs
from diarist.app.trust_verbs import TrustVerbs
from diarist.app.use_verbs import UseVerbs
from diarist.errors import AmbiguousIdError, IndexUnavailableError, NotFoundError, StoreFullError

if TYPE_CHECKING:
    from threading import Event

    from diarist.app.batches import Added
    from diarist.app.crew import Crew
    from diarist.app.distilling import Changed
    from diarist.app.editing import Wish
    from diarist.app.explaining import Explanation
    from diarist.app.exporting import Exported
    from diarist.app.fixes import Solved
    from diarist.app.graph import Neighbour
    from diarist.app.hosting import Recorded
    from diarist.app.ingest import IngestOptions, IngestReport, OnProgress
    from diarist.app.reflecting import Preview
    from diarist.app.rescanning import RescanReport
    from diarist.app.review import Filed
    from diarist.app.syncing import SyncReport
    from diarist.app.verifying import Verification
    from diarist.model.entry import Entry
    from diarist.model.hit import ContextPack
    from diarist.model.record import Record, RecordFilter
    from diarist.model.use import Scope


class Memory(Learning, MovingVerbs, HubVerbs, JobVerbs, TrustVerbs, SearchVerbs, UseVerbs, AmendVerbs):
    """A workspace, open. Use it as a context manager; made by `diarist.open_memory`.

    Times are aware UTC datetimes. Whatever takes an id also takes a task id or a unique prefix of either.
    `project=None` means every project.
    """

    crew: Crew | None = None
    """Processes that distil what is handed in many at a time; None: it is done here. A server's workspaces share them."""

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Brings the index up to date with what was written, if it can, and lets go of all files."""
        if self._stale:
            self._catch_up()
            with suppress(IndexUnavailableError, StoreFullError):  # then there is nothing to close
                self._box.search_index().close()
        self._box.store.close()

    # --- writing ----------------------------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[str | Path] = (),
        options: IngestOptions | None = None,
        *,
        stdin: bytes | None = None,
        on_progress: OnProgress | None = None,
    ) -> IngestReport:
        """Imports transcripts: files and folders. See `app.ingest`; `.entries` were made or changed, in file order."""
        from diarist.app.ingest import Ingest, IngestOptions, check_paths

        self._writable()
        run = Ingest(self._box, options or IngestOptions(), on_progress)
        report = run.run(check_paths([str(path) for path in paths]), stdin)
        if not (options and options.dry_run):
            self._afterwards(report.entries)
            self._stale = True  # also where nothing changed: the run before may have died before the index was brought up to date
        return report

    def watch(
        self, paths: Sequence[str | Path], options: IngestOptions, on_report: Callable[[IngestReport], None], stop: Event | None = None
    ) -> None:
        """Imports what is there and then whatever changes, until `stop` is set or Ctrl-C; see `app.watching`."""
        from threading import Event

        from diarist.app.ingest import check_paths
        from diarist.app.watching import watch

        def take(paths: Sequence[Path], options: IngestOptions) -> IngestReport:
            report = self.ingest(paths, options)
            self._catch_up()  # this process stays open: other ones search meanwhile
            return report

        self._writable()
        watch(check_paths([str(path) for path in paths]), take, options, on_report, stop or Event())

    def explain(self, path: Path, data: bytes | None = None) -> Explanation:
        """How a file would be understood; nothing is kept. With `data`, `path` only names it. Raises InvalidInputError."""
        from diarist.app.explaining import explain

        return explain(self._box, path, data)

    def find_sessions(self) -> dict[str, list[Path]]:
        """Folders of every supported agent that exist on this machine, by agent."""
        found = {}
        for importer in self._box.importers():
            roots = [root for root in importer.default_roots(self._box.environ, self._box.settings.home) if root.exists()]
            if roots:
                found[importer.name] = roots
        return found

    def add_entry(
        self,
        *,
        task_id: str,
        transcript: str,
        agent: str = "agent",
        project: str = "",
        created_at: datetime | None = None,
        host: dict[str, Any] | None = None,
        by_agent: bool = False,
    ) -> Entry:
        """Distils one transcript (plain text or JSON lines) under a host's task id; the same task id again replaces the entry.

        `by_agent`: the caller is an agent itself, not the host that drives it; surfaces know, a transcript does not.

        Raises
        ------
        InvalidInputError
            Blank task id, naive time, or a transcript that says nothing.
        """
        from diarist.app.hosting import add_entry

        self._writable()
        at = created_at or self._box.now()
        self._stale = True
        told = {"task_id": task_id, "transcript": transcript, "agent": agent, "project": project}
        return add_entry(self._box, **told, created_at=at, host=host, trust="agent" if by_agent else "host")

    def add_entries(self, runs: Sequence[Mapping[str, Any]], *, by_agent: bool = False) -> list[Added]:
        """`add_entry` for many at once, each told as its keyword arguments: one transaction for all of them.

        One answer for each, in order: its `id` and `outcome`, or the `problem` with it; the others are kept all the same.
        """
        from diarist.app.batches import add_entries

        self._writable()
        self._stale = True
        return add_entries(self._box, runs, trust="agent" if by_agent else "host", crew=self.crew)

    def record(self, **run: Any) -> Recorded:
        """The host-facing call at a run's end: `add_entry` with the same arguments, then reflection and hub. Never raises.

        A diary that cannot be written must not fail the task that was done: what went wrong is in the result and the log.
        """
        from diarist.app.hosting import record

        done: Recorded = record(self._box, run, self._afterwards if not self._read_only else None)
        self._stale = self._stale or done.recorded
        return done

    def reflect(self, wanted: Sequence[str]) -> dict[str, int]:
        """Asks the configured model about these entries, under the daily cap; counts of what came of it."""
        from diarist.app.reflecting import reflect_on

        self._writable()
        self._stale = True
        return reflect_on(self._box, [self.get_entry(each) for each in wanted])

    def preview_reflections(self, wanted: Sequence[str]) -> list[Preview]:
        """What `reflect` would send for these entries, and its size."""
        from diarist.app.reflecting import preview

        return preview([self.get_entry(each) for each in wanted])

    def deliver(self) -> dict[str, int]:
        """Sends the hub documents that are due; counts of what came of it."""
        from diarist.app.delivering import deliver_due

        self._writable()
        return deliver_due(self._box)

    def add_note(
        self,
        *,
        title: str,
        body: str,
        tags: Sequence[str] = (),
        project: str = "",
        created_at: datetime | None = None,
        note_id: str | None = None,
        workflow: str = "",
        agent: str = "",
    ) -> Record:
        """Adds a curated hub document; `.id` is its id. With `note_id`: replaces that one.

        `workflow`: what it was noted on, so that the workflow's trail shows it. `agent`: the agent that noted it, if it was one.
        """
        from diarist.app.hosting import NewNote, add_note

        self._writable()
        self._stale = True
        return add_note(self._box, NewNote(title, body, tuple(tags), project, created_at, note_id, workflow, agent))

    def add_notes(self, notes: Sequence[Mapping[str, Any]]) -> list[Added]:
        """`add_note` for many at once, each told as its keyword arguments. Answers as `add_entries` does."""
        from diarist.app.batches import add_notes

        self._writable()
        self._stale = True
        return add_notes(self._box, notes)

    def edit_note(self, wanted: str, *, body: str, title: str | None = None, tags: Sequence[str] | None = None) -> Record:
        """Replaces the text of a note. Raises NotFoundError, AmbiguousIdError."""
        from diarist.app.hosting import edit_note

        self._writable()
        self._stale = True
        return edit_note(self._box, self.get(wanted, ("note",)), body=body, title=title, tags=tags)

    def init_project(self, checkout: Path, project: str) -> Path:
        """Makes the checkout's `.diarist/`, where this project's files are published from now on; returns it."""
        from diarist.app.publishing import register_checkout

        self._writable()
        folder = checkout / ".diarist"
        folder.mkdir(exist_ok=True)
        register_checkout(self._box, self._box.reader().redactor.redact(project), checkout)
        return folder

    def redistil(self, *, jobs: int = 1, on_progress: Callable[[int, int], None] | None = None) -> Changed:
        """Distils every session anew from its evidence. Ids stay; unchanged entries are left alone. Returns counts.

        jobs: processes to work with; 0: as many as `ingest.jobs` says. on_progress: is told how many sessions are done, of how many.
        """
        from diarist.app.distilling import distil_all
        from diarist.app.ingest import jobs_of
        from diarist.app.workers import telling_with

        self._writable()
        self._stale = True
        with telling_with(jobs or jobs_of(self._box.settings), self._box.make_reader) as tell_all:
            return distil_all(self._box, on_progress or (lambda _done, _total: None), tell_all)

    def rescan(self) -> RescanReport:
        """After a change of redaction rules: rewrites everything kept that they would mask; see `app.rescanning`."""
        from diarist.app.rescanning import rescan

        self._writable()
        return rescan(self._box)

    def rebuild_index(self) -> int:
        """Makes the search index anew from the store; returns how many records it holds."""
        from diarist.app.recall import rebuild

        self._writable()
        return rebuild(self._box.store, self._box.search_index())

    def sync(self, root: Path, project: str = "", *, dry_run: bool = False) -> SyncReport:
        """Takes over published diaries of others: Bernstein's `.sdd`, or a `.diarist` folder. Writes accepted skills beside it."""
        from diarist.app.skills import write_missing
        from diarist.app.syncing import sync_tree

        if dry_run:
            return sync_tree(self._box, root, project, dry_run=True)
        self._writable()
        report = sync_tree(self._box, root, project)
        write_missing(self._box, project, str(root.parent))
        self._stale = self._stale or bool(report.added or report.updated)
        return report

    # --- reading ----------------------------------------------------------------------------------------------------------

    def list_records(self, where: RecordFilter, *, sort: str = "-created_at", limit: int | None = None) -> Iterator[Record]:
        """Records that pass the filter, sorted; see `ports.Store.list_records`."""
        return self._box.store.list_records(where, sort=sort, limit=limit)

    def get(self, wanted: str, kinds: Sequence[str] = ()) -> Record:
        """The record with this id, task id or unique prefix.

        Raises
        ------
        NotFoundError, AmbiguousIdError
        """
        ids = self._box.store.find_ids(wanted, kinds)
        if len(ids) > 1:
            raise AmbiguousIdError(wanted, ids)
        record = self._box.store.get_record(ids[0]) if ids else None
        if record is None:
            raise NotFoundError(f"nothing has the id or task id {wanted!r}. `diarist diary list` shows what there is.")
        return record

    def get_entry(self, wanted: str) -> Entry:
        """The diary entry with this id, task id or unique prefix. Raises as `get` does."""
        from diarist.app.records import entry_of

        return entry_of(self.get(wanted, ("entry",)))

    def verify(self, wanted: str, transcript: str | None = None) -> Verification:
        """Checks an entry against its own hash, its evidence and, if given, the plain transcript."""
        from diarist.app.verifying import verify_entry

        return verify_entry(self._box, self.get_entry(wanted), transcript)

    def verify_file(self, path: Path, transcript: str | None = None) -> Verification:
        """Checks a published diary file against its own hash and the evidence of this workspace."""
        from diarist.app.verifying import verify_published

        return verify_published(self._box, path, transcript)

    def transcript(self, wanted: str) -> str:
        """The redacted transcript an entry was made from: JSON lines of steps, or plain text. Raises NotFoundError without one."""
        from diarist.app.evidence import Evidence
        from diarist.app.verifying import parts_of

        entry = self.get_entry(wanted)
        parts = parts_of(self._box, entry)
        if not parts:
            raise NotFoundError(f"{entry.id} came without a transcript")
        return Evidence(parts, self._box.reader()).text()

    def render(self, wanted: str, kind: str = "hub") -> str:
        """A record's published projection ("hub": Markdown, "diary": JSON) as text. Raises as `get` does."""
        return self._box.publisher().render(self.get(wanted, ("entry",)), kind).decode()

    def export(
        self, where: RecordFilter, form: str = "jsonl", *, of: str = "entries", wanted: Sequence[str] | None = None
    ) -> Iterator[bytes]:
        """Pieces of one stream: entries that pass the filter (or those `wanted`), or with `of` "sessions" what they were made from.

        `form`: jsonl or markdown, for sessions also atif or otel. Sorted by id: the same content gives the same bytes. Raises
        UsageError; for what is wanted as `get` does.
        """
        from diarist.app.exporting import joined

        return joined(self.export_each(where, form, of=of, wanted=wanted))

    def export_each(
        self, where: RecordFilter, form: str, *, of: str = "entries", wanted: Sequence[str] | None = None
    ) -> Iterator[Exported]:
        """The same, each by itself with a name for a file of its own."""
        from diarist.app.exporting import export_each

        records = self.list_records(where, sort="id") if wanted is None else [self.get(each, ("entry",)) for each in wanted]
        return export_each(self._box, records, form, of)

    def doctor(self) -> dict[str, Any]:
        """`counts` of what the workspace holds and `faults`, one line each."""
        from diarist.app.doctor import examine

        return examine(self._box)

    # --- in the agent's loop ----------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Is it working? Last event of each client, backlog, last entry, last errors; see `app.status`."""
        from diarist.app.status import full_status

        return full_status(self._box)

    def brief(self, kind: str, asked: str, *, project: str, cwd: str = "") -> ContextPack:
        """What a hook tells an agent unasked: kind start, prompt or tool (a command that failed). See `app.briefing`."""
        from diarist.app.briefing import brief

        return brief(self._box, kind, asked, project=project, cwd=cwd)

    def find_fixes(self, error: str, *, project: str | None = None, limit: int = 5) -> list[Solved]:
        """Runs that solved an error like those in the text, best first, with what solved it."""
        from diarist.app.fixes import find_fixes

        return find_fixes(self._box, error, project=project, limit=limit)

    def propose_edit(self, wish: Wish, wanted: str | None = None) -> Filed:
        """Files a proposal to add a document, or to change the one `wanted` names; see `app.editing`. Raises as `get` does."""
        from diarist.app.editing import propose_edit

        self._writable()
        return propose_edit(self._box, wish, None if wanted is None else self.get(wanted))

    def neighbours(self, wanted: str) -> list[Neighbour]:
        """What a record is related to, one step away: see `app.graph`. Raises as `get` does."""
        from diarist.app.graph import neighbours

        if self._stale:
            self._catch_up()
        with suppress(IndexUnavailableError):
            return neighbours(self._box.store, self.get(wanted), self._box.search_index())
        return neighbours(self._box.store, self.get(wanted))

    def may_capture(self, session: str, cwd: str) -> bool:
        """False for a session, project or folder that the user keeps out of Diarist."""
        from diarist.app.consent import may_capture

        return may_capture(self._box.settings, session, cwd)

    def scopes(self) -> list[Scope]:
        """Active records counted by project, kind and agent."""
        return self._box.store.list_scopes()

    # --- inner ------------------------------------------------------------------------------------------------------------

    def _afterwards(self, entries: Sequence[Entry]) -> None:
        """What follows a write: bounds are kept; where it is switched on, a model's reflection, and documents for a hub."""
        from diarist.app.delivering import deliver_due
        from diarist.app.observing import sweep
        from diarist.app.reflecting import reflect_on, reflection_wanted

        for project in sorted({entry.project for entry in entries}):
            sweep(self._box, project)
        if entries and reflection_wanted(self._box):
            reflect_on(self._box, entries)
        deliver_due(self._box)

    def _catch_up(self) -> None:
        from diarist.app.embedding import wake_to_embed
        from diarist.app.linking import relate_since
        from diarist.app.recall import catch_up

        self._stale = False
        # Where another process is writing it, or it is damaged, the next search brings it up to date or says so.
        with suppress(IndexUnavailableError, StoreFullError):
            known = self._box.search_index().position()
            catch_up(self._box.store, self._box.search_index())
            relate_since(self._box, known)
        wake_to_embed(self._box)
