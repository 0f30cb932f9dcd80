"""Those who come while one is at work are served together by the next: a commit is shared by all who wait for one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class _Place(Generic[Item, Answer]):
    def __init__(self, item: Item) -> None:
        self.item = item
        self.answers: list[Answer] = []
        self.error: BaseException | None = None
        self.served = False


class Gathering(Generic[Item, Answer]):
    """Safe to share between threads. Nobody waits for others to come: who finds nobody at work begins at once."""

    def __init__(self) -> None:
        self._waiting: list[_Place[Item, Answer]] = []
        self._turn = threading.Lock()
        self._at_work = threading.Lock()

    def take(self, item: Item, work: Callable[[Sequence[Item]], Sequence[Answer]]) -> Answer:
        """The answer to an item, out of `work` on all that wait; one of them does it for the others. Raises what `work` raised."""
        place: _Place[Item, Answer] = _Place(item)
        with self._turn:
            self._waiting.append(place)
        with self._at_work:
            if not place.served:
                with self._turn:
                    several, self._waiting = self._waiting, []
                _serve(several, work)
        if place.error is not None:
            raise place.error
        return place.answers[0]


def _serve(several: Sequence[_Place[Item, Answer]], work: Callable[[Sequence[Item]], Sequence[Answer]]) -> None:
    try:
        for place, answer in zip(several, work([place.item for place in several]), strict=True):
            place.answers.append(answer)
    except BaseException as error:  # noqa: BLE001 - it is raised anew for each of them
        for place in several:
            place.error = error
    finally:
        for place in several:
            place.served = True
