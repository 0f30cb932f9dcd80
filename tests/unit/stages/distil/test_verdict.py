"""Pass or fail from the tool's own summary, from the exit status where it tells, else unknown."""

from __future__ import annotations

import pytest

from diarist.model.entry import CommandKind
from diarist.stages.distil.verdict import Verdict, judge


def verdict(output: str, kind: CommandKind = "test", code: int | None = None, *, tells: bool = False) -> Verdict:
    return judge(kind, output, code, None, exit_tells=tells)


@pytest.mark.parametrize(
    "output",
    [
        "===== 12 passed, 1 skipped in 0.34s =====",
        "Ran 5 tests in 0.001s\n\nOK (skipped=1)",
        "ok  \tshop/cart\t0.012s",
        "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored",
        "Tests:       14 passed, 14 total",
        "  12 passing (40ms)",
        "Tests run: 7, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS",
        "Passed!  - Failed:     0, Passed:    31, Skipped:     0, Total:    31",
        "OK (12 tests, 30 assertions)",
        "10 examples, 0 failures",
        "100% tests passed, 0 tests failed out of 9",
        "# tests 4\n# pass 4\n# fail 0",
    ],
)
def test_summaries_of_passing_tests(output: str) -> None:
    assert verdict(output).passed is True


@pytest.mark.parametrize(
    "output",
    [
        "== 1 failed, 11 passed, 2 warnings in 0.34s ==",
        "== 4 warnings, 2 errors in 0.27s ==",
        "Ran 5 tests in 0.001s\n\nFAILED (failures=1)",
        "--- FAIL: TestCart (0.00s)\nFAIL\tshop/cart\t0.01s\nok  \tshop/user\t0.01s",
        "test result: FAILED. 1 passed; 1 failed",
        "Tests:       1 failed, 13 passed, 14 total",
        "  11 passing\n  1 failing",
        "Tests run: 7, Failures: 1, Errors: 0, Skipped: 0\nBUILD FAILURE",
        "FAILURES!\nTests: 12, Assertions: 30, Failures: 1.",
        "10 examples, 2 failures",
        "89% tests passed, 1 tests failed out of 9",
    ],
)
def test_summaries_of_failing_tests(output: str) -> None:
    assert verdict(output, code=0, tells=True).passed is False


@pytest.mark.parametrize(
    ("kind", "output", "passed"),
    [
        ("lint", "0 issues.", True),
        ("lint", "3 issues:\n* goconst: 3", False),
        ("lint", "✖ 4 problems (2 errors, 2 warnings)", False),
        ("lint", "✖ 2 problems (0 errors, 2 warnings)", True),
        ("lint", "All checks passed!", True),
        ("typecheck", "Success: no issues found in 4 source files", True),
        ("typecheck", "Found 3 errors in 2 files (checked 4 source files)", False),
        ("typecheck", "src/a.ts(3,1): error TS2304: Cannot find name 'x'.", False),
        ("build", "make: *** [all] Error 2", False),
        ("build", "BUILD SUCCESSFUL in 3s", True),
        ("build", "error: could not compile `shop` (lib) due to 1 previous error", False),
        ("build", "✓ built in 1.20s", True),
    ],
)
def test_summaries_of_linters_type_checkers_and_builds(kind: CommandKind, output: str, passed: bool) -> None:
    assert verdict(output, kind).passed is passed


def test_without_a_summary_the_exit_status_decides_where_it_tells() -> None:
    assert verdict("", code=0, tells=True).passed is True
    assert verdict("", code=0, tells=False).passed is None
    assert verdict("", code=2, tells=False).passed is False
    assert verdict("").passed is None


def test_a_summary_outweighs_the_status_of_the_pipe_it_went_through() -> None:
    assert verdict("1 failed, 3 passed in 0.1s", code=0, tells=False).passed is False


def test_a_failing_status_outweighs_a_passing_summary() -> None:
    assert verdict("3 passed in 0.1s\ncoverage too low", code=2, tells=True).passed is False


@pytest.mark.parametrize(
    "output",
    [
        "bash: pytest: command not found",
        "python: can't open file 'manage.py': [Errno 2] No such file or directory",
        'npm error Missing script: "test"',
    ],
)
def test_a_check_that_could_not_start_has_no_verdict(output: str) -> None:
    got = verdict(output, code=127, tells=True)
    assert got.passed is None
    assert not got.started


@pytest.mark.parametrize(
    "output",
    [
        "src/simd.c:12:10: fatal error: immintrin.h: No such file or directory\ncompilation terminated.",
        "/usr/bin/ld: cannot find -lwebp: No such file or directory\ncollect2: error: ld returned 1 exit status",
    ],
)
def test_a_compiler_that_misses_a_header_has_begun_and_failed(output: str) -> None:
    got = judge("build", output, 2, None, exit_tells=True)
    assert got.passed is False
    assert got.started


def test_a_missing_module_is_named() -> None:
    got = verdict("Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'asgiref'", code=1, tells=True)
    assert got.missing == "asgiref"


def test_the_line_is_an_exact_piece_of_the_output() -> None:
    output = "noise\n  ===== 12 passed in 0.34s =====  \n"
    assert verdict(output).line in output


def test_a_traceback_fails_a_script_though_the_status_was_lost() -> None:
    got = verdict('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad\n', "run", 0)
    assert got.passed is False
    assert got.line == "ValueError: bad"
