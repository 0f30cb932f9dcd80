"""Summary lines that checks end with. Data for `verdict`: one row a tool's wording.

`needs` is a literal that such a line holds: a quick look, so that only a few patterns are tried on an output.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

Sense: TypeAlias = Literal["good", "bad", "count"]
"""count: the groups `bad` (what failed) and `good` (what passed) decide."""


class Rule(NamedTuple):
    """How one runner's summary line is read. `needs`: a literal without which the pattern cannot fit.

    `source` is compiled when an output first holds that: most never are, and a process that reads one file would wait for all of them.
    """

    sense: Sense
    needs: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """It fits whole lines."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(f"^{source}$", re.MULTILINE)


RULES: tuple[Rule, ...] = (
    # pytest
    Rule("count", " failed", r"=* ?(?P<bad>\d+) failed(?:, (?P<good>\d+) passed)?.* in [\d.:]+ ?m?s(?:econds)?.*"),
    Rule("count", " passed", r"=* ?(?P<good>\d+) passed(?:, \d+ [a-z ]+)*?(?:, (?P<bad>\d+) errors?)?(?:, \d+ [a-z ]+)* in [\d.:]+.*"),
    Rule("bad", " error", r"=* ?(?:(?:\d+ \w+, )*\d+ errors?(?: during collection)?)(?:[^\n]* in [\d.]+s)?[^\n]*=*"),
    Rule("bad", "Interrupted:", r"!+ Interrupted: \d+ errors? during collection !+"),
    Rule("bad", "ERROR: ", r"ERROR: (?:not found|file or directory not found): .*"),
    # unittest, Django, trial
    Rule("bad", "FAILED (", r"FAILED \((?:failures|errors|expected failures|unexpected successes)=.*\)"),
    Rule("good", "OK", r"OK(?: \((?:skipped|expected failures)=.*\))?"),
    # sympy
    Rule("bad", "tests finished", r"=+ tests finished: \d+ passed.*(?:[1-9]\d* (?:failed|exceptions)).*"),
    Rule("good", "tests finished", r"=+ tests finished: \d+ passed.* in [\d.]+ seconds =+"),
    # go
    Rule("bad", "FAIL", r"(?:FAIL(?:\t\S+.*)?|--- FAIL: .*)"),
    Rule("bad", "[build failed]", r"# \S+ \[build failed\]"),
    Rule("good", "ok  \t", r"ok  \t\S+.*"),
    Rule("good", "PASS", r"PASS"),
    # cargo
    Rule("bad", "test result: F", r"test result: FAILED\..*"),
    Rule("bad", "error: ", r"error: (?:could not compile .*|test failed, to rerun.*)"),
    Rule("bad", "error[E", r"error\[E\d+\]: .*"),
    Rule("good", "test result: ok", r"test result: ok\. (?P<good>\d+) passed.*"),
    Rule("good", "Finished", r"\s+Finished `?(?:dev|release|test|debug)\S*.* in .*"),
    # jest, vitest, mocha, node, bun, deno, ava, playwright
    Rule("count", "Tests", r"\s*Tests:?\s+(?:.*?(?P<bad>\d+) failed)?.*?(?P<good>\d+) passed.*"),
    Rule("bad", "Tests", r"\s*Tests:?\s+\d+ failed.*"),
    Rule("bad", "Test ", r"\s*(?:Test Suites:|Test Files)\s+[1-9]\d* failed.*"),
    Rule("bad", " failing", r"\s*(?P<bad>[1-9]\d*) failing"),
    Rule("good", " passing", r"\s*(?P<good>\d+) passing(?: \(.*\))?"),
    Rule("count", "fail ", r"(?:# |ℹ )fail (?P<bad>\d+)"),
    Rule("count", " fail", r"\s*(?P<bad>\d+) fail"),
    Rule("count", " | ", r"(?:ok|FAILED) \| (?P<good>\d+) passed.*? \| (?P<bad>\d+) failed.*"),
    Rule("bad", " failed", r"\s+[1-9]\d* failed"),
    # JVM, .NET, PHP, Ruby, C and C++
    Rule("count", "Tests run: ", r"(?:\[\w+\] )?Tests run: (?P<good>\d+), Failures: (?P<bad>\d+), Errors: 0.*"),
    Rule("bad", "Tests run: ", r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: [1-9].*"),
    Rule("bad", "BUILD FAIL", r"(?:\[\w+\] )?BUILD FAIL(?:URE|ED).*"),
    Rule("good", "BUILD SUCC", r"(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?.*"),
    Rule("bad", "COMPILATION ERROR", r"\[ERROR\] .*COMPILATION ERROR.*"),
    Rule("bad", "Build failed", r"FAILURE: Build failed with an exception\."),
    Rule("bad", "FAILED", r"(?:Build FAILED\.|\*\* (?:BUILD|TEST) FAILED \*\*)"),
    Rule("good", "ucceeded", r"Build succeeded\."),
    Rule("good", "SUCCEEDED", r"\*\* (?:BUILD|TEST) SUCCEEDED \*\*"),
    Rule("count", "- Failed: ", r"(?:Failed|Passed)!\s+- Failed:\s+(?P<bad>\d+), Passed:\s+(?P<good>\d+).*"),
    Rule("good", "OK (", r"OK \((?P<good>\d+) tests?, .*\)"),
    Rule("bad", "RES!", r"FAILURES!"),
    Rule("bad", "ERRORS!", r"ERRORS!"),
    Rule("bad", "Assertions: ", r"Tests: \d+, Assertions: \d+, (?:Failures|Errors): .*"),
    Rule("count", " failure", r"(?P<good>\d+) (?:examples?|runs|tests), (?:\d+ assertions, )?(?P<bad>\d+) failures?.*"),
    Rule("count", "% tests passed", r"\d+% tests passed, (?P<bad>\d+) tests failed out of (?P<good>\d+)"),
    Rule("bad", "[  FAILED  ]", r"\[  FAILED  \] .*"),
    Rule("good", "[  PASSED  ]", r"\[  PASSED  \] (?P<good>\d+) tests?\."),
    # linters and type checkers
    Rule("count", " issue", r"(?:\[[\w:.-]+\] )?(?P<bad>\d+) issues?[:.].*"),
    Rule("bad", " problem", r"(?:✖|×) (?P<bad>[1-9]\d*) problems? \([1-9]\d* errors?.*"),
    Rule("good", " problem", r"✖ \d+ problems? \(0 errors, .*"),
    Rule("bad", "Found ", r"Found (?P<bad>[1-9]\d*) errors?(?: in .*| \(.*|\.)?"),
    Rule("good", "Success: no", r"Success: no issues found.*"),
    Rule("good", "All ", r"(?:All checks passed!|All done! .*|All matched files use Prettier code style!)"),
    Rule("good", "0 errors", r"(?:Found )?0 errors\b.*"),
    Rule("good", "No ESLint", r".*No ESLint warnings or errors"),
    Rule("bad", " errors, ", r"[1-9]\d* errors?, \d+ warnings?.*"),
    Rule("good", "rated at 10", r"Your code has been rated at 10(?:\.00)?/10.*"),
    Rule("good", "no offenses", r"(?:.* )?no offenses detected"),
    Rule("good", "Checked ", r"Checked \d+ files? in .*\. (?:No fixes applied|Fixed \d+ files?)\.?"),
    # builds
    Rule("bad", "*** ", r"make(?:\[\d+\])?: \*\*\* .*"),
    Rule("bad", "build stopped", r"ninja: build stopped: .*"),
    Rule("bad", "npm ", r"npm (?:ERR!|error) .*"),
    Rule("bad", "ommand failed with exit code", r"(?:error )?Command failed with exit code [1-9]\d*.*"),
    Rule("bad", "ERR_PNPM", r".*ERR_PNPM_\w+.*"),
    Rule("bad", "ELIFECYCLE", r"\s*ELIFECYCLE .*"),
    Rule("bad", "Failed to compile", r"Failed to compile\.?"),
    Rule("bad", "> Build ", r"> Build (?:failed|error).*"),
    Rule("bad", "error TS", r"(?:.*: )?error TS\d+: .*"),
    Rule("bad", "failed to solve", r"ERROR: failed to solve: .*"),
    Rule("good", "ompiled successfully", r".*[Cc]ompiled successfully.*"),
    Rule("good", "built in", r"✓ built in .*"),
    Rule("good", "Successfully built", r"Successfully built \S+.*"),
    Rule("bad", "error: ", r".*: (?:fatal )?error: .*"),
    Rule("bad", "collect2: error", r"collect2: error: .*"),
    Rule("bad", "ld: ", r"ld: .*"),
)
