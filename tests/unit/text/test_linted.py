"""What linters and type checkers report, in the forms they print it in."""

from __future__ import annotations

import pytest

from diarist.text.fingerprint import errors_in, family, fingerprint

FAULTS = [
    (
        "golangci-lint",
        "pkg/shelf/shelf.go:39:15: error returned from external package is unwrapped: sig: func io.Copy() error (wrapcheck)\n\treturn\n",
        ("error returned from external package is unwrapped: sig: func io.Copy() error (wrapcheck)", "pkg/shelf/shelf.go:39"),
    ),
    (
        "golint",
        "shelf/api.go:7:1: exported function Open should have comment (golint)",
        ("exported function Open should have comment (golint)", "shelf/api.go:7"),
    ),
    ("staticcheck", "shelf.go:4:2: this value of err is never used (SA4006)", ("this value of err is never used (SA4006)", "shelf.go:4")),
    ("ruff", "jam/pot.py:3:1: F401 [*] `json` imported but unused", ("F401 `json` imported but unused", "jam/pot.py:3")),
    (
        "ruff, full",
        "F401 [*] `json` imported but unused\n --> jam/pot.py:3:8\n  |\n3 | import json\n  |        ^^^^\n",
        ("F401 `json` imported but unused", "jam/pot.py:3"),
    ),
    ("ruff, syntax", "jam/pot.py:9:4: invalid-syntax: Expected a statement", ("invalid-syntax: Expected a statement", "jam/pot.py:9")),
    (
        "flake8",
        "./jam/pot.py:14:5: F841 local variable 'lid' is assigned to but never used",
        ("F841 local variable 'lid' is assigned to but never used", "./jam/pot.py:14"),
    ),
    (
        "pylint",
        "************* Module jam\njam/pot.py:4:0: C0116: Missing function or method docstring (missing-function-docstring)",
        ("C0116 Missing function or method docstring (missing-function-docstring)", "jam/pot.py:4"),
    ),
    (
        "mypy",
        'jam/pot.py:14: error: Incompatible return value type (got "str", expected "int")  [return-value]',
        ('Incompatible return value type (got "str", expected "int")  [return-value]', "jam/pot.py:14"),
    ),
    (
        "pyright",
        '/w/jam\n  /w/jam/pot.py:14:12 - error: Type "str" is not assignable (reportReturnType)',
        ('Type "str" is not assignable (reportReturnType)', "/w/jam/pot.py:14"),
    ),
    (
        "eslint",
        "/w/web/lid.ts\n  2:7   warning  Unexpected any  no-explicit-any\n  12:7  error    'lid' is never used  no-unused-vars\n",
        ("'lid' is never used no-unused-vars", "/w/web/lid.ts:12"),
    ),
    (
        "eslint, compact",
        "/w/web/lid.ts: line 12, col 7, Error - 'lid' is never used. (no-unused-vars)",
        ("'lid' is never used. (no-unused-vars)", "/w/web/lid.ts:12"),
    ),
    (
        "eslint, unix",
        "/w/web/lid.ts:12:7: 'lid' is never used. [Error/no-unused-vars]",
        ("'lid' is never used. (no-unused-vars)", "/w/web/lid.ts:12"),
    ),
    (
        "stylelint",
        'web/lid.css\n  4:10  ✖  Unexpected unknown property "colr"  property-no-unknown\n',
        ('Unexpected unknown property "colr" property-no-unknown', "web/lid.css:4"),
    ),
    (
        "biome",
        "web/lid.ts:12:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━━━━━━\n\n  × This variable lid is unused.\n\n",
        ("lint/correctness/noUnusedVariables This variable lid is unused.", "web/lid.ts:12"),
    ),
    (
        "oxlint",
        "  x no-unused-vars: Variable 'lid' is declared but never used.\n   ,-[web/lid.ts:12:7]\n",
        ("no-unused-vars: Variable 'lid' is declared but never used.", "web/lid.ts:12"),
    ),
    (
        "tsc",
        "web/lid.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.",
        ("TS2322 Type 'string' is not assignable to type 'number'.", "web/lid.ts:12"),
    ),
    (
        "rubocop",
        "app/lid.rb:3:5: W: [Correctable] Lint/UselessAssignment: Useless assignment to variable - lid.",
        ("Lint/UselessAssignment Useless assignment to variable - lid.", "app/lid.rb:3"),
    ),
    (
        "phpstan",
        (
            " ------ ---------------\n  Line   src/Lid.php\n ------ ---------------\n  14     Method Lid::size() should return int\n"
            "         but returns string.\n         🪪  return.type\n"
        ),
        ("Method Lid::size() should return int but returns string.", "src/Lid.php:14"),
    ),
    (
        "phpcs",
        "FILE: /w/src/Lid.php\n-----\n 14 | ERROR | [x] Expected 1 space after closing parenthesis; found 0\n",
        ("Expected 1 space after closing parenthesis; found 0", "/w/src/Lid.php:14"),
    ),
    (
        "ktlint",
        "src/Lid.kt:9:1: Unused import (standard:no-unused-imports)",
        ("Unused import (standard:no-unused-imports)", "src/Lid.kt:9"),
    ),
    (
        "detekt",
        "src/Lid.kt:9:5: The function close is too long (90). The maximum length is 60. [LongMethod]",
        ("The function close is too long (90). The maximum length is 60. [LongMethod]", "src/Lid.kt:9"),
    ),
    (
        "hadolint",
        "Dockerfile:3 DL3008 warning: Pin versions in apt get install.",
        ("DL3008 Pin versions in apt get install.", "Dockerfile:3"),
    ),
    (
        "actionlint",
        '.github/workflows/ci.yml:8:9: unexpected key "run-on" for "job" section [syntax-check]',
        ('unexpected key "run-on" for "job" section [syntax-check]', ".github/workflows/ci.yml:8"),
    ),
    (
        "markdownlint",
        "README.md:14:1 MD022/blanks-around-headings Headings should be surrounded by blank lines",
        ("MD022/blanks-around-headings Headings should be surrounded by blank lines", "README.md:14"),
    ),
    ("yamllint", "ci.yml:3:1: [error] trailing spaces (trailing-spaces)", ("trailing spaces (trailing-spaces)", "ci.yml:3")),
    (
        "clang-tidy",
        "/w/lid.cpp:90:3: error: no matching function for call to 'bind' [clang-diagnostic-error]",
        ("no matching function for call to 'bind' [clang-diagnostic-error]", "/w/lid.cpp:90"),
    ),
    (
        "checkstyle",
        "[ERROR] /w/src/Lid.java:4:9: Missing a Javadoc comment. [MissingJavadocMethod]",
        ("Missing a Javadoc comment. [MissingJavadocMethod]", "/w/src/Lid.java:4"),
    ),
    (
        "bandit",
        ">> Issue: [B602:subprocess_popen] subprocess call with shell=True identified.\n   Severity: High\n   Location: ./jam/run.py:9:4\n",
        ("[B602:subprocess_popen] subprocess call with shell=True identified.", "./jam/run.py:9"),
    ),
]


@pytest.mark.parametrize(("tool", "text", "told"), FAULTS, ids=[tool for tool, *_ in FAULTS])
@pytest.mark.parametrize("failed", [False, True])
def test_a_report_is_an_error_with_its_place(tool: str, text: str, told: tuple[str, str], *, failed: bool) -> None:
    assert [(error.message, error.where) for error in errors_in(text, failed=failed)] == [told]


WARNINGS = [
    (
        "shellcheck, gcc",
        "up.sh:9:6: warning: Double quote to prevent globbing. [SC2086]\nup.sh:3:1: note: lid appears unused. [SC2034]",
        ["Double quote to prevent globbing. [SC2086]", "lid appears unused. [SC2034]"],
    ),
    (
        "shellcheck",
        "In up.sh line 9:\nrm -rf $LID\n       ^--^ SC2086 (info): Double quote to prevent globbing.\n",
        ["SC2086 Double quote to prevent globbing."],
    ),
    (
        "tflint",
        (
            '1 issue(s) found:\n\nWarning: variable "lid" is declared but not used (terraform_unused_declarations)\n'
            '\n  on lids.tf line 1:\n   1: variable "lid" {\n'
        ),
        ['variable "lid" is declared but not used (terraform_unused_declarations)'],
    ),
    (
        "tflint, compact",
        'lids.tf:1:1: Warning - variable "lid" is declared but not used (terraform_unused_declarations)',
        ['variable "lid" is declared but not used (terraform_unused_declarations)'],
    ),
    (
        "clang-tidy",
        "/w/lid.cpp:88:12: warning: use nullptr [modernize-use-nullptr]\n  return 0;\n",
        ["use nullptr [modernize-use-nullptr]"],
    ),
    (
        "go vet",
        "# jam/pot\n./pot.go:12:2: fmt.Printf format %d has arg s of wrong type string\n",
        ["fmt.Printf format %d has arg s of wrong type string"],
    ),
]


@pytest.mark.parametrize(("tool", "text", "messages"), WARNINGS, ids=[tool for tool, *_ in WARNINGS])
def test_a_warning_counts_only_where_something_failed(tool: str, text: str, messages: list[str]) -> None:
    assert errors_in(text) == []
    assert [error.message for error in errors_in(text, failed=True)] == messages


def test_a_warning_gives_way_to_the_error_beside_it() -> None:
    text = "src/lid.c:3:7: warning: unused variable 'lid' [-Wunused-variable]\nsrc/lid.c:9:1: error: expected ';' before '}' token\n"

    assert [error.message for error in errors_in(text, failed=True)] == ["expected ';' before '}' token"]


@pytest.mark.parametrize(
    "text",
    [
        "src/lid.py:12:5:    return lid (or None)",  # a search result with columns
        "docs/lids.md:3:1:See the drawing (left)",
        "src/lid.py:12:    raise ValueError(lid)",
        "  tests/lid.spec.ts:12:5 › closes (chromium)",
        "@@ -1,2 +1,2 @@\n+src/lid.go:3:1: unused (unused)\n",
        "    at close (/w/web/lid.js:12:7)",
        "10:04:33:12: closed (lid)",
        "  Line  one of the poem",
    ],
)
def test_what_only_looks_like_a_report_is_none(text: str) -> None:
    assert errors_in(text) == []


def test_a_finding_is_the_same_fault_in_another_file_and_another_form() -> None:
    short = errors_in("jam/pot.py:3:1: F401 [*] `json` imported but unused")[0]
    full = errors_in("F401 `json` imported but unused\n --> /srv/other/lid.py:80:8\n  |\n")[0]

    assert short.fingerprint == full.fingerprint


def test_lines_of_a_report_are_not_taken_for_one_line_that_was_wrapped() -> None:
    text = "jam/pot.py:3:1: F401 [*] `json` imported but unused\njam/pot.py:40:80: E501 Line too long (99 > 88)\nFound 2 errors."

    assert [error.message for error in errors_in(text, failed=True)] == ["F401 `json` imported but unused", "E501 Line too long (99 > 88)"]


def javac(path: str, kind: str, symbol: str, prefix: str = "") -> str:
    head = f"[ERROR] {path}:[4,9] cannot find symbol" if prefix else f"{path}:4: error: cannot find symbol\n    it\n    ^"
    return f"{head}\n{prefix}  symbol:   {kind} {symbol}\n{prefix}  location: class Lid\n"


def test_another_symbol_that_javac_cannot_find_is_another_fault_of_the_family() -> None:
    one, other = errors_in(javac("src/Lid.java", "method", "close(int)"))[0], errors_in(javac("src/Lid.java", "class", "Hinge"))[0]

    assert (one.message, other.message) == ("cannot find symbol 'close' (method)", "cannot find symbol 'Hinge' (class)")
    assert one.fingerprint != other.fingerprint
    assert fingerprint(one.message) == one.fingerprint
    assert family(one.fingerprint)  # of the same form


def test_the_same_symbol_is_the_same_fault_in_another_file_and_through_maven() -> None:
    one, other = javac("src/Lid.java", "class", "Hinge"), javac("/w/src/Pot.java", "class", "Hinge", "[ERROR] ")

    assert errors_in(one)[0].fingerprint == errors_in(other)[0].fingerprint
