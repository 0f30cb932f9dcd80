"""Costly numbers: made once for all who ask, and shown a little old rather than made twice."""

from __future__ import annotations

import threading

from diarist.web.kept import Kept


def test_a_value_is_made_anew_only_when_something_changed_and_it_is_old() -> None:
    now = [0.0]
    made: list[int] = []
    kept: Kept[int] = Kept(10, lambda: now[0])

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [kept.get("a", 1, make), kept.get("a", 1, make), kept.get("a", 2, make)] == [0, 0, 0]
    now[0] = 11
    assert kept.get("a", 1, make) == 0
    assert kept.get("a", 2, make) == 1
    assert kept.get("b", 2, make) == 2


def test_while_one_makes_it_the_others_get_the_old_one() -> None:
    kept: Kept[str] = Kept(0)
    kept.get("a", 1, lambda: "old")
    began, may_end = threading.Event(), threading.Event()

    def slow() -> str:
        began.set()
        assert may_end.wait(30)
        return "new"

    maker = threading.Thread(target=lambda: kept.get("a", 2, slow))
    maker.start()
    assert began.wait(30)
    assert kept.get("a", 2, lambda: "never") == "old"
    may_end.set()
    maker.join()
    assert kept.get("a", 2, lambda: "never") == "new"


def test_the_first_who_ask_wait_for_one_value() -> None:
    kept: Kept[int] = Kept(60)
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return 7

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(kept.get("a", 1, make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [7] * 8
    assert len(made) == 1
