"""Sets of ids: the same whether few or very many, from one pass or several."""

from __future__ import annotations

import random

from diarist.importers.hash_table import HashTable, in_order
from diarist.importers.ids import MOST_TEXTS, Ids


def test_a_table_of_hashes_is_a_set() -> None:
    chance = random.Random(7)
    numbers = [chance.getrandbits(64) for _ in range(200_000)]
    twins = [number & ~0xFF for number in numbers[:1000]]  # that want the same places
    table = HashTable([0, *numbers, *twins, *numbers[:50]])
    assert set(table) == {0, *numbers, *twins}
    assert len(table) == len({0, *numbers, *twins})
    assert 0 in table
    assert all(number in table for number in twins)
    assert not any(chance.getrandbits(64) in table for _ in range(1000))
    assert list(in_order(table)) == sorted(table)
    assert list(in_order({3, 1, 2})) == [1, 2, 3]
    assert 0 not in HashTable(numbers)


def test_many_ids_are_known_again_and_are_packed_alike_in_any_order() -> None:
    names = [f"record-{number}" for number in range(3 * MOST_TEXTS)]
    ids, other = Ids(), Ids()
    assert all(map(ids.add, names))
    assert not any(map(ids.add, names[::1000]))
    assert len(ids) == len(names)
    for name in reversed(names):
        other.add(name)
    assert ids.pack() == other.pack()
    again = Ids.unpack(ids.pack())
    assert names[5] in again
    assert "record" not in again
    assert not again.add(names[-1])
    assert again.add("one more")


def test_few_and_many_ids_can_be_compared_and_united() -> None:
    many, few = Ids(), Ids()
    for number in range(MOST_TEXTS + 10):
        many.add(f"{number}")
    for name in ("3", "x", "4"):
        few.add(name)
    assert many.count_common(few) == few.count_common(many) == 2
    few.update(many)
    assert len(few) == len(many) + 1
    assert "x" in few
