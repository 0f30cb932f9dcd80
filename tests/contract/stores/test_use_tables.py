"""The usefulness ledger: what was shown, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from diarist.model.record import Record
from diarist.model.use import Effect, Shown, Tally, Use
from diarist.ports import Store


def test_a_use_keeps_where_and_at_which_place_it_was_shown(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first, second = put(store, 1).id, put(store, 2).id
    uses = [
        Use(first, "sailor:s1", noon, "shown", "hook:prompt", 1),
        Use(second, "sailor:s1", noon, "shown", "hook:prompt", 2),
        Use(first, "mcp:s1", noon + timedelta(seconds=1), "helped", "mcp"),
        Use(first, "sailor:s2", noon, "fetched", "mcp:kb_fetch", 1),
    ]
    with store.transaction(actor="mate", at=noon) as transaction:
        for use in uses:
            transaction.add_use(use)
    assert store.list_uses_of_sessions(["sailor:s1", "mcp:s1", "sailor:none"]) == uses[:3]
    assert store.list_uses_of_sessions([]) == []
    assert store.count_shown(first) == Shown(first, 2, 2)
    assert store.count_shown("kh-none") == Shown("kh-none")
    assert store.count_uses() == [("fetched", "mcp:kb_fetch", 1, 1, 1), ("helped", "mcp", 1, 1, 1), ("shown", "hook:prompt", 2, 1, 2)]


def test_what_a_transcript_tells_takes_the_place_of_what_it_told_before(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    """Rows that came from elsewhere stay."""
    first = put(store, 1).id
    hook = Use(first, "sailor:s1", noon, "shown", "hook:prompt", 1)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.add_use(hook)
        transaction.replace_uses_read_off("sailor:s1", [Use(first, "sailor:s1", noon + timedelta(1), "shown", "mcp:recall", 3)])
        transaction.replace_uses_read_off("sailor:s2", [Use(first, "sailor:s2", noon, "shown", "cli:search", 1)])
        again = Use(first, "sailor:s1", noon + timedelta(2), "fetched", "mcp:kb_fetch", 1)
        transaction.replace_uses_read_off("sailor:s1", [again, Use("kh-none", "sailor:s1", noon, "shown", "mcp:recall", 1)])
    assert store.list_uses_of_sessions(["sailor:s1"]) == [hook, again]
    assert len(store.list_uses(first)) == 3


def test_effects_are_replaced_by_session_and_counted_by_record(store: Store, put: Callable[..., Record], noon: datetime) -> None:
    first, second = put(store, 1).id, put(store, 2).id
    good = Effect(first, "sailor:s1", noon, "kh-l", True, "command", True, "recovered", True, "", 2)
    bad = Effect(first, "sailor:s2", noon + timedelta(1), "kh-m", False, "file", False, "failed", False, "", -1)
    said = Effect(second, "person:kim", noon, verdict="harmful", points=-2)
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.replace_effects("sailor:s1", [good._replace(points=0), Effect(second, "sailor:s1", noon)])
        transaction.replace_effects("sailor:s1", [good, Effect("kh-none", "sailor:s1", noon)])
        transaction.replace_effects("sailor:s2", [bad])
        transaction.replace_effects("person:kim", [said])
    assert store.list_effects(first) == [good, bad]
    assert store.list_effects_of_session("sailor:s1") == [good]
    assert store.list_tallies([first, second, "kh-none"]) == [
        Tally(first, 2, 1, 2, 1, 1, 1, 1, 2, 1),
        Tally(second, 1, 0, 0, 0, 0, 0, 1, 0, 2),
    ]
    assert store.list_tallies([]) == []
    assert [tally.record_id for tally in store.list_tallies()] == [first, second]
    assert [tally.record_id for tally in store.list_tallies(limit=1)] == [first]


def test_renaming_a_session_takes_its_effects_along_and_erasing_a_record_takes_them_away(
    store: Store, put: Callable[..., Record], noon: datetime
) -> None:
    first, second = put(store, 1).id, put(store, 2).id
    with store.transaction(actor="mate", at=noon) as transaction:
        for record_id in (first, second):
            transaction.add_use(Use(record_id, "old", noon, "shown", "hook:start", 1))
        transaction.replace_effects("old", [Effect(first, "old", noon, cited=True, points=1), Effect(second, "old", noon)])
        transaction.rename_use_session("old", "new")
    assert store.list_effects(first) == [Effect(first, "new", noon, cited=True, points=1)]
    assert store.list_uses(first) == [Use(first, "new", noon, "shown", "hook:start", 1)]
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(first)
    assert store.list_effects(first) == []
    assert store.list_tallies([first]) == []
    assert [use.record_id for use in store.list_uses()] == [second]


def test_a_tenant_sees_no_effects_of_another(open_again: Callable[..., Store], put: Callable[..., Record], noon: datetime) -> None:
    them, us = open_again("them"), open_again("us")
    record_id = put(them, 1).id
    with them.transaction(actor="mate", at=noon) as transaction:
        transaction.replace_effects("s", [Effect(record_id, "s", noon, points=2)])
    assert us.list_effects(record_id) == []
    assert us.list_tallies([record_id]) == us.list_tallies() == []
    assert us.count_uses() == []
    assert len(them.list_tallies()) == 1
    them.close()
    us.close()
