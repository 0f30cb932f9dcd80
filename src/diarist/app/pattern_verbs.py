"""The façade's verbs for patterns, skills and namespaced memory; `Memory` inherits them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diarist.app.legacy_records import Migrated
    from diarist.app.memories import Forgotten, Item, Past, Predicate
    from diarist.app.memory_log import LogReport
    from diarist.app.mining import Curated
    from diarist.app.observing import Observed
    from diarist.app.review import Filed
    from diarist.app.skill_use import SkillMatch
    from diarist.app.skills import SkillState
    from diarist.app.toolbox import Toolbox
    from diarist.model.memory_item import MemoryItem, Recalled, RecallMode, SpaceOptions, Summary
    from diarist.model.observation import LearningState
    from diarist.model.proposal import Proposal
    from diarist.model.skill import AcceptedSkill
    from diarist.ports import Embedder


class PatternVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox
    _read_only: bool
    _stale: bool

    def _writable(self) -> None:
        raise NotImplementedError

    # --- patterns ---------------------------------------------------------------------------------------------------------

    def observe(self, **run: Any) -> Observed:
        """Keeps what a host tells of an ended run: session_id, prompt, tools, observed_at, outcome, project, run_id. Never raises.

        See `app.observing.Told`; the result says what was done.
        """
        from diarist.app.migrating import ensure_migrated
        from diarist.app.observing import Observed, Told, observe

        if self._read_only:
            return Observed(False, unavailable=True, why="this workspace was opened for reading only")
        try:
            told = Told(**run)
        except TypeError as error:
            return Observed(False, unavailable=True, why=str(error))
        ensure_migrated(self._box, told.project)
        return observe(self._box, told)

    def mine_patterns(
        self,
        *,
        now: datetime | None = None,
        window_days: float = 14,
        support: int = 3,
        project: str | None = None,
        write: bool = True,
        cwd: str = "",
    ) -> list[Proposal]:
        """Looks for what the runs of the last `window_days` had in common and files it for review; what is pending then.

        `support`: distinct sessions a habit needs. `project=None`: each project for itself. Writes nothing with `write=False` or in
        a workspace opened for reading. Skills that stopped helping get a retirement proposal. Raises UsageError for numbers
        that make no sense.
        """
        from diarist.app.learning_round import LearningRound

        wanted = LearningRound(now or self._box.now(), window_days, support, write and not self._read_only)
        return wanted.run(self._box, project, cwd)

    def propose_skill(self, told: Curated) -> Filed:
        """Files a skill that a model or a person wrote, with the records it rests on. Raises InvalidInputError, UsageError."""
        from diarist.app.migrating import ensure_migrated
        from diarist.app.mining import propose_skill

        self._writable()
        ensure_migrated(self._box, told.project)
        return propose_skill(self._box, told)

    def objections(self, wanted: str) -> list[str]:
        """Why a skill proposal cannot be accepted as it is; empty when it can. Raises NotFoundError, AmbiguousIdError."""
        from diarist.app.admission import objections
        from diarist.app.review import get_proposal

        return objections(self._box, get_proposal(self._box.store, wanted))

    def skill_difference(self, wanted: str) -> str:
        """What a skill proposal would change in the accepted skill of its name, as a unified diff; empty where there is none.

        Raises NotFoundError, AmbiguousIdError.
        """
        from diarist.app.review import get_proposal
        from diarist.app.skills import difference

        return difference(self._box, get_proposal(self._box.store, wanted))

    def learning(self, project: str = "") -> LearningState:
        """Whether a project learns patterns."""
        from diarist.app.observing import learning_state

        return learning_state(self._box.store, self._box.reader().redactor.redact(project))

    def set_learning(self, enabled: bool, project: str = "") -> LearningState:
        """Switches pattern learning of a project on or off: ingest, observe and mine honour it."""
        from diarist.app.migrating import ensure_migrated
        from diarist.app.observing import set_learning

        self._writable()
        ensure_migrated(self._box, project)
        return set_learning(self._box, project, enabled)

    # --- skills -----------------------------------------------------------------------------------------------------------

    def accept_skill(
        self, wanted: str, *, overwrite: bool | None = None, seen: str | None = None, why: str = "", cwd: str = ""
    ) -> Proposal:
        """Accepts a skill proposal. `overwrite`: what to do with files in the way: True writes over them, False leaves them.

        Raises NotFoundError, AmbiguousIdError, ReviewError (naming every reason), StaleReviewError.
        """
        from diarist.app.review import Ruling, decide_proposal, get_proposal
        from diarist.app.skills import SkillEffect

        self._writable()
        self._stale = True
        proposal = get_proposal(self._box.store, wanted)
        ruling = Ruling("accept", self._box.now(), seen=seen, why=why)
        return decide_proposal(self._box, proposal, ruling, SkillEffect(cwd=cwd, overwrite=overwrite))

    def skills(self, project: str | None = None, *, cwd: str = "") -> list[SkillState]:
        """Accepted skills: accepted, edited, missing, foreign, shadowed or outdated, and what later runs did with them."""
        from diarist.app.skills import skill_states

        return skill_states(self._box, project, cwd)

    def get_skill(self, name: str, project: str | None = None) -> AcceptedSkill:
        """The accepted skill of this name. Raises NotFoundError."""
        from diarist.app.skill_records import get_skill

        return get_skill(self._box.store, name, project)[1]

    def match_skills(self, request: str, project: str | None = None, limit: int = 3) -> list[SkillMatch]:
        """Accepted skills that a request is about, best first; mostly none."""
        from diarist.app.skill_records import list_skills
        from diarist.app.skill_use import match_skills

        return match_skills([(record.id, skill) for record, skill in list_skills(self._box.store, project)], request, limit)

    def write_skills(self, project: str | None = None, *, cwd: str = "") -> list[str]:
        """Writes accepted skills whose files are missing in their checkout; names of the files written."""
        from diarist.app.skills import write_missing

        self._writable()
        return write_missing(self._box, project, cwd)

    def retire_skill(self, name: str, project: str | None = None, *, why: str = "") -> Proposal:
        """Files that a skill should go; a person decides. Raises NotFoundError."""
        from diarist.app.skills import retire

        self._writable()
        return retire(self._box, name, project, why=why, at=self._box.now())

    # --- namespaced memory ------------------------------------------------------------------------------------------------

    def memory_open(self, namespace: str, options: SpaceOptions, *, project: str = "") -> SpaceOptions:
        """Sets how a namespace recalls and how much it keeps. Raises InvalidInputError, UsageError."""
        from diarist.app.memories import open_space

        self._writable()
        return open_space(self._box, namespace, options, project)

    def memory_store(self, namespace: str, item: Item, *, project: str = "") -> MemoryItem:
        """Stores an item; the same id again replaces it. Raises InvalidInputError."""
        from diarist.app.memories import store_item

        self._writable()
        self._stale = True
        return store_item(self._box, namespace, item, project)

    def memory_recall(
        self,
        namespace: str,
        query: str,
        k: int = 5,
        *,
        project: str = "",
        mode: RecallMode | None = None,
        embedder: Embedder | None = None,
    ) -> Recalled:
        """The items that fit a query, best first; see `app.memories.recall_items`. Raises InvalidInputError, UsageError."""
        from diarist.app.memories import recall_items

        return recall_items(self._box, namespace, query, k, project, mode=mode, embedder=embedder)

    def memory_summarize(self, namespace: str, *, project: str = "", since: datetime | None = None, limit: int = 20) -> Summary:
        """The newest items in a few lines of their own words. Raises InvalidInputError, UsageError."""
        from diarist.app.memories import summarize

        return summarize(self._box, namespace, project, since=since, limit=limit)

    def memory_update(self, namespace: str, item_id: str, patch: Mapping[str, Any], *, project: str = "") -> MemoryItem:
        """Overlays fields of an item; history keeps what it was. Raises NotFoundError, InvalidInputError."""
        from diarist.app.memories import update_item

        self._writable()
        self._stale = True
        return update_item(self._box, namespace, item_id, patch, project)

    def memory_forget(self, namespace: str, predicate: Predicate, *, project: str = "") -> Forgotten:
        """Retracts what fits a predicate; history keeps it. Raises UsageError, InvalidInputError."""
        from diarist.app.memories import forget

        self._writable()
        self._stale = True
        return forget(self._box, namespace, predicate, project)

    def memory_history(self, namespace: str, item_id: str, *, project: str = "") -> list[Past]:
        """What an item was, oldest first, forgotten or not. Raises NotFoundError where it never was, or was erased."""
        from diarist.app.memories import item_history

        return item_history(self._box, namespace, item_id, project)

    def memory_list(self, namespace: str, *, project: str = "", active: bool = True) -> list[MemoryItem]:
        """Items of a namespace, oldest first. Raises InvalidInputError."""
        from diarist.app.memories import list_items, space_of

        scope = self._box.reader().redactor.redact(project)
        return list(list_items(self._box.store, space_of(self._box, namespace), scope, active=active))

    def import_memory(self, path: Path, namespace: str, *, project: str = "", dry_run: bool = False) -> LogReport:
        """Takes Harn's `events.jsonl` over; a second time adds nothing. Raises InvalidInputError.

        Records of pattern learning become observations, proposals and state here, where the project learns.
        """
        from diarist.app.memory_log import import_log
        from diarist.app.migrating import absorb_records
        from diarist.model.observation import NAMESPACE

        self._writable()
        self._stale = True
        report = import_log(self._box, path, namespace, project, dry_run=dry_run)
        if namespace == NAMESPACE and not dry_run and self.learning(project).enabled:
            report.problems += absorb_records(self._box, project).problems
        return report

    def export_memory(self, namespace: str, *, project: str = "") -> Iterator[bytes]:
        """A namespace as lines of `events.jsonl`; that of pattern learning with its records in Harn's form."""
        from diarist.app.memory_log import export_log
        from diarist.app.projecting import project_events
        from diarist.model.observation import NAMESPACE, SCHEMA

        patterns = namespace == NAMESPACE
        if patterns:
            yield from project_events(self._box, self._box.reader().redactor.redact(project), namespace)
        yield from export_log(self._box, namespace, project, SCHEMA if patterns else None)

    def write_memory_log(self, namespace: str, root: Path, *, project: str = "") -> Path:
        """Writes what `export_memory` gives to `<root>/memory/<namespace>/events.jsonl`, atomically. The workspace stays as it is.

        Raises InvalidInputError where the log there holds more than is known here, StoreFullError where it cannot be written.
        """
        from diarist.app.memory_log import write_log

        return write_log(self._box, root, namespace, list(self.export_memory(namespace, project=project)))

    # --- migration --------------------------------------------------------------------------------------------------------

    def migrate_burin(self, checkout: Path, project: str = "", *, dry_run: bool = False, harn_root: Path | None = None) -> Migrated:
        """Takes a checkout's legacy Burin stores over, once; see `app.migrating`."""
        from diarist.app.migrating import migrate_burin

        self._writable()
        return migrate_burin(self._box, checkout, project, dry_run=dry_run, harn_root=harn_root)

    def migrate_session_store(self, path: Path, project: str = "", *, tenant: str = "", dry_run: bool = False) -> Migrated:
        """Observations of the eligible runs of one tenant in a Harn `session-store.sqlite`. Raises InvalidInputError."""
        from diarist.app.migrating import migrate_session_store

        self._writable()
        return migrate_session_store(self._box, path, project, tenant=tenant, dry_run=dry_run)
