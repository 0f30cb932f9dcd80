"""Did a check pass? From the tool's own summary line first, from the exit status where it can tell, else unknown.

Only the ends of long outputs are read: summaries stand at the end, and the budget is microseconds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from diarist.model.entry import CommandKind
from diarist.stages.distil.starts import idle, missing_module, not_started
from diarist.stages.distil.summaries import RULES
from diarist.text.lazy import lazy

TAIL = 5_000
HEAD = 2_000


class Verdict(NamedTuple):
    """Whether one run of a check passed, and what says so."""

    passed: bool | None
    """None: cannot be told."""
    line: str = ""
    """The summary line it rests on, an exact piece of the output; empty where the exit status decided."""
    ran: int | None = None
    """Tests that ran, where printed."""
    broken: int | None = None
    """Tests (or problems) that failed, where printed."""
    started: bool = True
    missing: str = ""
    """Module that could not be found. If it is not the project's own, nothing was checked."""


_HINT = lazy(
    r"pass|fail|error|built|ERR|"
    r"\bOK\b|^ok\b|issues?[:.]|problems?|BUILD|succe|Finished|offenses|checks|\*\*\* |stopped|FAIL|PASS|Interrupted|"
    r"Failed|Found|Checked|finished|ELIFE|ld: |Assertions|SUCC|Success|Build"
)
_NO_TESTS = "[no tests"
"""What Go says of a package that none of the chosen tests are in."""
_CRASH = lazy(
    r"^(?:Traceback \(most recent call last\):|(?:\w+\.)*\w*(?:Error|Exception)\b(?::.*)?|panic: .*|Segmentation fault.*|"
    r".*: command not found|"
    r"(?:bash|sh|zsh|/bin/\w+): .*(?:not found|No such file or directory).*|.*can't open file .*|Error: Cannot find module .*|"
    r"SyntaxError: .*|"
    r"thread '.*' panicked at .*|Killed|Aborted.*|fatal: .*)$",
    re.MULTILINE,
)


def judge(
    kind: CommandKind, output: str, exit_code: int | None, error: bool | None, *, exit_tells: bool, exit_blames: bool = True
) -> Verdict:
    """The verdict on one run of a command.

    `exit_tells`: exit status 0 is that of the check itself (see `commands.CommandLine`). A pipe into `tail` hides a
    failing check behind status 0, so there the summary line decides, and without one nothing is known. `exit_blames`:
    another status is its own failure, not that of a command after it.
    """
    status = _by_status(exit_code, error, exit_tells=exit_tells, exit_blames=exit_blames)
    if kind not in ("test", "build", "lint", "typecheck"):
        return _of_script(output, status) if kind == "run" else Verdict(status)
    summary = _summary(output)
    unstarted = _not_started(output)
    if summary.passed is False and not (summary.ran or summary.broken) and (unstarted.missing or not unstarted.started):
        return unstarted._replace(line=summary.line) if unstarted.missing else unstarted
    if summary.passed is not None and (summary.passed is False or status is not False):
        return summary
    nothing = idle(output[-TAIL:])
    if nothing:
        return Verdict(None, nothing, started=False)
    if unstarted.missing or not unstarted.started:
        return unstarted
    if status is not None:
        return Verdict(status)
    crash = _CRASH.search(_window(output))
    return Verdict(False, _crash_line(output, crash)) if crash else Verdict(None)


def _of_script(output: str, status: bool | None) -> Verdict:
    """A program of the project: a traceback is a failure even where the status was lost."""
    crash = _CRASH.search(_window(output))
    if status is False or (crash and "Traceback" in crash.group()):
        return Verdict(False, _crash_line(output, crash) if crash else "", missing=missing_module(output[-TAIL:])[1])
    return Verdict(status)


def _not_started(output: str) -> Verdict:
    """Nothing was checked: the tool, its script or a module it needs is not there."""
    text = _window(output)
    line, module = missing_module(text)
    if module:
        return Verdict(False, line, missing=module)
    line = not_started(text) if len(output) < 3_000 else ""
    return Verdict(None, line, started=False) if line else Verdict(None)


def _by_status(exit_code: int | None, error: bool | None, *, exit_tells: bool, exit_blames: bool) -> bool | None:
    if exit_code not in (None, 0) or (error and exit_code is None):
        return False if exit_blames else None
    if (exit_code == 0 or error is False) and exit_tells:
        return True
    return None


def _window(output: str) -> str:
    if len(output) <= HEAD + TAIL:
        return output
    return output[:HEAD] + "\n" + output[-TAIL:]


@lru_cache(maxsize=128)
def _summary(output: str) -> Verdict:
    """The last summary line of a check's output; one that failed anywhere among several outweighs those that passed."""
    telling = (line for line in reversed(output[-TAIL:].split("\n")[-120:]) if len(line) < 400 and _HINT.search(line))
    text = "\n".join(reversed(list(islice(telling, 30))))
    good: Verdict | None = None
    for rule in RULES:
        for match in rule.pattern.finditer(text) if rule.needs in text else ():
            groups = match.groupdict()
            bad = int(groups["bad"]) if groups.get("bad") else None
            ran = int(groups["good"]) if groups.get("good") else None
            line = match.group().strip()
            if rule.sense == "bad" or (rule.sense == "count" and bad):
                return Verdict(False, line, ran, bad)
            if good is None or _NO_TESTS not in line:
                good = Verdict(True, line, ran, bad)
    return good or Verdict(None)


def _crash_line(output: str, crash: re.Match[str]) -> str:
    line = crash.group().strip()
    if not line.startswith("Traceback"):
        return line
    tail = [part.strip() for part in output[-TAIL:].splitlines() if part.strip()]
    return next((part for part in reversed(tail) if re.match(r"(?:\w+\.)*\w+(?:Error|Exception|Warning|Exit|Interrupt)\b", part)), line)
