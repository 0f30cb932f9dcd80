"""What came of a record that a session was shown: judged by the session's own deeds, never by anybody's claim. Pure.

A session has one vote on each record it was shown, in points:

    +2  it said that the record helped; or it did what the record's fix did, and it worked
    +1  it named the record, or changed the same file as its fix, and ended well
     0  it went on without it, or nothing can be told
    -1  it did what the record's fix did, and it did not work
    -2  it said that the record was wrong or did harm

What was said counts before what was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from diarist.model.use import VERDICTS, Effect, Use
from diarist.text.fingerprint import family

GOOD = frozenset({"completed", "recovered"})
SAID = {"helped": 2, "followed": 2, "ignored": 0, "refuted": -2, "harmful": -2}
SHOWN = frozenset({"shown", "fetched"})
_NEXT = timedelta(days=1)
"""What was shown so soon after the last deed that is known was shown in the middle of a session that is still being read."""


class Deed(NamedTuple):
    """One thing that the session's agent did, in what of it counts here. Steps are numbered from 0."""

    step: int
    at: datetime | None
    commands: tuple[str, ...] = ()
    """Programs it ran with their arguments, spelled in one way."""
    files: tuple[str, ...] = ()
    """Files it changed."""
    cites: tuple[str, ...] = ()
    """Ids it named in what it said or asked for."""


class Showing(NamedTuple):
    """A record put before the session: by the number of the step in its transcript, or by the clock (`step` is None)."""

    record_id: str
    at: datetime
    step: int | None = None


class Remedy(NamedTuple):
    """What a record tells to do: programs with their arguments, files to change, and fingerprints of the errors this got past."""

    commands: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    errors: frozenset[str] = frozenset()


class Ending(NamedTuple):
    """How the session ended. `errors`: by fingerprint, and by family, whether it got past them (None: cannot be told)."""

    entry_id: str = ""
    outcome: str = ""
    verified: bool | None = None
    errors: Mapping[str, bool | None] = {}


def judge(
    session: str, showings: Sequence[Showing], said: Sequence[Use], deeds: Sequence[Deed], ending: Ending, remedies: Mapping[str, Remedy]
) -> list[Effect]:
    """The effects in one session, by record id. Independent of the order of `showings` and `said`."""
    first = _first_steps(showings, deeds)
    verdicts = _verdicts(said)
    effects = []
    for record_id in sorted({*first, *verdicts}):
        spoken = verdicts.get(record_id)
        times = [one.at for one in showings if one.record_id == record_id] + ([spoken[0]] if spoken else [])
        made = Effect(record_id, session, min(times), ending.entry_id, outcome=ending.outcome, verified=ending.verified)
        if record_id in first:
            made = _seen(made, first[record_id], deeds, ending, remedies.get(record_id, Remedy()))
        if spoken is not None:
            made = made._replace(verdict=spoken[1])
        effects.append(made._replace(points=_points(made)))
    return effects


def _first_steps(showings: Sequence[Showing], deeds: Sequence[Deed]) -> dict[str, int]:
    """By record, the first step after it was shown.

    A showing that the clock places before the session or long after it (another machine's clock, a copied transcript) counts from
    its beginning.
    """
    timed = [(deed.at, deed.step) for deed in deeds if deed.at is not None]
    begin, end = (min(timed)[0], max(timed)[0]) if timed else (None, None)
    first: dict[str, int] = {}
    for one in showings:
        if one.step is not None:
            step = one.step + 1
        elif begin is None or end is None or not begin <= one.at <= end + _NEXT:
            step = 0
        elif one.at > end:
            step = deeds[-1].step + 1
        else:
            step = min(number for at, number in timed if at >= one.at)
        first[one.record_id] = min(step, first.get(one.record_id, step))
    return first


def _verdicts(said: Iterable[Use]) -> dict[str, tuple[datetime, str]]:
    """The last thing said of each record; of two at the same moment the graver one."""
    last: dict[str, tuple[datetime, str]] = {}
    for use in sorted(said, key=lambda use: (use.at, -SAID.get(use.event, 0), use.event)):
        if use.event in VERDICTS:
            last[use.record_id] = (use.at, use.event)
    return last


def _seen(effect: Effect, first: int, deeds: Sequence[Deed], ending: Ending, remedy: Remedy) -> Effect:
    after = [deed for deed in deeds if deed.step >= first]
    before = [deed for deed in deeds if deed.step < first]
    met = [ending.errors[mark] for mark in remedy.errors if mark in ending.errors]
    met = met or [ending.errors[family(mark)] for mark in remedy.errors if family(mark) in ending.errors]
    gone = False if False in met else True if True in met else None
    return effect._replace(
        cited=any(effect.record_id in deed.cites for deed in after), followed=_followed(after, before, remedy), error_gone=gone
    )


def _followed(after: Sequence[Deed], before: Sequence[Deed], remedy: Remedy) -> str:
    """What the session did anyway before it was shown the record is no sign that it followed it."""
    known = {command for deed in before for command in deed.commands}
    if any(command in remedy.commands and command not in known for deed in after for command in deed.commands):
        return "command"
    touched = [path for deed in before for path in deed.files]
    new = [path for deed in after for path in deed.files if not any(same_file(path, other) for other in touched)]
    return "file" if any(same_file(path, wanted) for path in new for wanted in remedy.files) else ""


def same_file(one: str, other: str) -> bool:
    """True for two names of what may be one file of a project, seen from different folders or checkouts.

    >>> same_file("src/parser.py", "/home/kim/parcel/src/parser.py"), same_file("a/b/parser.py", "c/parser.py")
    (True, False)
    """
    mine, theirs = (path.replace("\\", "/").rstrip("/") for path in (one, other))
    if mine == theirs:
        return bool(mine)
    short, long = sorted((mine.removeprefix("./").split("/"), theirs.removeprefix("./").split("/")), key=len)
    if mine.startswith("/") and theirs.startswith("/"):
        return len(short) > 2 and short[-2:] == long[-2:]
    return bool(short[-1]) and long[-len(short) :] == short


def _points(effect: Effect) -> int:
    if effect.verdict:
        return SAID[effect.verdict]
    well = effect.error_gone is not False and effect.verified is not False and (effect.outcome in GOOD or effect.error_gone is True)
    badly = effect.error_gone is False or effect.verified is False or effect.outcome == "failed"
    done = effect.followed == "command" or (effect.followed == "file" and effect.error_gone is not None)
    if done:
        return 2 if well else -1 if badly else 0
    return int(well and (effect.cited or bool(effect.followed)))
