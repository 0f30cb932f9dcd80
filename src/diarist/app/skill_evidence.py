"""What the diary entries of a habit's runs add to it: checks that proved success, errors that were met and what got past them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from diarist.app.observing import command_shape, tool_use
from diarist.model.observation import ToolUse
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import Pitfall, SkillCheck
from diarist.stages.patterns import label, lift
from diarist.text.clip import clip
from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.model.entry import Entry

_MOST_CHECKS, _MOST_PITFALLS = 4, 6
_CHECKS = frozenset(("test", "build", "lint", "typecheck"))
_OWN_TEST = lazy(r"\S+ failed\Z")
_WORD = lazy(r"[^\W\d_]{3,}")
_BEFORE_FIX = lazy(r"`.*?` failed(?: \(.*?\))? (?=until |and went through)", re.DOTALL)
"""How a fix begins: with the error again."""
_SLIPS = frozenset(("read", "edit", "create", "search", "web", "plan", "ask"))
"""Tools whose errors are slips of the agent at hand, not of the work: a file that is not there, a text that stands twice."""


def find_checks(entries: Sequence[Entry]) -> tuple[SkillCheck, ...]:
    """Checks that passed, told by program, what varies lifted out; those of most runs first."""
    shapes: dict[str, dict[str, list[Redacted]]] = defaultdict(lambda: defaultdict(list))
    passed: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for command in entry.commands:
            shape = command_shape(command.text) if command.kind in _CHECKS and command.passed is not None else Redacted("")
            if shape:
                key = label(ToolUse(name=derived("shell"), kind="shell", shape=shape))
                shapes[key][entry.id].append(shape)
                if command.passed:
                    passed[key].add(entry.id)
    made = [
        SkillCheck(command=lift([each for runs in by_run.values() for each in runs]), passed=len(passed[key]), runs=len(by_run))
        for key, by_run in sorted(shapes.items())
        if passed[key]
    ]
    told = [check for check in made if check.command]
    told = [check for check in told if check.passed > 1] or told
    return tuple(sorted(told, key=lambda check: (-check.passed, check.command))[:_MOST_CHECKS])


def find_pitfalls(entries: Iterable[Entry]) -> tuple[Pitfall, ...]:
    """Errors of the work itself that several runs met, or that a run got past by a change; those of most runs first."""
    seen: dict[str, list[tuple[str, Redacted, Redacted]]] = defaultdict(list)
    for entry in entries:
        for error in entry.errors:
            if tool_use(error.tool, None).kind not in _SLIPS and _tells(error.message):
                fix = next((fix.text for fix in entry.fixes if fix.error == error.fingerprint), Redacted(""))
                seen[error.fingerprint].append((entry.id, error.message, fix))
    told = []
    for met in seen.values():
        runs = sorted({entry_id for entry_id, _, _ in met})
        fix = next((fix for _, _, fix in met if fix), Redacted(""))
        if len(runs) > 1 or fix:
            told.append(
                Pitfall(
                    error=_short(met[0][1], 200), fix=_short(_without_error(fix, met[0][1]), 300), runs=len(runs), evidence=tuple(runs[:10])
                )
            )
    return tuple(sorted(told, key=lambda each: (-each.runs, not each.fix, each.error))[:_MOST_PITFALLS])


def _tells(message: str) -> bool:
    """False for an error that names but one test, or holds no words."""
    return len(_WORD.findall(message)) > 1 and not _OWN_TEST.match(message)


def _without_error(fix: Redacted, error: str) -> Redacted:
    """The fix without the error that stands before it anyway."""
    match = _BEFORE_FIX.match(fix)
    if match is None or clip(" ".join(error.split()), 40).rstrip("…") not in " ".join(match[0].split()):
        return fix
    rest = fix[match.end() :].removeprefix("until ").removeprefix("and ")
    return derived(rest[:1].upper() + rest[1:])


def _short(text: Redacted, limit: int) -> Redacted:
    return derived(clip(" ".join(text.split()), limit))
