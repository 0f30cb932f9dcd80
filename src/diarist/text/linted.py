"""What linters and type checkers report, whatever they call an error: a place, a rule and a message, in one line or in a block.

Each form is looked for by a piece of text that only it holds, so that other texts cost next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from diarist.text.lazy import lazy
from diarist.text.prefix import strip
from diarist.text.signs import NOTED, SURE, Sign

Found: TypeAlias = Iterator[tuple[int, Sign]]

_LONGEST = 1_500
"""Characters of a line: longer ones are data."""
_BARE_FILES = ("Dockerfile", "Containerfile", "Makefile", "Jenkinsfile", "Rakefile", "Gemfile")
_SPOT = lazy(r":\d+:\d+(?:-\d+(?::\d+)?)?:? \S|:\d+ (?:error |warning )?[A-Z]{2}\d{3,4}\b")
_PLACED = lazy(
    r"(?P<inset>\s{0,4})(?:vet: )?(?P<path>(?:[A-Za-z]:)?[^\s:()|'\"\[]{1,300}):(?P<line>\d+)(?P<column>:\d+)?(?:-\d+(?::\d+)?)?:?"
    r"(?: -)? (?P<said>[\w\"'`\[<%].*)\Z"
)
_LEVEL = lazy(r"(?:(\w+)(?::| -)|\[(\w+)\]) (?=\S)")
_LEVELS = frozenset({"fatal", "error", "warning", "info", "note", "style", "notice"})
_CODE = lazy(
    r"(?:error |warning )?(?:\[?(?P<code>[A-Z]{1,4}\d{3,5})\]?(?P<name>/[\w/-]+)?:? |[CEFWR]: (?:\[Correctable\] )?(?P<cop>[A-Z]\w+/\w+): )"
    r"(?:(?:error|warning|info|style): )?(?:\[\*\] )?(?P<said>.+)\Z"
)
_NAMED = lazy(r"(?:SyntaxError|[a-z]+(?:-[a-z]+)+): .{4,}\Z")
_RULE = r"[A-Za-z@][\w@.-]{2,}(?:[/:][\w@./:-]+)?"
_RULED = lazy(rf"(?P<said>.{{4,600}}?) ?(?:\((?P<rule>{_RULE})\)|\[(?P<boxed>{_RULE})\])\Z")
_UNIX = lazy(r"(?P<said>.{4,600}?) \[(?P<level>Error|Warning)(?P<rule>/[^\]\s]+)?\]\Z")
_TABLE = lazy(r"\s{1,8}(\d+):\d+\s+(error|warning|info|[✖×⚠ℹ!])\s+(\S.*)\Z")
_GO = lazy(r"[a-z%\"`].{5,}\Z")
_UP = 200
"""Lines above one of a table in which the name of its file is looked for."""


def has_linted(text: str) -> bool:
    """A quick look: may it hold what a linter reports?"""
    if _SPOT.search(text):
        return True
    return any(piece in text for piece, _ in _FORMS)


def find_linted(lines: list[str], text: str) -> dict[int, Sign]:
    """By index of its line what each report says; `text`: the lines joined. Warnings are `NOTED`: they count where nothing else failed."""
    found = dict(_placed(lines, text)) if _SPOT.search(text) else {}
    for piece, look in _FORMS:
        if piece in text:
            for at, sign in look(lines):
                found.setdefault(at, sign)
    return found


def _strength(level: str) -> int:
    return NOTED if level.lower() in ("warning", "info", "note", "style", "notice", "⚠", "ℹ", "!", "i") else SURE


def _placed(lines: list[str], text: str) -> Found:
    """`file:line:column: message (rule)` and its like."""
    for at in _lines_of(_SPOT, text):
        placed = _PLACED.match(strip(lines[at]).text) if len(lines[at]) < _LONGEST else None
        if placed is None or not _is_file(placed["path"]):
            continue
        sign = _said(placed)
        if sign is not None:
            yield at, sign._replace(where=f"{placed['path']}:{placed['line']}")


def _lines_of(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """Numbers of the lines that a pattern is found in, each once."""
    number, before, last = 0, 0, -1
    for match in pattern.finditer(text):
        number += text.count("\n", before, match.start())
        before = match.start()
        if number != last:
            last = number
            yield number


def _is_file(path: str) -> bool:
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return ("." in name.strip(".") and not name.replace(".", "").isdigit()) or name in _BARE_FILES


def _said(placed: re.Match[str]) -> Sign | None:
    said = placed["said"].rstrip()
    if "(related information)" in said:
        return None
    if coded := _CODE.match(said):
        rule = coded["cop"] or coded["code"] + (coded["name"] or "")
        return Sign(f"{rule} {coded['said']}")
    if unix := _UNIX.match(said):
        return Sign(f"{unix['said']} ({(unix['rule'] or '/error')[1:]})", _strength(unix["level"]))
    found = _LEVEL.match(said)
    level = (found[1] or found[2]).lower() if found else ""
    if found is None or level not in _LEVELS:
        return _without_level(said, placed)
    strength = _strength(level)
    if strength == SURE and found[1] and not placed["inset"]:
        return None  # as compilers say it: read where they are
    said = said[found.end() :]
    return Sign(said, strength) if strength == SURE or _RULED.match(said) else None


def _without_level(said: str, placed: re.Match[str]) -> Sign | None:
    if not placed["column"]:
        return None
    if _RULED.match(said) or _NAMED.match(said):
        return Sign(said)
    return Sign(said, NOTED) if placed["path"].endswith(".go") and _GO.match(said) else None


def _tables(lines: list[str]) -> Found:
    """Lines `12:7  error  message  rule` below the name of their file."""
    path, last = "", -1
    for at, line in enumerate(lines):
        found = _TABLE.match(line)
        if found is None:
            continue
        above = next((lines[up] for up in range(at - 1, max(last, at - _UP, -1), -1) if lines[up][:1].strip()), "")
        path, last = (above.strip() if _is_file(above.strip().rsplit(" ", 1)[-1]) else path), at
        yield at, Sign(" ".join(found[3].split()), _strength(found[2]), f"{path}:{found[1]}" if path else "")


_COMPACT = lazy(r"(\S.{0,300}?): line (\d+), col \d+, (Error|Warning) - (.+)\Z")


def _compact(lines: list[str]) -> Found:
    """ESLint's compact form."""
    for at, line in enumerate(lines):
        if ", col " in line and (found := _COMPACT.match(line)):
            yield at, Sign(found[4], _strength(found[3]), f"{found[1]}:{found[2]}")


_SHELL = lazy(r"\s*\^-*\^? (SC\d{4}) \((error|warning|info|style)\): (.+)\Z")
_SHELL_PLACE = lazy(r"In (\S+) line (\d+):")


def _shellcheck(lines: list[str]) -> Found:
    for at, line in enumerate(lines):
        if "^" in line and (found := _SHELL.match(line)):
            place = next((place for up in range(at - 1, max(at - 8, -1), -1) if (place := _SHELL_PLACE.match(lines[up]))), None)
            yield at, Sign(f"{found[1]} {found[3]}", _strength(found[2]), f"{place[1]}:{place[2]}" if place else "")


_ARROW = lazy(r"\s*(?:-->|╭─\[|,-\[) ?([^\s\]]+?):(\d+)")
_HEADED = lazy(r"(?:([A-Z]{1,4}\d{3,5}) (?:\[\*\] )?|([a-z]+-[a-z-]+): )(.+)\Z")
_CROSSED = lazy(r"\s{0,4}([x×✖!⚠]) ([\w@/-]+(?:\([\w@/-]+\))?): (.+)\Z")


def _pointed(lines: list[str]) -> Found:
    """A rule and its message, and below them an arrow to the place (Ruff, oxlint)."""
    for at, line in enumerate(lines[1:], 1):
        place = _ARROW.match(line) if "[" in line or "-->" in line else None
        if place is None:
            continue
        where = f"{place[1]}:{place[2]}"
        if headed := _HEADED.match(lines[at - 1]):
            yield at - 1, Sign(f"{headed[1]} {headed[3]}" if headed[1] else f"{headed[2]}: {headed[3]}", SURE, where)
        elif crossed := _CROSSED.match(lines[at - 1]):
            yield at - 1, Sign(f"{crossed[2]}: {crossed[3]}", _strength(crossed[1]), where)


_BIOME = lazy(r"(\S+?):(\d+):\d+ ((?:lint|assist|parse|suppressions)[\w/]*) .*━")
_MARKED = lazy(r"\s{0,4}([×✖x!⚠ℹi]) (\S.*)\Z")


def _biome(lines: list[str]) -> Found:
    for at, line in enumerate(lines):
        found = _BIOME.match(line) if "━" in line else None
        marked = next((marked for below in lines[at + 1 : at + 5] if (marked := _MARKED.match(below))), None) if found else None
        if found and marked:
            yield at, Sign(f"{found[3]} {marked[2]}", _strength(marked[1]), f"{found[1]}:{found[2]}")


_TERRAFORM = lazy(r"(Error|Warning|Notice): (.+ \(\w+_\w+\))\Z")
_TERRAFORM_PLACE = lazy(r"  on (\S+) line (\d+)")


def _tflint(lines: list[str]) -> Found:
    for at, line in enumerate(lines):
        if line[:2] in ("Er", "Wa", "No") and (found := _TERRAFORM.match(line)):
            place = next((place for below in lines[at + 1 : at + 4] if (place := _TERRAFORM_PLACE.match(below))), None)
            if place:
                yield at, Sign(found[2], _strength(found[1]), f"{place[1]}:{place[2]}")


_PHP_HEAD = lazy(r"\s+Line\s{2,}(\S+\.\w+)\s*\Z")
_PHP_ROW = lazy(r"\s{1,4}:?(\d+)\s{2,}(\S.*)\Z")
_PHP_MORE = lazy(r"\s{9,}([^\W_].*)\Z")
_CS_ROW = lazy(r"\s*(\d+) \| (ERROR|WARNING) +\| (?:\[[x ]\] )?(.+)\Z")


def _phpstan(lines: list[str]) -> Found:
    """Rows below "Line   src/Cart.php"; a message may go on in the lines below its own."""
    path = ""
    for at, line in enumerate(lines):
        if head := _PHP_HEAD.match(line):
            path = head[1]
        elif path and (row := _PHP_ROW.match(line)):
            said = [row[2].rstrip()]
            for below in lines[at + 1 : at + 4]:
                more = _PHP_MORE.match(below)
                if more is None:
                    break
                said.append(more[1].rstrip())
            yield at, Sign(" ".join(said), SURE, f"{path}:{row[1]}")


def _phpcs(lines: list[str]) -> Found:
    path = ""
    for at, line in enumerate(lines):
        if line.startswith("FILE: "):
            path = line[6:].strip()
        elif row := _CS_ROW.match(line):
            yield at, Sign(row[3].rstrip(), _strength(row[2]), f"{path}:{row[1]}" if path else "")


_BANDIT_PLACE = lazy(r"\s*Location: (\S+?:\d+)(?::\d+)?\s*\Z")


def _bandit(lines: list[str]) -> Found:
    for at, line in enumerate(lines):
        if line.startswith(">> Issue: ["):
            place = next((place for below in lines[at + 1 : at + 6] if (place := _BANDIT_PLACE.match(below))), None)
            yield at, Sign(line.removeprefix(">> Issue: ").rstrip(), SURE, place[1] if place else "")


_FORMS: tuple[tuple[str, Callable[[list[str]], Found]], ...] = (
    ("  error  ", _tables),
    ("  warning  ", _tables),
    ("  ✖  ", _tables),
    (", col ", _compact),
    (" (info): ", _shellcheck),
    (" (style): ", _shellcheck),
    (" (warning): ", _shellcheck),
    (" (error): ", _shellcheck),
    ("\n --> ", _pointed),
    ("\n  --> ", _pointed),
    ("─[", _pointed),
    (",-[", _pointed),
    (" lint/", _biome),
    ("\n  on ", _tflint),
    (" Line  ", _phpstan),
    (" | ERROR", _phpcs),
    (" | WARNING", _phpcs),
    (">> Issue: [", _bandit),
)
"""A piece that only texts of a form hold, and what reads it."""
