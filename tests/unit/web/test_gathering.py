"""Writes that come at the same time share one transaction."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from diarist.asgi.gathering import Gathering


def test_those_who_come_while_one_is_at_work_are_served_together() -> None:
    gathering: Gathering[int, int] = Gathering()
    begun, go_on, groups = threading.Event(), threading.Event(), []

    def work(items: Sequence[int]) -> list[int]:
        groups.append(sorted(items))
        begun.set()
        assert go_on.wait(30)
        return [-item for item in items]

    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(gathering.take, 0, work)
        assert begun.wait(30)
        others = [pool.submit(gathering.take, number, work) for number in range(1, 6)]
        while len(gathering._waiting) < 5:
            pass
        go_on.set()
        assert first.result() == 0
        assert [other.result() for other in others] == [-1, -2, -3, -4, -5]
    assert groups == [[0], [1, 2, 3, 4, 5]]


def test_what_goes_wrong_is_told_to_each_and_the_next_is_served() -> None:
    gathering: Gathering[int, int] = Gathering()

    def fail(items: Sequence[int]) -> list[int]:
        raise ValueError(str(items))

    with pytest.raises(ValueError, match="7"):
        gathering.take(7, fail)
    assert gathering.take(8, lambda items: [2 * item for item in items]) == 16
