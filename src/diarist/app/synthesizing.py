"""Reads the entries of a window and finds their themes. Writes nothing; drafts and approvals are in `app.drafts`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.review import GROWTH, list_proposals
from diarist.app.spilling import SpilledItems
from diarist.errors import UsageError
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived
from diarist.model.theme import Parameters, Report, Skipped
from diarist.stages.gist import gist_of_entry, read_gist
from diarist.stages.synthesis import Ancestor, Intake, Item, Request, check, synthesize, without
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.gist import Gist
    from diarist.model.proposal import Proposal
    from diarist.ports import Scratch

BACKGROUND = 1000
"""Entries that rarity is judged by at least, where there are so many: older ones join in where a window holds few."""
INSTANT = timedelta(microseconds=1)
"""The shortest time there is here: a window that ends at `now` holds what happened at that very time."""


class Findings(NamedTuple):
    """A report, and the record digest of every entry that stands in its themes, as it was read."""

    report: Report
    versions: dict[str, str]


def find_themes(box: Toolbox, parameters: Parameters, now: datetime) -> Findings:
    """Themes of the entries of the last `parameters.since`, up to `now` and including it.

    Themes that were rejected are left out until their evidence has materially changed.

    Raises
    ------
    UsageError
        A parameter makes no sense.
    """
    check(parameters.threshold, parameters.min_cluster_size)
    span = parse_duration(parameters.since)
    try:
        start, before = now - span, now - 2 * span
    except OverflowError as error:
        raise UsageError(f"{parameters.since!r} reaches back before the calendar begins") from error
    with _without_collector():
        return _find(box, parameters, before, start, now)


def _find(box: Toolbox, parameters: Parameters, before: datetime, start: datetime, now: datetime) -> Findings:
    known = _known_themes(box, parameters.project)
    with closing(_Reader(box, parameters.project)) as reader:
        items = reader.read(start, now + INSTANT)
        earlier = reader.read(before, start)
        background = reader.read_back(before, BACKGROUND - len(items) - len(earlier))
        report = synthesize(
            reader.intake,
            items,
            earlier,
            Request(
                parameters,
                start,
                now,
                background=background,
                ancestors=[Ancestor(each.key, frozenset(each.evidence)) for each in known if not _is_error(each.key)],
                skipped=[*reader.skipped, *_bad_sources(box, items, parameters.project)],
            ),
        )
        told = {each for theme in (*report.themes, *report.errors) for each in theme.entries}
        versions = {item.id: item.digest for item in items if item.id in told}
    return Findings(without(report, _rejected(report, known)), versions)


class _Reader:
    """Takes entries in, oldest first, so that numbering and wordings follow from the entries alone."""

    def __init__(self, box: Toolbox, project: str | None) -> None:
        self._store = box.store
        self._project = project
        self._scratch = box.scratch
        self._spill = box.settings.get("synthesis.spill")
        self._spilled: list[Scratch] = []
        self.intake = Intake()
        self.skipped: list[Skipped] = []

    def close(self) -> None:
        """Lets go of what lies in temporary files."""
        for rows in self._spilled:
            rows.close()

    def read(self, since: datetime, before: datetime) -> Sequence[Item]:
        where = RecordFilter(kinds=("entry",), project=self._project, since=since, before=before)
        if not self._is_huge(where):
            return list(self._take(where, "created_at", None))
        self._spilled.append(self._scratch())
        items = SpilledItems(self._spilled[-1])
        for item in self._take(where, "created_at", None):
            items.put(item)
        items.settle()
        return items

    def _is_huge(self, where: RecordFilter) -> bool:
        """There are no more records than there were changes, which is known without counting."""
        return bool(self._spill) and self._store.last_seq() >= self._spill and self._store.count_records(where) >= self._spill

    def read_back(self, before: datetime, most: int) -> list[Item]:
        """The newest ones before that time."""
        if most <= 0:
            return []
        return list(self._take(RecordFilter(kinds=("entry",), project=self._project, before=before), "-created_at", most))

    def _take(self, where: RecordFilter, sort: str, limit: int | None) -> Iterator[Item]:
        for record_id, digest, gist, body in self._store.list_gists(where, sort=sort, limit=limit):
            try:
                told = self._gist(record_id, gist) if gist else gist_of_entry(body)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                reason = "its record cannot be read; `diarist doctor` says more"
                self.skipped.append(Skipped(name=derived(record_id), reason=derived(reason)))
                continue
            yield self.intake.take(record_id, digest, told)

    def _gist(self, record_id: str, kept: bytes) -> Gist:
        """The gist that is kept of an entry; made anew where it is damaged. Raises msgspec.MsgspecError where the entry is, too."""
        try:
            return read_gist(kept)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            record = self._store.get_record(record_id)
            return gist_of_entry(record.body if record else b"")


def _known_themes(box: Toolbox, project: str | None) -> list[Proposal]:
    """The last round of every theme that was ever filed, sorted."""
    latest: dict[tuple[str, str], Proposal] = {}
    for each in list_proposals(box.store, states=(), kinds=("theme",), project=project):
        other = latest.get((each.project, each.key))
        if other is None or other.round < each.round:
            latest[each.project, each.key] = each
    return [latest[key] for key in sorted(latest)]


def _rejected(report: Report, known: Sequence[Proposal]) -> frozenset[str]:
    """Lineages of themes that rest on much the same entries as one that was rejected, or on a part of them; an error: as itself."""
    rejected = [(each.key, frozenset(each.evidence)) for each in known if each.state == "rejected"]
    themes = [entries for key, entries in rejected if not _is_error(key)]
    found = {theme.lineage for theme in report.themes if any(_is_old_news(theme.entries, entries) for entries in themes)}
    same = dict(rejected)
    found |= {each.lineage for each in report.errors if each.lineage in same and _is_old_news(each.entries, same[each.lineage])}
    return frozenset(found)


def _is_error(lineage: str) -> bool:
    return lineage.startswith("error-")


def _is_old_news(entries: Sequence[str], rejected: frozenset[str]) -> bool:
    fresh = len(set(entries) - rejected)
    return 2 * fresh < len(entries) and fresh < max(2, GROWTH * len(entries))


def _bad_sources(box: Toolbox, items: Sequence[Item], project: str | None) -> list[Skipped]:
    """Files that could not be read whole. Of one project: those that hold its sessions, or none that is known."""
    bad = [source for source in box.store.list_sources() if source.problem]
    own = {f"{agent}:{session}" for agent, session in {item.session for item in items}} if bad and project is not None else set()
    return [Skipped(name=each.path, reason=each.problem) for each in bad if project is None or own.intersection(each.sessions)]


@contextmanager
def _without_collector() -> Iterator[None]:
    """Nothing made here goes in circles, and looking for what does would cost a tenth of the time.

    What was made has been let go of when it is left, as the next look would begin with all of it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
