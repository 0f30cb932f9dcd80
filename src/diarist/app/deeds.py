"""A session's evidence, read for what it tells of the records it was shown: what was shown to it, what it said and did then.

Diarist's own answers are taken out of transcripts when they are imported, but for the ids in them (see `stages.withhold`), so a
session's transcript tells which records its agent looked up by itself, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.model.use import VERDICTS, Use, event_of
from diarist.stages.distil.actions import understand_call
from diarist.stages.distil.commands import Program, understand
from diarist.stages.usefulness import Deed, Remedy, Showing
from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.model.entry import Entry, Fix
    from diarist.model.session import Step

_ID = lazy(r"(?<![\w-])kh-[a-z2-7]{16}(?![\w-])")
_OWN = lazy(r"(?:mcp__(?:plugin_diarist_)?diarist__|diarist[._/-]{1,2})(\w+)\Z")
_SPOKEN = frozenset({"reply", "thought"})
_LOOKS = frozenset({"search", "recall", "trail", "diary", "hub"})
"""Commands of Diarist that print records."""
_SINGLE = frozenset({("diary", "show"), ("hub", "fetch"), ("hub", "node")})
"""Those that print one record, which was asked for."""
_ASKS = {"kb_search", "search", "recall", "find_fix", "kb_node"}
_GETS = {"kb_fetch", "fetch"}
_DULL = frozenset({"echo", "printf", "cat", "ls", "cd", "mkdir", "touch", "head", "tail", "pwd", "which", "grep", "true", "sleep"})
_DOING = frozenset({"install", "run", "other", "build", "vcs"})
_CODE = lazy(r"`([^`\n]{4,200})`")
MOST_SHOWN = 50
"""Records of one answer that count as shown."""


class Reading(msgspec.Struct):
    """What a session's evidence tells."""

    deeds: list[Deed] = msgspec.field(default_factory=list)
    showings: list[Showing] = msgspec.field(default_factory=list)
    uses: list[Use] = msgspec.field(default_factory=list)
    """The showings as rows of the ledger, and what the agent said of records through Diarist's own tool."""


class _Asked(msgspec.Struct, frozen=True):
    """A call of Diarist whose result is to come."""

    surface: str
    event: str


def read_deeds(steps: Iterable[Step], session: str, began: datetime) -> Reading:
    """Goes through the steps once. `began` dates steps that carry no time."""
    found = Reading()
    waiting: dict[str, _Asked] = {}
    at = began
    for number, step in enumerate(steps):
        at = step.at or at
        if step.kind == "call":
            asked = _asked(step)
            if asked is None:
                found.deeds.append(_call(number, step))
            elif asked.event in VERDICTS:
                found.uses += [Use(each, session, at, asked.event, asked.surface) for each in _ids(str(step.arguments))[:1]]
            else:
                waiting[step.call_id] = asked
        elif step.kind == "result":
            if asked := waiting.pop(step.call_id, None):
                _note(found, asked, step.text, (number, at, session))
        elif step.kind in _SPOKEN:
            found.deeds.append(Deed(number, step.at, cites=tuple(_ids(step.text))))
    found.uses = list({(use.record_id, use.at, use.event): use for use in reversed(found.uses)}.values())[::-1]
    return found


def _note(found: Reading, asked: _Asked, text: str, where: tuple[int, datetime, str]) -> None:
    number, at, session = where
    for place, each in enumerate(_ids(text)[: 1 if asked.event == "fetched" else MOST_SHOWN], 1):
        found.showings.append(Showing(each, at, number))
        found.uses.append(Use(each, session, at, asked.event, asked.surface, place))


def _asked(step: Step) -> _Asked | None:
    """What a call asks of Diarist; None for any other call."""
    own = _OWN.search(step.tool)
    if own is not None:
        values: Mapping[str, Any] = step.arguments or {}
        name, verdict = own[1], event_of(str(values.get("verdict", "")))
        if name == "record_feedback" and verdict in VERDICTS:
            return _Asked("mcp:record_feedback", verdict)
        event = "shown" if name in _ASKS else "fetched" if name in _GETS else ""
        return _Asked(f"mcp:{name}", event) if event else None
    if not any("diarist" in text for text in _texts(step)):
        return None
    for program in _programs(step.tool, step.arguments, step.text):
        words = [word for word in program.words[1:] if not word.startswith("-")]
        at = next((at for at, word in enumerate(words) if word in _LOOKS), None)
        if program.name == "diarist" and at is not None:
            return _Asked(f"cli:{words[at]}", "fetched" if tuple(words[at : at + 2]) in _SINGLE else "shown")
    return None


def _call(number: int, step: Step) -> Deed:
    act = understand_call(step.tool, step.arguments, step.text)
    commands = tuple(_spelled(program) for program in understand(act.command).programs) if act.command else ()
    files = tuple(change.path for change in act.changes if change.path)
    cites = tuple(each for text in _texts(step) for each in _ids(text))
    return Deed(number, step.at, commands, files, cites)


def _programs(tool: str, arguments: Mapping[str, Any] | None, text: str) -> tuple[Program, ...]:
    command = understand_call(tool, arguments, text).command
    return understand(command).programs if command else ()


def _spelled(program: Program) -> str:
    return " ".join((program.name, *program.words[1:]))


def _texts(step: Step) -> Iterator[str]:
    yield step.text
    for value in (step.arguments or {}).values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (part for part in value if isinstance(part, str))


def _ids(text: str) -> list[str]:
    """The ids in a text, each once, in their order."""
    return list(dict.fromkeys(_ID.findall(text))) if "kh-" in text else []


# --- what a record tells to do ------------------------------------------------------------------------------------------------


def entry_remedy(entry: Entry) -> Remedy:
    """What its fixes did: commands that say something by themselves, files, and the errors that it got past."""
    commands = {mark for fix in entry.fixes for text in fix.commands for mark in _marks(text, _DOING)}
    commands |= {mark for fix in entry.fixes for text in _passing_commands(entry, fix) for mark in _marks(text, None)}
    solved = {error.fingerprint for error in entry.errors if error.resolved} | {fix.error for fix in entry.fixes}
    files = dict.fromkeys(str(path) for fix in entry.fixes for path in fix.files)
    return Remedy(frozenset(commands), tuple(files), frozenset(solved - {""}))


def text_remedy(text: str) -> Remedy:
    """The commands that a note gives in `code`."""
    return Remedy(frozenset(mark for code in _CODE.findall(text) for mark in _marks(code, _DOING)))


def _passing_commands(entry: Entry, fix: Fix) -> Iterator[str]:
    """Where nothing was changed and nothing run in between, the fix was to call it otherwise: the command that then passed."""
    if fix.commands or fix.files or not fix.steps:
        return
    yield from (str(each.text) for each in entry.commands if each.passed and each.steps[:1] == (max(fix.steps),))


def _marks(command: str, kinds: frozenset[str] | None) -> Iterator[str]:
    for program in understand(command).programs:
        if len(program.words) > 1 and program.name not in _DULL and (kinds is None or program.kind in kinds):
            yield _spelled(program)
