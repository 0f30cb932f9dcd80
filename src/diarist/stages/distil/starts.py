"""Lines that say that a check did not begin, or that nothing was checked. Each is looked for by a literal first."""

from __future__ import annotations

import re
from functools import cache

from diarist.text.lazy import lazy

_Rule = tuple[str, str]


def _rules(*rows: tuple[str, str]) -> tuple[_Rule, ...]:
    return rows


_NOT_STARTED = _rules(
    (": command not found", r".*: command not found"),
    ("command not found: ", r".*\bcommand not found: \S+"),
    (": not found", r"(?:ba|z|da)?sh: .*: not found"),
    ("can't open file ", r".*can't open file .*"),
    ("is not recognized as ", r".*is not recognized as .*"),
    ("issing script:", r"npm (?:ERR!|error) missing script:.*"),
    ("No rule to make target", r".*No rule to make target.*"),
    ("error: no such ", r"error: no such (?:sub)?command:? .*"),
    ("error: unrecognized arguments: ", r".*error: unrecognized arguments: .*"),
    ("usage: ", r"usage: .*"),
    # a compiler that misses a header, or a linker a library, has begun
    (": No such file or directory", r"(?!.*(?:\berror:|\bld: |:\d+:\d+: )).*: No such file or directory"),
    ("Could not find a ", r"Could not find a (?:task|target|script) .*"),
    ("Unknown ", r"(?:error|ERROR): .*Unknown (?:command|option).*"),
    ("Cannot find module '", r"(?:Error: )?Cannot find module '(?!\.).*"),
    ("could not determine executable", r".*could not determine executable to run.*"),
)
_IDLE = _rules(
    ("no tests ran", r"=* ?no tests ran in .*"),
    (" deselected", r"=* ?\d+ deselected in .*"),
    ("Ran 0 tests", r"Ran 0 tests in .*"),
    ("o test", r"No tests? (?:found|to run|were run|matched).*"),
    ("[no test files]", r"\[no test files\]"),
    ("running 0 tests", r"running 0 tests"),
    ("TIMED OUT", r".*\bEXECUTION TIMED OUT\b.*"),
    ("timed out", r"(?:Command|Process) timed out\b.*|.*\btimed out after \d+.*"),
    ("aborted", r"Command aborted|.*\baborted by (?:the )?user\b.*"),
    ("nterrupted by", r".*\binterrupted by (?:the )?user\b.*"),
    ("^C", r"\^C"),
    ("KeyboardInterrupt", r"KeyboardInterrupt"),
)
_MISSING = lazy(r"(?:ModuleNotFoundError|ImportError): No module named ['\"]?([\w-]+)|: No module named ([\w-]+)$", re.MULTILINE)


def not_started(text: str) -> str:
    """The line that says that the tool, its script or target is not there; empty where none does."""
    return _find(text, _NOT_STARTED)


def idle(text: str) -> str:
    """The line that says that nothing ran to its end: no tests, a time-out, an abort; empty where none does."""
    return _find(text, _IDLE)


def missing_module(text: str) -> tuple[str, str]:
    """The line that names a Python module that could not be found, and its name; empty where there is none."""
    found = _MISSING.search(text) if "No module named" in text else None
    return (found.group().strip(": "), found[1] or found[2]) if found else ("", "")


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """When it is first needed."""
    return re.compile(f"(?:{source})$", re.IGNORECASE)


def _find(text: str, rules: tuple[_Rule, ...]) -> str:
    for literal, pattern in rules:
        at = text.find(literal)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            line = text[start : end if end >= 0 else len(text)].strip()
            if len(line) < 2_000 and _compiled(pattern).match(line):
                return line[:300]
            at = text.find(literal, end) if end >= 0 else -1
    return ""
