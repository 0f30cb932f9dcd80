"""Summary lines that checks end with. Data for `verdict`: one row a tool's wording.

`needs` is a literal that such a line holds: a quick look, so that only a few patterns are tried on an output.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

Sense: TypeAlias = Literal["good", "bad", "count"]
"""count: the groups `bad` (what failed) and `good` (what passed) decide."""


class Rule(NamedTuple):
    sense: Sense
    needs: str
    pattern: re.Pattern[str]


def _rule(sense: Sense, needs: str, pattern: str) -> Rule:
    return Rule(sense, needs, re.compile(f"^{pattern}$", re.MULTILINE))


RULES: tuple[Rule, ...] = (
    # pytest
    _rule("count", " failed", r"=* ?(?P<bad>\d+) failed(?:, (?P<good>\d+) passed)?.* in [\d.:]+ ?m?s(?:econds)?.*"),
    _rule("count", " passed", r"=* ?(?P<good>\d+) passed(?:, \d+ [a-z ]+)*?(?:, (?P<bad>\d+) errors?)?(?:, \d+ [a-z ]+)* in [\d.:]+.*"),
    _rule("bad", " error", r"=* ?(?:(?:\d+ \w+, )*\d+ errors?(?: during collection)?)(?:[^\n]* in [\d.]+s)?[^\n]*=*"),
    _rule("bad", "Interrupted:", r"!+ Interrupted: \d+ errors? during collection !+"),
    _rule("bad", "ERROR: ", r"ERROR: (?:not found|file or directory not found): .*"),
    # unittest, Django, trial
    _rule("bad", "FAILED (", r"FAILED \((?:failures|errors|expected failures|unexpected successes)=.*\)"),
    _rule("good", "OK", r"OK(?: \((?:skipped|expected failures)=.*\))?"),
    # sympy
    _rule("bad", "tests finished", r"=+ tests finished: \d+ passed.*(?:[1-9]\d* (?:failed|exceptions)).*"),
    _rule("good", "tests finished", r"=+ tests finished: \d+ passed.* in [\d.]+ seconds =+"),
    # go
    _rule("bad", "FAIL", r"(?:FAIL(?:\t\S+.*)?|--- FAIL: .*)"),
    _rule("bad", "[build failed]", r"# \S+ \[build failed\]"),
    _rule("good", "ok  \t", r"ok  \t\S+.*"),
    _rule("good", "PASS", r"PASS"),
    # cargo
    _rule("bad", "test result: F", r"test result: FAILED\..*"),
    _rule("bad", "error: ", r"error: (?:could not compile .*|test failed, to rerun.*)"),
    _rule("bad", "error[E", r"error\[E\d+\]: .*"),
    _rule("good", "test result: ok", r"test result: ok\. (?P<good>\d+) passed.*"),
    _rule("good", "Finished", r"\s+Finished `?(?:dev|release|test|debug)\S*.* in .*"),
    # jest, vitest, mocha, node, bun, deno, ava, playwright
    _rule("count", "Tests", r"\s*Tests:?\s+(?:.*?(?P<bad>\d+) failed)?.*?(?P<good>\d+) passed.*"),
    _rule("bad", "Tests", r"\s*Tests:?\s+\d+ failed.*"),
    _rule("bad", "Test ", r"\s*(?:Test Suites:|Test Files)\s+[1-9]\d* failed.*"),
    _rule("bad", " failing", r"\s*(?P<bad>[1-9]\d*) failing"),
    _rule("good", " passing", r"\s*(?P<good>\d+) passing(?: \(.*\))?"),
    _rule("count", "fail ", r"(?:# |ℹ )fail (?P<bad>\d+)"),
    _rule("count", " fail", r"\s*(?P<bad>\d+) fail"),
    _rule("count", " | ", r"(?:ok|FAILED) \| (?P<good>\d+) passed.*? \| (?P<bad>\d+) failed.*"),
    _rule("bad", " failed", r"\s+[1-9]\d* failed"),
    # JVM, .NET, PHP, Ruby, C and C++
    _rule("count", "Tests run: ", r"(?:\[\w+\] )?Tests run: (?P<good>\d+), Failures: (?P<bad>\d+), Errors: 0.*"),
    _rule("bad", "Tests run: ", r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: [1-9].*"),
    _rule("bad", "BUILD FAIL", r"(?:\[\w+\] )?BUILD FAIL(?:URE|ED).*"),
    _rule("good", "BUILD SUCC", r"(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?.*"),
    _rule("bad", "COMPILATION ERROR", r"\[ERROR\] .*COMPILATION ERROR.*"),
    _rule("bad", "Build failed", r"FAILURE: Build failed with an exception\."),
    _rule("bad", "FAILED", r"(?:Build FAILED\.|\*\* (?:BUILD|TEST) FAILED \*\*)"),
    _rule("good", "ucceeded", r"Build succeeded\."),
    _rule("good", "SUCCEEDED", r"\*\* (?:BUILD|TEST) SUCCEEDED \*\*"),
    _rule("count", "- Failed: ", r"(?:Failed|Passed)!\s+- Failed:\s+(?P<bad>\d+), Passed:\s+(?P<good>\d+).*"),
    _rule("good", "OK (", r"OK \((?P<good>\d+) tests?, .*\)"),
    _rule("bad", "RES!", r"FAILURES!"),
    _rule("bad", "ERRORS!", r"ERRORS!"),
    _rule("bad", "Assertions: ", r"Tests: \d+, Assertions: \d+, (?:Failures|Errors): .*"),
    _rule("count", " failure", r"(?P<good>\d+) (?:examples?|runs|tests), (?:\d+ assertions, )?(?P<bad>\d+) failures?.*"),
    _rule("count", "% tests passed", r"\d+% tests passed, (?P<bad>\d+) tests failed out of (?P<good>\d+)"),
    _rule("bad", "[  FAILED  ]", r"\[  FAILED  \] .*"),
    _rule("good", "[  PASSED  ]", r"\[  PASSED  \] (?P<good>\d+) tests?\."),
    # linters and type checkers
    _rule("count", " issue", r"(?:\[[\w:.-]+\] )?(?P<bad>\d+) issues?[:.].*"),
    _rule("bad", " problem", r"(?:✖|×) (?P<bad>[1-9]\d*) problems? \([1-9]\d* errors?.*"),
    _rule("good", " problem", r"✖ \d+ problems? \(0 errors, .*"),
    _rule("bad", "Found ", r"Found (?P<bad>[1-9]\d*) errors?(?: in .*| \(.*|\.)?"),
    _rule("good", "Success: no", r"Success: no issues found.*"),
    _rule("good", "All ", r"(?:All checks passed!|All done! .*|All matched files use Prettier code style!)"),
    _rule("good", "0 errors", r"(?:Found )?0 errors\b.*"),
    _rule("good", "No ESLint", r".*No ESLint warnings or errors"),
    _rule("bad", " errors, ", r"[1-9]\d* errors?, \d+ warnings?.*"),
    _rule("good", "rated at 10", r"Your code has been rated at 10(?:\.00)?/10.*"),
    _rule("good", "no offenses", r"(?:.* )?no offenses detected"),
    _rule("good", "Checked ", r"Checked \d+ files? in .*\. (?:No fixes applied|Fixed \d+ files?)\.?"),
    # builds
    _rule("bad", "*** ", r"make(?:\[\d+\])?: \*\*\* .*"),
    _rule("bad", "build stopped", r"ninja: build stopped: .*"),
    _rule("bad", "npm ", r"npm (?:ERR!|error) .*"),
    _rule("bad", "ommand failed with exit code", r"(?:error )?Command failed with exit code [1-9]\d*.*"),
    _rule("bad", "ERR_PNPM", r".*ERR_PNPM_\w+.*"),
    _rule("bad", "ELIFECYCLE", r"\s*ELIFECYCLE .*"),
    _rule("bad", "Failed to compile", r"Failed to compile\.?"),
    _rule("bad", "> Build ", r"> Build (?:failed|error).*"),
    _rule("bad", "error TS", r"(?:.*: )?error TS\d+: .*"),
    _rule("bad", "failed to solve", r"ERROR: failed to solve: .*"),
    _rule("good", "ompiled successfully", r".*[Cc]ompiled successfully.*"),
    _rule("good", "built in", r"✓ built in .*"),
    _rule("good", "Successfully built", r"Successfully built \S+.*"),
    _rule("bad", "error: ", r".*: (?:fatal )?error: .*"),
    _rule("bad", "collect2: error", r"collect2: error: .*"),
    _rule("bad", "ld: ", r"ld: .*"),
)
