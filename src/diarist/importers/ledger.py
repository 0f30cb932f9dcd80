"""What one pass over a source learns about each session beside its steps: counts, facts, usage, calls and their results.

All of it can be packed into a checkpoint and taken up again, so that a file read in two passes gives what one pass gives.
A checkpoint holds no text: of a fact (a title, a folder) it holds where the record stands that told it, and the fact is
read from there again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from operator import add
from typing import Any, NamedTuple, TypeAlias

from diarist.importers.ids import Ids
from diarist.importers.values import MadeId, hash64
from diarist.model.session import CaptureReport, Naming, Problem, SessionInfo, Usage

MAX_PROBLEMS = 20
MAX_VALUES = 32
"""Different values of one fact that are counted; a session that has more tells nothing by the rest."""
MAX_RUNS = 32
OPEN_REPLIES = 512
"""Replies whose usage may still be corrected by a later line of the same message."""


Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""(name, value) of facts."""


class Tokens(NamedTuple):
    """Usage of one reply, or of a whole session."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def plus(self, other: Tokens) -> Tokens:
        """The sum, field by field."""
        return Tokens._make(map(add, self, other))


class Facts:
    """Values that the records of a session told, by name: how often, and where first and last."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, list[int]]] = {}
        self._runs: dict[Pairs, list[int]] = {}
        """By what records told alike: how often that is not counted yet, and where the last of them starts."""
        self._last: Pairs | None = None
        self._last_run: list[int] = []
        """What was told last, and its run: formats give the same object again where nothing changed."""

    def tell(self, name: str, value: str, at: int) -> None:
        """Counts `value`; `at`: byte where its record starts."""
        values = self._told.get(name)
        if values is None:
            values = self._told[name] = {}
        known = values.get(value)
        if known is not None:
            known[0] += 1
            known[2] = at
        elif len(values) < MAX_VALUES:
            values[value] = [1, at, at]

    def tell_all(self, pairs: Pairs, at: int) -> None:
        """Counts all that one record tells. Mostly records before it told the same."""
        run = self._last_run if pairs is self._last else self._runs.get(pairs)
        if run is not None:
            run[0] += 1
            run[1] = at
            self._last, self._last_run = pairs, run
            return
        for name, value in pairs:
            self.tell(name, value, at)
        if len(self._runs) >= MAX_RUNS:
            self._counted()
        if all(value in self._told[name] for name, value in pairs):
            self._runs[pairs] = [0, at]

    def _counted(self) -> dict[str, dict[str, list[int]]]:
        """All that was told, with what was told alike counted."""
        for pairs, (times, last) in self._runs.items():
            for name, value in pairs:
                known = self._told[name][value]
                known[0] += times
                known[2] = max(known[2], last)
        self._runs.clear()
        self._last = None
        return self._told

    def most(self, name: str) -> str:
        """The value told most often; of equals the first told."""
        values = self._counted().get(name)
        if not values:
            return ""
        return next(iter(values)) if len(values) == 1 else max(values, key=lambda value: values[value][0])

    def ranked(self, name: str) -> list[str]:
        """All values, most told first."""
        values = self._counted().get(name)
        if not values:
            return []
        return sorted(values, key=lambda value: -values[value][0])

    def latest(self, name: str) -> str:
        """The value told last."""
        values = self._counted().get(name)
        if not values:
            return ""
        return next(iter(values)) if len(values) == 1 else max(values, key=lambda value: values[value][2])

    def pack(self) -> dict[str, list[list[int]]]:
        """Names, counts and places; no values."""
        return {name: list(values.values()) for name, values in self._counted().items()}

    def unpack(self, packed: dict[str, list[list[int]]], recall: Callable[[str, int], str]) -> None:
        """Takes up a checkpoint; `recall(name, at)` reads the value again from the record at that place."""
        for name, places in packed.items():
            self._told[name] = {recall(name, place[1]): list(place) for place in places}


class Tally:
    """One session's running totals."""

    def __init__(self) -> None:
        self.seen = 0
        self.kept = 0
        self.malformed = 0
        self.skipped: dict[str, int] = {}
        self.problems: list[tuple[int, str]] = []
        self.records = Ids()
        """Of the records taken: one that comes again is a duplicate."""
        self.called = Ids()
        self.answered = Ids()
        self.facts = Facts()
        self.started: datetime | None = None
        self.ended: datetime | None = None
        self.flags: set[str] = set()
        self.cost: float | None = None
        self.latency: int | None = None
        self.tokens = Tokens()
        self._open: OrderedDict[int | str, Tokens] = OrderedDict()
        """By id of the reply (hashed where an earlier pass met it), the one told last at the end."""
        self._resumed = False

    def keep(self) -> None:
        """Counts a record that gave a step or a fact."""
        self.seen += 1
        self.kept += 1

    def skip(self, reason: str) -> None:
        """Counts a record that gave nothing, and why."""
        self.seen += 1
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def passed(self, line: int, reason: str) -> None:
        """Notes why a record that was seen gave nothing."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        if reason == "unknown-type":
            self.problem(line, reason)

    def broken(self, line: int, reason: str) -> None:
        """Counts a record that could not be read."""
        self.seen += 1
        self.malformed += 1
        self.problem(line, reason)

    def problem(self, line: int, reason: str) -> None:
        """Notes where something is amiss (never its text)."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append((line, reason))

    def fresh(self, record_id: str) -> bool:
        """Notes that a record was taken; False if one with this id was taken before."""
        return self.records.add(record_id)

    def moment(self, at: datetime | None) -> None:
        """Widens the session's span. Times step back in real files, so both ends are looked at."""
        if at is None:
            return
        if self.started is None or at < self.started:
            self.started = at
        if self.ended is None or at > self.ended:
            self.ended = at

    def call(self, call_id: str) -> None:
        """Counts a tool call, each id once."""
        self.called.add(call_id)

    def result(self, call_id: str) -> None:
        """Notes that a result was found for a call."""
        self.answered.add(call_id)

    def use(self, message_id: str, tokens: Tokens) -> None:
        """Counts the usage of a reply. Later lines of the same message correct it; without an id it stands at once."""
        if not message_id:
            self.tokens = self.tokens.plus(tokens)
            return
        key: int | str = message_id
        if self._resumed and (hashed := hash64(message_id)) in self._open:
            key = hashed
        self._open.pop(key, None)
        self._open[key] = tokens
        if len(self._open) > OPEN_REPLIES:
            self.tokens = self.tokens.plus(self._open.popitem(last=False)[1])

    def settle(self, tokens: Tokens) -> None:
        """Counts the usage of all open replies together, as their run tells it at its end."""
        self._open.clear()
        self.tokens = self.tokens.plus(tokens)

    def spend(self, cost: float | None) -> None:
        """Adds to the session's cost."""
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def wait(self, milliseconds: int) -> None:
        """Adds to the session's latency."""
        if milliseconds:
            self.latency = (self.latency or 0) + milliseconds

    def usage(self) -> Usage:
        """Usage so far, each reply once."""
        total = Tokens._make(map(sum, zip(self.tokens, *self._open.values(), strict=True)))
        return Usage(
            input_tokens=total.input,
            output_tokens=total.output,
            cache_read_tokens=total.cache_read,
            cache_write_tokens=total.cache_write,
            reasoning_tokens=total.reasoning,
            cost_usd=None if self.cost is None else round(self.cost, 8),
            latency_ms=self.latency,
        )

    def report(self) -> CaptureReport:
        """The capture report so far."""
        return CaptureReport(
            seen=self.seen,
            kept=self.kept,
            skipped=dict(sorted(self.skipped.items())),
            malformed=self.malformed,
            calls=len(self.called),
            calls_paired=self.called.count_common(self.answered),
            problems=tuple([Problem(line=line, reason=reason) for line, reason in self.problems]),
        )

    def info(self, session: str, agent: str, format_: str, **known: Any) -> SessionInfo:
        """Facts by the names every importer uses: cwd, repository, branch, model (most told), version, title (last told)."""
        facts = self.facts
        return SessionInfo(
            **{
                "session": session,
                "agent": agent,
                "format": format_,
                "agent_version": facts.latest("version"),
                "models": tuple(facts.ranked("model")),
                "cwd": facts.most("cwd"),
                "repository": facts.most("repository"),
                "branch": facts.most("branch"),
                "title": facts.latest("title") or facts.latest("made-title"),
                "parent_session": facts.most("parent"),
                "workflow": facts.most("workflow"),
                "started_at": self.started,
                "ended_at": self.ended,
                "usage": self.usage(),
                **known,
            }
        )

    def pack(self) -> dict[str, Any]:
        """For a checkpoint: counts, hashes and places."""
        return {
            "counts": [self.seen, self.kept, self.malformed, *self.tokens],
            "skipped": dict(self.skipped),
            "problems": [list(problem) for problem in self.problems],
            **{name: getattr(self, name).pack() for name in _ID_SETS},
            "facts": self.facts.pack(),
            "span": [None if at is None else at.timestamp() for at in (self.started, self.ended)],
            "flags": sorted(self.flags),
            "cost": self.cost,
            "latency": self.latency,
            "open": [[hash64(key) if isinstance(key, str) else key, *tokens] for key, tokens in self._open.items()],
        }

    def unpack(self, packed: dict[str, Any], recall: Callable[[str, int], str]) -> None:
        """Takes up what `pack` gave."""
        self.seen, self.kept, self.malformed = packed["counts"][:3]
        self.tokens = Tokens(*packed["counts"][3:])
        self.skipped = dict(packed["skipped"])
        self.problems = [(line, reason) for line, reason in packed["problems"]]
        for name in _ID_SETS:
            setattr(self, name, Ids.unpack(packed[name]))
        self.facts.unpack(packed["facts"], recall)
        self.started, self.ended = (None if at is None else datetime.fromtimestamp(at, UTC) for at in packed["span"])
        self.flags = set(packed["flags"])
        self.cost, self.latency = packed["cost"], packed["latency"]
        self._open = OrderedDict((key, Tokens(*tokens)) for key, *tokens in packed["open"])
        self._resumed = bool(self._open)


class Ledger:
    """All sessions of a source, in order of appearance. What comes before the first is counted for it."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {}
        self.naming: dict[str, Naming] = {}
        """Of sessions whose name was made, or is not what it was in earlier versions."""
        self.current = ""
        """The session the last record belonged to: records that name none are counted for it."""
        self.tally: Tally | None = None
        """Of the current one."""
        self._early: Tally | None = None

    def open(self, session: str) -> Tally:
        """The tally of `session`, which is the current one from now on; "" stands for the current one."""
        if self.tally is not None and (not session or session == self.current):
            return self.tally
        if not session:
            self._early = self._early or Tally()
            return self._early
        tally = self.tallies.get(session)
        if tally is None:
            tally, self._early = self._early or Tally(), None
            if isinstance(session, MadeId):
                self.naming[str(session)] = session.naming
            self.tallies[str(session)] = tally
        self.current, self.tally = str(session), tally
        return tally

    @property
    def early(self) -> Tally | None:
        """Counts of records that no session could be found for yet."""
        return self._early


_ID_SETS = ("records", "called", "answered")
