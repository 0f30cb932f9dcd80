"""What is known of the worth of records: for one, in full; for all, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.model.use import Effect, Shown, Tally
from diarist.stages.rank.usefulness import factor, reason

if TYPE_CHECKING:
    from diarist.ports import Store

MOST_TALLIES = 100_000


class Worth(NamedTuple):
    """One record. `factor`: what its score is multiplied by; `reason`: that in words, empty where nothing moved it."""

    shown: Shown
    tally: Tally
    effects: tuple[Effect, ...]
    """By session, oldest first."""
    factor: float = 1.0
    reason: str = ""


class SurfaceCount(NamedTuple):
    """What was shown or said through one surface."""

    event: str
    surface: str
    rows: int
    sessions: int
    records: int


class Useful(NamedTuple):
    """A record that sessions voted on."""

    id: str
    title: str
    tally: Tally
    factor: float


class Overview(NamedTuple):
    """The ledger in numbers. Counts of `total` are over (record, session) pairs."""

    surfaces: tuple[SurfaceCount, ...]
    records: int
    """Records of which it is known what came of them."""
    total: Tally
    best: tuple[Useful, ...]
    worst: tuple[Useful, ...]


def worth_of(store: Store, record_id: str) -> Worth:
    """Everything that the ledger tells of one record."""
    tally = next(iter(store.list_tallies([record_id])), Tally(record_id))
    return Worth(store.count_shown(record_id), tally, tuple(store.list_effects(record_id)), factor(tally), reason(tally))


def overview(store: Store, limit: int) -> Overview:
    """The whole ledger. `best` and `worst`: the records that votes speak for, and against, most."""
    tallies = store.list_tallies(None, MOST_TALLIES)
    ranked = sorted(tallies, key=lambda tally: (-factor(tally), tally.record_id))
    best = [tally for tally in ranked if factor(tally) > 1][:limit]
    worst = [tally for tally in reversed(ranked) if factor(tally) < 1][:limit]
    sums = [sum(tally[at] for tally in tallies) for at in range(1, len(Tally._fields))] if tallies else []  # type: ignore[misc]
    return Overview(
        tuple(SurfaceCount(*row) for row in store.count_uses()),
        len(tallies),
        Tally("", *sums),
        tuple(_useful(store, tally) for tally in best),
        tuple(_useful(store, tally) for tally in worst),
    )


def as_plain(told: Overview) -> dict[str, Any]:
    """The overview as plain JSON values."""
    plain: dict[str, Any] = {"records": told.records, "total": told.total._asdict()}
    plain["total"].pop("record_id")
    plain["surfaces"] = [each._asdict() for each in told.surfaces]
    for name, found in (("best", told.best), ("worst", told.worst)):
        plain[name] = [{"id": each.id, "title": each.title, "factor": each.factor, **each.tally._asdict()} for each in found]
    return plain


def _useful(store: Store, tally: Tally) -> Useful:
    record = store.get_record(tally.record_id)
    return Useful(tally.record_id, str(record.title) if record is not None else "", tally, round(factor(tally), 4))
