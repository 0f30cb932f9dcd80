"""Commands that failed and later passed, with what was done in between. Linear in the number of runs."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from diarist.stages.distil.bullets import one_line
from diarist.stages.distil.ledger import Changed, Ledger, Run
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_LEAD = lazy(r"^(?:cd \S+ ?(?:&&|;) ?|source \S+ ?(?:&&|;) ?|set -\S+ ?(?:pipefail)? ?(?:&&|;) ?)+")
_TAIL = lazy(r"(?: ?2>&1| ?2>/dev/null| ?\| ?(?:tail|head)(?: -\S+| \d+)*| ?\|\| ?true| ?; ?echo [^;&|]*)+$")
_PYTHON_TESTS = frozenset({"python", "python3", "pytest", "py.test", "unittest", "nosetests", "tox"})
_COMMANDS = 4
_LOOKS = frozenset({"log", "status", "diff", "show", "remote", "branch", "rev-parse", "describe", "ls-files", "blame", "tag"})
"""What git is asked without changing anything."""


class Repair(NamedTuple):
    """A check that failed and passed later, and what was changed between the two."""

    failed: Run
    passed: Run
    fingerprints: tuple[str, ...]
    """Errors of the failed run that are gone."""
    changes: tuple[Changed, ...]
    commands: tuple[Run, ...]
    """The last few other commands in between that may have mattered."""


def family(run: Run) -> str:
    """Names what a command checks or does: the same for runs that can take each other's place.

    For checks it is the tool and the kind of work, for other commands their first words.
    """
    words = run.command.key.split()[:2]
    if run.command.is_check and words:
        tool = "python tests" if run.command.kind == "test" and words[0] in _PYTHON_TESTS else words[0]
        return f"{run.command.kind}: {tool}"
    return " ".join(words)


def find_repairs(ledger: Ledger) -> list[Repair]:
    """Every failing run that a later one of its family got past."""
    runs, changed = list(ledger.runs), list(ledger.changed)
    families: dict[str, list[int]] = defaultdict(list)
    for at, run in enumerate(runs):
        if run.command.key and (broke(run) or went_well(run)):
            families[family(run)].append(at)
    written = [change.step for change in changed]
    repairs = []
    for members in families.values():
        for number, at in enumerate(members):
            repair = _repair(runs, members, number) if broke(runs[at]) else None
            if repair is not None:
                between = changed[bisect_right(written, runs[at].step) : bisect_right(written, repair.passed.step)]
                repairs.append(repair._replace(changes=tuple(between)))
    return sorted(repairs, key=lambda repair: repair.failed.step)


def broke(run: Run) -> bool:
    """Failed, or, where no status tells, printed an error."""
    if run.command.kind == "search" and not run.errors:
        return False
    return run.passed is False or (run.passed is None and bool(run.errors) and run.started)


def went_well(run: Run) -> bool:
    """Passed, or, where no status tells, a program ran through without an error."""
    return run.passed is True or (run.passed is None and run.command.kind == "run" and not run.errors and run.result >= 0)


def last_passes(runs: Sequence[Run]) -> dict[str, int]:
    """By family, the step of the last run that passed."""
    return {family(run): run.step for run in runs if run.passed}


def shown(run: Run, limit: int = 110) -> str:
    """The command as a person would name it: without `cd …` in front and the plumbing behind."""
    text = _LEAD.sub("", one_line(run.text if "<<" not in run.text else run.command.key or run.text))
    return clip(_TAIL.sub("", text) or one_line(run.text), limit)


def _speakers(run: Run) -> frozenset[str]:
    """Programs of the command that complain in their own name: another command without them cannot have got past the complaint."""
    names = {program.name for program in run.command.programs if program.name}
    return frozenset(name for name in names if any(line.startswith(f"{name}: ") for line in run.tail.split("\n")))


def _may_matter(run: Run) -> bool:
    """Can a command have changed what another one meets? Looking at the history changes nothing."""
    looks = all(
        program.words[1:2] and program.words[1] in _LOOKS if program.name == "git" else program.name in ("echo", "cd", "pwd", "sleep")
        for program in run.command.programs
    )
    return run.command.kind in ("install", "run", "other", "vcs") and run.passed is not False and not looks


def _repair(runs: Sequence[Run], members: Sequence[int], number: int) -> Repair | None:
    """What the next run of the family shows; a later failing one with the same error tells of it itself."""
    failed = runs[members[number]]
    speakers = frozenset() if failed.command.is_check else _speakers(failed)
    next_at = next((at for at in members[number + 1 :] if speakers <= {program.name for program in runs[at].command.programs}), -1)
    if next_at < 0:
        return None
    later = runs[next_at]
    gone = tuple(mark for mark in failed.errors if mark not in later.errors)
    if not went_well(later) and (not later.errors or len(gone) < len(failed.errors) or not gone):
        return None
    between = (runs[at] for at in range(next_at - 1, max(members[number], next_at - 40), -1))
    mattered = [run for run in between if _may_matter(run)][:_COMMANDS]
    return Repair(failed, later, failed.errors if went_well(later) else gone, (), tuple(reversed(mattered)))
