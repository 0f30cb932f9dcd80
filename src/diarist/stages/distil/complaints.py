"""Errors in the output of a command that is known to have failed, or that says so in its own name.

`text.fingerprint.errors_in` finds what is an error wherever it stands. Here more is known: a check failed, so its lines
`file:line: message` and the names of its failed tests are errors too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile
from typing import NamedTuple

from diarist.model.entry import CommandKind
from diarist.stages.distil.failures import AROUND
from diarist.text.fingerprint import FoundError, errors_in, fingerprint
from diarist.text.lazy import lazy

MOST = 8
_WORD = lazy(r"\w+")
_BARE = lazy(
    r"\W*\w*(?:error|exception|failed|failure)\W*$|File \"|(?:path|command|location|code|errno|syscall|workspace|cwd) \S|"
    r"Lifecycle script|A complete log|Checked \d+ files|.*[━─═]{5,}|Debugger attached|.*\[no test files\]|Waiting for the debugger|"
    rf"(?:…|\.{{3}}) \+?\d+ (?:more )?lines?\b|[=*#-]{{5,}}|{AROUND}",
    re.IGNORECASE,
)
_AROUND = lazy(rf"(?:{AROUND})\Z", re.IGNORECASE)
_LETTERS = lazy(r"[^\W\d_]")
_PLACED = lazy(
    r"\s*(?:\[[\w:./-]{1,30}\]\s+)?(?P<where>(?:[A-Za-z]:)?[\w./\\@+-]*\w\.\w{1,8}(?::\d+|\(\d+)(?:[:,"
    r"]\d+\)?)?)\)?:?\s+(?P<message>(?!in \S+$|\d+ passed).{6,300})$"
)
_PLACE = lazy(r"\w\.\w{1,8}[:(]\d")
_GO_PLACE = lazy(r"\s+\S+\.go:\d+: ")
_TEST_STARTS = ("FAILED", "ERROR", "FAIL:", "✕", "✗", "×", "✘", "●", "not ok", "test ")
_GO_TEST = lazy(r"\s*--- FAIL: (?P<name>\S+)(?: \([\d.]+s\))?$")
_TEST = lazy(
    r"\s*(?:(?:FAILED|ERROR) (?P<pytest>\S+::\S+)(?: - (?P<why>.*))?|(?:FAIL|ERROR): (?P<unittest>\w+ \(\S+\)).*|(?:✕|✗|×|"
    r"✘) (?P<js>\S.{3,160}?)(?: \(?\d+ ?ms\)?)?|● (?P<jest>.{3,160} › .{3,160})|"
    r"not ok \d+ -? ?(?P<tap>\S.*)|test (?P<rust>\S+) \.\.\. FAILED|FAILED: (?P<other>\S.{2,160}))$"
)
_SPEAKS = lazy(r"(?P<name>\(eval\)|[\w./+-]{1,60})(?::\d+)?: (?:line \d+: )?(?P<message>.{2,300})$")
_FAULT = lazy(
    r"no such file|not found|cannot |can't |permission denied|is a directory|not a directory|no matches|not a git|invalid|unknown|"
    r"unrecognized|illegal|missing|refused|denied|unable to|failed|expected|\bwant\b|\bgot\b|error|should|mismatch|"
    r"fehler|nicht gefunden|keine berechtigung|introuvable|aucun fichier|no existe|"
    r"見つかりません|ありません|没有那个|未找到|нет такого|не найден",
    re.IGNORECASE,
)
_ANNOUNCED = lazy(
    r"\s*(?:An? |Unexpected |Caught |\W{1,4})?(?:\w*Error|\w*Exception|ERROR|error|Failed to|Failure|Fehler|Erreur)\b[^:\n]{0,60}: "
    r"(?!\(?(?:none|0|null)\b|[=*#-]{5}).{6,}$"
)
_LOOKS_LIKE_TEST = lazy(r" > | › |\bshould\b|\btest\b|\(\d+ ?ms\)", re.IGNORECASE)
_REPORT = lazy(r"[:/\\_`\"\d()\[\]{}=]|\w(?:Error|Exception)\b|[^\x00-\x7f]")
"""What a message of a program holds, and a sentence in plain words ("can't you just …") does not."""
_OF_PROGRAM = lazy(
    r"(?!(?:bug|issue|fix|feat|feature|docs?|regression|question|task|title|problem|error)\b[^:]{0,20}: (?![\w.]*(?:Error|Exception)\b))"
    r"(?:\W{0,3}[\w./\\-]*\w(?:\[\w+\]|\([\d:,]+\)|:\d+)*: ?\S|[\w.]*(?:Error|Exception)\b|"
    r".{0,200}?(?:^|\s)(?:['\"`]\S|[\w./-]+: [\w./-]+: \S))",
    re.IGNORECASE,
)
"""How the messages of programs begin, or that they quote a name: what opens a longer report without it is its title."""
_FOLLOW_UP = lazy(
    r"task failed|command failed|exit(?:ed)?(?: with)?(?: status| code)? \d+|build failed|tests? failed|error: script", re.IGNORECASE
)


def complaints(output: str, kind: CommandKind, programs: frozenset[str], *, failed: bool) -> list[FoundError]:
    """The distinct errors of a command's output, most telling first found; what only follows from another error is left out."""
    if failed and kind == "search":
        return _distinct(_made(_spoken(output, None)) or errors_in(output))
    if failed:
        found = errors_in(output, failed=True)
        placed = _placed(output) if kind in ("test", "build", "lint", "typecheck", "run") else iter(())
        known = [set(_WORD.findall(error.message.lower())) for error in found]
        own = _made(said for said in placed if not any(_says_same(said.message, words) for words in known))
        if own and all(_FOLLOW_UP.search(error.message) for error in found):
            found = []
        tests = [error for error in own if error.message.split(":", 1)[0].endswith(" failed")]
        return _distinct([*tests, *found, *(error for error in own if error not in tests)])
    return _distinct(_made(chain(_spoken(output, programs), _announced(output) if kind in ("run", "test") else ())))


def reported(text: str) -> list[FoundError]:
    """The distinct errors that a person's request holds: messages of programs, not what the person says in their own words.

    A title that words an error anew ("Broken on start (KeyError: 'total')") is no error beside the one it words.
    """
    found = [error for error in errors_in(text) if _REPORT.search(error.message)]
    title, _, below = text.strip().partition("\n")
    if below.strip():
        found = [error for error in found if not title.startswith(error.message[:60]) or _OF_PROGRAM.match(error.message)]
    return [error for error in found if not any(len(each.message) >= 12 and _words_anew(error, each) for each in found)]


def _words_anew(error: FoundError, other: FoundError) -> bool:
    """Does a message hold the whole of a shorter one, and say nothing else that a program would?"""
    return len(other.message) < len(error.message) and other.message in error.message


def _made(said: Iterable[_Said]) -> list[FoundError]:
    """The first few distinct ones, each with its fingerprint."""
    distinct: dict[str, _Said] = {}
    for one in said:
        distinct.setdefault(one.message, one)
        if len(distinct) >= MOST:
            break
    return [FoundError(one.message[:300], fingerprint(one.message), one.where, one.line, ()) for one in distinct.values()]


def _says_same(message: str, words: set[str]) -> bool:
    mine = set(_WORD.findall(message.lower()))
    return len(mine & words) >= 0.75 * min(len(mine), len(words))


def _distinct(errors: list[FoundError]) -> list[FoundError]:
    errors = [error for error in errors if not _AROUND.match(error.message)]
    telling = [error for error in errors if not _BARE.match(error.message) and len(_LETTERS.findall(error.message)) >= 8]
    return list({error.fingerprint: error for error in reversed(telling or errors)}.values())[::-1][:MOST]


class _Said(NamedTuple):
    message: str
    where: str
    line: int


def _placed(output: str) -> Iterator[_Said]:
    """Failed tests by name, and lines `file:line: message`."""
    lines = output.split("\n")
    for number, line in enumerate(lines):
        if len(line) > 400 or not (":" in line or "(" in line or "FAIL" in line or not line.isascii()):
            continue
        named = _failed_test(lines, number)
        if named is not None:
            yield named
        elif _PLACE.search(line):
            placed = _PLACED.match(line)
            if placed and not line.lstrip().startswith(("at ", "File ", "from ")) and not _GO_PLACE.match(line):
                yield _Said(placed["message"].strip(), placed["where"], number)


def _failed_test(lines: list[str], number: int) -> _Said | None:
    bare = lines[number].lstrip()
    if bare.startswith("--- FAIL: "):
        go = _GO_TEST.match(bare)
        if go:
            said = _go_says(lines, number)
            if not said and any(f"--- FAIL: {go['name']}/" in text for text in lines[number + 1 :]):
                return None  # what failed are its parts, and they tell for themselves
            return _Said(f"{go['name']} failed" + (f": {said}" if said else ""), said.split(": ", 1)[0] if said else "", number)
    if bare.startswith(_TEST_STARTS):
        test = _TEST.match(bare)
        if test:
            name = next(value for key, value in test.groupdict().items() if value and key != "why")
            if bare[0] in "×✘✕✗" and not _LOOKS_LIKE_TEST.search(name):
                return _Said(name, "", number)  # a linter's message
            return _Said(f"{name} failed" + (f": {test['why']}" if test["why"] else ""), "", number)
    return None


def _go_says(lines: list[str], number: int) -> str:
    """What stands below "--- FAIL: TestX" of the fault, up to the next test."""
    below = takewhile(lambda text: not text.lstrip().startswith("--- "), lines[number + 1 : number + 12])
    placed = [text.strip() for text in below if _GO_PLACE.match(text)]
    return next((text for text in placed if _FAULT.search(text)), placed[-1] if len(placed) == 1 else "")


def _spoken(output: str, programs: frozenset[str] | None) -> Iterator[_Said]:
    """Lines such as "ls: cannot access 'x'" by one of these programs, or by any (None)."""
    if programs is not None and not any(f"{name}:" in output for name in programs):
        return
    for number, line in enumerate(output.split("\n")[:40]):
        match = _SPEAKS.match(line.strip()) if ": " in line and len(line) < 400 else None
        if match and (programs is None or match["name"].rsplit("/", 1)[-1] in programs) and _FAULT.search(match["message"]):
            yield _Said(line.strip(), "", number)


def _announced(output: str) -> Iterator[_Said]:
    """Lines such as "Error while reading x: …" that a program prints and goes on."""
    for number, line in enumerate(output.split("\n")):
        if ": " in line and len(line) < 400 and _ANNOUNCED.match(line):
            yield _Said(line.strip(), "", number)
