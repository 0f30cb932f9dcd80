"""What happened lately, in numbers: outcomes over time, agents and projects, errors that come back, tokens and cost."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.records import entry_of
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.use import EntryCount

MOST_READ = 1_000
"""Newest entries whose texts are looked into for errors, tokens and cost."""
TOP = 12


class Day(NamedTuple):
    """One UTC day (ISO date): entries by outcome."""

    day: str
    entries: int
    completed: int = 0
    recovered: int = 0
    failed: int = 0


class Share(NamedTuple):
    """What an agent or a project did. Tokens and cost are those of the `entries` that were read, see `Stats.read`."""

    name: str
    entries: int
    recovered: int
    failed: int
    tokens: int = 0
    cost_usd: float = 0.0


class Recurring(NamedTuple):
    """An error that several runs met. `solved`: runs that got past it."""

    fingerprint: str
    message: str
    runs: int
    solved: int
    record_id: str
    """The newest run that solved it, or else met it."""


class Stats(NamedTuple):
    """The last `days` days. `recovery_rate`: recovered runs among those that met trouble, 0 to 1; None without any."""

    days: int
    entries: int
    outcomes: dict[str, int]
    recovery_rate: float | None
    by_day: list[Day]
    agents: list[Share]
    projects: list[Share]
    errors: list[Recurring]
    read: int
    """Newest entries that errors, tokens and cost were counted over."""
    waiting: int
    """Proposals that wait for review."""
    documents: int
    errors_solved: int = 0
    """Distinct errors of the entries read that at least one of them got past; with `errors_open` all that were met."""
    errors_open: int = 0
    tokens: int = 0
    """Tokens and US dollars of the entries read."""
    cost_usd: float = 0.0


def stats(box: Toolbox, days: int = 30, project: str | None = None) -> Stats:
    """Counts over the last days."""
    since = box.now() - timedelta(days=days)
    rows = box.store.count_entries(since, project)
    where = RecordFilter(kinds=("entry",), since=since, project=project)
    entries = [entry_of(record) for record in box.store.list_records(where, limit=MOST_READ)]
    outcomes = Counter[str]()
    for row in rows:
        outcomes[row.outcome or "unknown"] += row.entries
    trouble = outcomes["recovered"] + outcomes["failed"]
    notes = RecordFilter(kinds=("note", "lesson"), project=project)
    met = {error.fingerprint for entry in entries for error in entry.errors}
    solved = {error.fingerprint for entry in entries for error in entry.errors if error.resolved}
    return Stats(
        days=days,
        entries=sum(outcomes.values()),
        outcomes=dict(sorted(outcomes.items())),
        recovery_rate=round(outcomes["recovered"] / trouble, 4) if trouble else None,
        by_day=_days(rows),
        agents=_shares(rows, entries, "agent"),
        projects=_shares(rows, entries, "project"),
        errors=_recurring(entries),
        read=len(entries),
        waiting=box.store.count_records(RecordFilter(kinds=("proposal",), outcome="pending", project=project)),
        documents=box.store.count_records(notes),
        errors_solved=len(solved),
        errors_open=len(met - solved),
        tokens=sum(entry.usage.input_tokens + entry.usage.output_tokens for entry in entries),
        cost_usd=round(sum(round((entry.usage.cost_usd or 0.0) * 1_000_000) for entry in entries) / 1_000_000, 6),
    )


def _days(rows: Iterable[EntryCount]) -> list[Day]:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        found.setdefault(row.day, Counter())[row.outcome] += row.entries
    return [
        Day(day, sum(counts.values()), counts["completed"], counts["recovered"], counts["failed"]) for day, counts in sorted(found.items())
    ]


def _shares(rows: Iterable[EntryCount], entries: Iterable[Entry], name: str) -> list[Share]:
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(getattr(row, name), Counter())[row.outcome] += row.entries
    tokens, cost = Counter[str](), Counter[str]()
    for entry in entries:
        tokens[getattr(entry, name)] += entry.usage.input_tokens + entry.usage.output_tokens
        cost[getattr(entry, name)] += round((entry.usage.cost_usd or 0.0) * 1_000_000)
    found = [
        Share(each, sum(told.values()), told["recovered"], told["failed"], tokens[each], cost[each] / 1_000_000)
        for each, told in counts.items()
    ]
    return sorted(found, key=lambda share: (-share.entries, share.name))[:TOP]


def _recurring(entries: Iterable[Entry]) -> list[Recurring]:
    found: dict[str, Recurring] = {}
    for entry in entries:  # newest first
        for error in entry.errors:
            known = found.get(error.fingerprint)
            if known is None:
                found[error.fingerprint] = Recurring(error.fingerprint, error.message, 1, int(error.resolved is True), entry.id)
                continue
            first = error.resolved is True and not known.solved
            found[error.fingerprint] = known._replace(
                runs=known.runs + 1, solved=known.solved + int(error.resolved is True), record_id=entry.id if first else known.record_id
            )
    again = [each for each in found.values() if each.runs > 1]
    return sorted(again, key=lambda each: (-each.runs, each.fingerprint))[:TOP]
