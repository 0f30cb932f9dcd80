"""Did a check pass? From the tool's own summary line first, from the exit status where it can tell, else unknown.

Only the ends of long outputs are read: summaries stand at the end, and the budget is microseconds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.model.entry import CommandKind

TAIL = 6_000
HEAD = 2_000


class Verdict(NamedTuple):
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


_GOOD = 1
_BAD = 0
_COUNT = 2  # groups `bad` (and `good`): passed if nothing is bad

_RULES: tuple[tuple[int, str], ...] = (
    # pytest
    (_COUNT, r"^=* ?(?:(?P<bad>\d+) failed)(?:, (?P<good>\d+) passed)?.* in [\d.:]+ ?m?s(?:econds)?.*$"),
    (
        _COUNT,
        (
            r"^=* ?(?P<good>\d+) passed(?:, \d+ (?:skipped|deselected|xfailed|xpassed|warnings?|subtests passed|rerun)s?)*(?:,"
            r" (?P<bad>\d+) errors?)? in [\d.:]+.*$"
        ),
    ),
    (_BAD, r"^=* ?(?:(?:\d+ \w+, )*\d+ errors?(?: during collection)?)(?:[^\n]* in [\d.]+s)?[^\n]*=*$"),
    (_BAD, r"^!+ Interrupted: \d+ errors? during collection !+$"),
    (_BAD, r"^ERROR: (?:not found|file or directory not found): .*$"),
    # unittest, Django, trial
    (_BAD, r"^FAILED \((?:failures|errors|expected failures|unexpected successes)=.*\)$"),
    (_GOOD, r"^OK(?: \((?:skipped|expected failures)=.*\))?$"),
    # sympy
    (_BAD, r"^=+ tests finished: \d+ passed.*(?:[1-9]\d* (?:failed|exceptions)).*$"),
    (_GOOD, r"^=+ tests finished: \d+ passed.* in [\d.]+ seconds =+$"),
    # go
    (_BAD, r"^(?:FAIL(?:\t\S+.*)?|--- FAIL: .*|# \S+ \[build failed\])$"),
    (_GOOD, r"^(?:ok  \t\S+.*|PASS)$"),
    # cargo
    (_BAD, r"^(?:test result: FAILED\..*|error: could not compile .*|error: test failed, to rerun.*|error\[E\d+\]: .*)$"),
    (_GOOD, r"^test result: ok\. (?P<good>\d+) passed.*$"),
    (_GOOD, r"^\s+Finished `?(?:dev|release|test|debug)\S*.* in .*$"),
    # jest, vitest, mocha, node, bun, deno, ava, playwright
    (_COUNT, r"^\s*Tests:?\s+(?:.*?(?P<bad>\d+) failed)?.*?(?P<good>\d+) passed.*$"),
    (_BAD, r"^\s*Tests:?\s+\d+ failed.*$"),
    (_BAD, r"^\s*(?:Test Suites:|Test Files)\s+[1-9]\d* failed.*$"),
    (_BAD, r"^\s*(?P<bad>[1-9]\d*) failing$"),
    (_GOOD, r"^\s*(?P<good>\d+) passing(?: \(.*\))?$"),
    (_COUNT, r"^(?:# |ℹ )fail (?P<bad>\d+)$"),
    (_COUNT, r"^\s*(?P<bad>\d+) fail$"),
    (_COUNT, r"^(?:ok|FAILED) \| (?P<good>\d+) passed.*? \| (?P<bad>\d+) failed.*$"),
    (_BAD, r"^\s+[1-9]\d* failed$"),
    # JVM, .NET, PHP, Ruby, C/C++
    (_COUNT, r"^(?:\[\w+\] )?Tests run: (?P<good>\d+), Failures: (?P<bad>\d+), Errors: 0.*$"),
    (_BAD, r"^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: [1-9].*$"),
    (_BAD, r"^(?:\[\w+\] )?BUILD FAIL(?:URE|ED).*$"),
    (_GOOD, r"^(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?.*$"),
    (
        _BAD,
        r"^(?:\[ERROR\] .*COMPILATION ERROR.*|FAILURE: Build failed with an exception\.|Build FAILED\.|\*\* (?:BUILD|TEST) FAILED \*\*)$",
    ),
    (_GOOD, r"^(?:Build succeeded\.|\*\* (?:BUILD|TEST) SUCCEEDED \*\*)$"),
    (_COUNT, r"^(?:Failed|Passed)!\s+- Failed:\s+(?P<bad>\d+), Passed:\s+(?P<good>\d+).*$"),
    (_GOOD, r"^OK \((?P<good>\d+) tests?, .*\)$"),
    (_BAD, r"^(?:FAILURES!|ERRORS!|Tests: \d+, Assertions: \d+, (?:Failures|Errors): .*)$"),
    (_COUNT, r"^(?P<good>\d+) (?:examples?|runs|tests), (?:\d+ assertions, )?(?P<bad>\d+) failures?.*$"),
    (_COUNT, r"^\d+% tests passed, (?P<bad>\d+) tests failed out of (?P<good>\d+)$"),
    (_BAD, r"^\[  FAILED  \] .*$"),
    (_GOOD, r"^\[  PASSED  \] (?P<good>\d+) tests?\.$"),
    # linters and type checkers
    (_COUNT, r"^(?P<bad>\d+) issues?[:.].*$"),
    (_BAD, r"^(?:✖|×) (?P<bad>[1-9]\d*) problems? \([1-9]\d* errors?.*$"),
    (_GOOD, r"^✖ \d+ problems? \(0 errors, .*$"),
    (_BAD, r"^Found (?P<bad>[1-9]\d*) errors?(?: in .*| \(.*|\.)?$"),
    (
        _GOOD,
        (
            r"^(?:Success: no issues found.*|All checks passed!|All done! .*|Found 0 errors\.?.*|No ESLint warnings or errors|"
            r"All matched files use Prettier code style!)$"
        ),
    ),
    (_GOOD, r"^0 errors, \d+ warnings?.*$"),
    (_BAD, r"^[1-9]\d* errors?, \d+ warnings?.*$"),
    (_GOOD, r"^Your code has been rated at 10(?:\.00)?/10.*$"),
    (_GOOD, r"^(?:.* )?no offenses detected$"),
    # builds
    (
        _BAD,
        (
            r"^(?:make(?:\[\d+\])?: \*\*\* .*|ninja: build stopped: .*|npm ERR! .*|npm error .*|error Command failed with exit code \d+\.|"
            r"ERR_PNPM_\w+.*|\s*ELIFECYCLE .*)$"
        ),
    ),
    (
        _BAD,
        (
            r"^(?:Failed to compile\.?|> Build (?:failed|error).*|.*: error TS\d+: .*|error TS\d+: .*|ERROR: failed to solve: .*|"
            r"Command failed with exit code [1-9]\d*.*)$"
        ),
    ),
    (
        _GOOD,
        (
            r"^(?:.*Compiled successfully.*|✓ built in .*|.* compiled successfully in .*|webpack \S+ compiled successfully.*|"
            r"Successfully built \S+.*)$"
        ),
    ),
    (_BAD, r"^(?:.*: (?:fatal error|error): .*|collect2: error: .*|ld: .*)$"),
)
_PATTERNS = tuple((sense, re.compile(pattern, re.MULTILINE)) for sense, pattern in _RULES)
_HINT = re.compile(
    r"pass|fail|error|built|ERR|\bOK\b|^ok\b|issues?[:.]|problems?|BUILD|succe|Finished|offenses|checks|\*\*\* |stopped|FAIL|no tests ran|"
    r"examples?,|rated at",
    re.IGNORECASE | re.MULTILINE,
)
_CRASH = re.compile(
    r"^(?:Traceback \(most recent call last\):|(?:\w+\.)*\w*(?:Error|Exception)\b(?::.*)?|panic: .*|Segmentation fault.*|"
    r".*: command not found|"
    r"(?:bash|sh|zsh|/bin/\w+): .*(?:not found|No such file or directory).*|.*can't open file .*|Error: Cannot find module .*|"
    r"SyntaxError: .*|"
    r"thread '.*' panicked at .*|Killed|Aborted.*|fatal: .*)$",
    re.MULTILINE,
)


_NOTHING_RAN = re.compile(
    r"^=* ?(?:no tests ran|\d+ deselected) in .*|^Ran 0 tests in .*|"
    r"^(?:No tests? (?:found|to run|were run|matched).*|\[no test files\]|running 0 tests)$|"
    r"\bEXECUTION TIMED OUT\b|^(?:Command|Process) timed out\b.*|\btimed out after \d+.*",
    re.MULTILINE | re.IGNORECASE,
)
_MISSING = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named ['\"]?([\w-]+)|: No module named ([\w-]+)$", re.MULTILINE)
_NOT_STARTED = re.compile(
    r"^(?:.*: command not found|(?:ba|z|da)?sh: .*: not found|.*can't open file .*|.*is not recognized as .*|npm (?:ERR!|"
    r"error) [Mm]issing script:.*|.*No rule to make target.*|"
    r"error: no such (?:sub)?command:? .*|.*error: unrecognized arguments: .*|usage: .*|.*: No such file or directory|"
    r"Could not find a (?:task|target|script) .*|(?:error|ERROR): .*Unknown (?:command|option).*|"
    r"(?:Error: )?Cannot find module '(?!\.).*|could not determine executable to run.*)$",
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
    idle = _NOTHING_RAN.search(output[-TAIL:])
    if unstarted.missing or not unstarted.started or idle:
        return unstarted if not idle else Verdict(None, idle.group().strip()[:300], started=False)
    if status is not None:
        return Verdict(status)
    crash = _CRASH.search(_window(output))
    return Verdict(False, _crash_line(output, crash)) if crash else Verdict(None)


def _of_script(output: str, status: bool | None) -> Verdict:
    """A program of the project: a traceback is a failure even where the status was lost."""
    crash = _CRASH.search(_window(output))
    if status is False or (crash and "Traceback" in crash.group()):
        missing = _MISSING.search(output[-TAIL:])
        return Verdict(False, _crash_line(output, crash) if crash else "", missing=missing[1] or missing[2] if missing else "")
    return Verdict(status)


def _not_started(output: str) -> Verdict:
    """Nothing was checked: the tool, its script or a module it needs is not there."""
    text = _window(output)
    missing = _MISSING.search(text)
    if missing:
        return Verdict(False, missing.group().strip(": "), missing=missing[1] or missing[2])
    line = _NOT_STARTED.search(text) if len(output) < 3_000 else None
    return Verdict(None, line.group().strip()[:300], started=False) if line else Verdict(None)


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


def _summary(output: str) -> Verdict:
    """The last summary line of a check's output; one that failed anywhere among several outweighs those that passed."""
    text = "\n".join(line for line in output[-TAIL:].split("\n") if len(line) < 400 and _HINT.search(line))
    if not text:
        return Verdict(None)
    good: Verdict | None = None
    for sense, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            bad = int(groups["bad"]) if groups.get("bad") else None
            ran = int(groups["good"]) if groups.get("good") else None
            line = match.group().strip()
            if sense == _BAD or (sense == _COUNT and bad):
                return Verdict(False, line, ran, bad)
            good = Verdict(True, line, ran, bad)
    return good or Verdict(None)


def _crash_line(output: str, crash: re.Match[str]) -> str:
    line = crash.group().strip()
    if not line.startswith("Traceback"):
        return line
    tail = [part.strip() for part in output[-TAIL:].splitlines() if part.strip()]
    return next((part for part in reversed(tail) if re.match(r"(?:\w+\.)*\w+(?:Error|Exception|Warning|Exit|Interrupt)\b", part)), line)
