"""Steps gathered into turns, as formats with one record a reply want them: words, calls and their results together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from diarist.model.session import Step

WAITING = 256
"""Turns that are held back at most until the results of an earlier one have come."""
_ORDER = {"thought": 0, "reply": 1, "call": 2}


class Turn(msgspec.Struct):
    """One turn. Each step stands with its number in the session, from 0.

    A turn of the agent has at most one thought and one reply, in this order, then calls, then results. Any other step is
    a turn of its own: a prompt, a notice, a result whose call is not there (`alone`).
    """

    alone: tuple[int, Step] | None = None
    thought: tuple[int, Step] | None = None
    reply: tuple[int, Step] | None = None
    calls: list[tuple[int, Step]] = msgspec.field(default_factory=list)
    results: list[tuple[int, Step]] = msgspec.field(default_factory=list)
    open_calls: set[str] = msgspec.field(default_factory=set)

    @property
    def first(self) -> Step:
        """The step that it begins with."""
        begins = self.alone or self.thought or self.reply or self.calls[0]
        return begins[1]

    def takes(self, kind: str) -> bool:
        """Can a step of this kind still be said in this turn without changing the order of what is there?"""
        if self.alone is not None or self.results:
            return False
        if kind == "call":
            return True
        return not self.calls and self.reply is None and (kind == "reply" or self.thought is None)


class Turns:
    """Gathers one actor's steps. `take` gives the turns that are complete by then, `rest` all others at the end."""

    def __init__(self) -> None:
        self._turns: deque[Turn] = deque()
        self._callers: dict[str, Turn] = {}

    def take(self, number: int, step: Step) -> Iterator[Turn]:
        """Adds a step."""
        last = self._turns[-1] if self._turns else None
        if step.kind == "result" and step.call_id and step.call_id in self._callers:
            turn = self._callers[step.call_id]
            turn.results.append((number, step))
            turn.open_calls.discard(step.call_id)
        elif step.kind not in _ORDER:
            self._turns.append(Turn(alone=(number, step)))
        else:
            if last is None or not last.takes(step.kind):
                last = Turn()
                self._turns.append(last)
            self._say(last, number, step)
        yield from self._complete()

    def rest(self) -> Iterator[Turn]:
        """What is left."""
        yield from self._turns
        self._turns.clear()

    def _say(self, turn: Turn, number: int, step: Step) -> None:
        if step.kind == "thought":
            turn.thought = (number, step)
        elif step.kind == "reply":
            turn.reply = (number, step)
        else:
            turn.calls.append((number, step))
            if step.call_id:
                turn.open_calls.add(step.call_id)
                self._callers[step.call_id] = turn

    def _complete(self) -> Iterator[Turn]:
        while len(self._turns) > 1 and (not self._turns[0].open_calls or len(self._turns) > WAITING):
            turn = self._turns.popleft()
            for _, call in turn.calls:
                if self._callers.get(call.call_id) is turn:
                    del self._callers[call.call_id]
            yield turn
