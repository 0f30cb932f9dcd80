"""What a failed tool call says, and whether a call failed where the format has no flag for it."""

from __future__ import annotations

import re

from diarist.text.fingerprint import FoundError
from diarist.text.lazy import lazy

HEAD = 6_000
TAIL = 10_000
LINE = 600
"""Characters read of one line: longer ones are data, not messages."""

_MARKUP = lazy(r"</?(?:tool_use_error|error|result|output|stdout|stderr|returncode|system-reminder)>")
AROUND = (
    r"platform \w+ -- Python .*|(?:rootdir|plugins|cachedir|configfile|testpaths|hook id|duration|- hook id|- duration): .*|"
    r"collecting \.\.\..*|"
    r"collected \d+ items?\b.*|.{1,80}?\.{4,}(?:\(.{1,30}\))?(?:Passed|Skipped)|testing: warning: no tests to run|"
    r"\d+ files? (?:reformatted|left unchanged)\b.*|.*\(\d+ fixed, 0 remaining\).*|\(Use .node --trace-\S+ .*"
)
"""What runners of tests and hooks print around their results: none of it says what failed."""
_SKIP = lazy(
    rf"\s*(?:{AROUND}|"
    r"Exit code:? ?-?\d+|\(?exit(?:ed)?(?: with)?(?: code| status)? -?\d+\)?|Wall time.*|Output:|Chunk ID.*|"
    r"Process exited with code \d+|Total output lines.*|\[?(?:request )?interrupted by (?:the )?user\b.*|"
    r"Original token count.*|\[?(?:stdout|stderr)\]?:?|Command (?:failed|exited) with.*code \d+\.?|"
    r"(?:error: *)?[=*#-]{5,}.*|Sibling tool call errored|[\W_]*)\Z",
    re.IGNORECASE,
)
_FAILED = lazy(
    r"\s*(?:<tool_use_error>|\[?(?:error|fehler|erreur|エラー|错误|錯誤)\b|.{0,60}\b(?:error|exception)\b ?(?:"
    r"\(|:|while|executing|occurred|"
    r"running|calling)|(?:failed|unable|cannot|could not|invalid|no replacement was performed|"
    r"string to replace not found|no such file|file not found|file does not exist|permission denied|unknown (?:tool|command|function)|"
    r"tool .{1,60} (?:not found|does not exist|failed)|"
    r"your (?:proposed )?(?:edit|command|call).{0,80}(?:not|error|fail|syntax|invalid)|usage:|the (?:old|search) (?:string|text).{0,"
    r"60}not)\b)",
    re.IGNORECASE,
)


_TURNED_DOWN = lazy(
    r"\b(?:not found|not been read|unexpectedly|read it again|matches of the string|no changes|already exists|does not exist|"
    r"failed|cannot|denied|must be unique)\b",
    re.IGNORECASE,
)
_DONE = lazy(
    r"\b(?:updated|edited|created|written|applied|saved|replaced|deleted|moved)\b(?: \w+)? ?success|"
    r"successfully|has been (?:updated|edited|created)",
    re.IGNORECASE,
)


_SPEAKS_OF_FAULT = lazy(
    r"error|fail|exception|\bnot\b|cannot|can't|denied|invalid|unexpected|missing|undefined|abort|refus|panic|unable|fatal|expected|mismatch|"
    r"fehler|erreur|fallo|エラー|失敗|错误|失败",
    re.IGNORECASE,
)
_PIECES_OF_FAULT = tuple(piece for piece in _SPEAKS_OF_FAULT.pattern.split("|") if "\\" not in piece)
_NO_FAULT = lazy(r"\b(?:0|no|without) (?:errors?|failures?|failed|issues?|warnings?)\b|no test files|success", re.IGNORECASE)


def window(text: str) -> str:
    """The beginning and the end of a long output, whole lines, and of a long line its beginning; a short one as it is."""
    if len(text) > HEAD + TAIL:
        head = text.rfind("\n", 0, HEAD)
        tail = text.find("\n", len(text) - TAIL)
        text = text[: head if head > 0 else HEAD] + "\n" + text[tail + 1 if tail >= 0 else len(text) - TAIL :]
    if len(text) > LINE and max(map(len, lines := text.split("\n"))) > LINE:
        return "\n".join([line[:LINE] for line in lines])
    return text


def failure_line(text: str) -> str:
    """The line of a failed call's output that says most: the first one that is not only "Exit code 1"; two, if it ends in a colon."""
    lines = [line.strip() for line in _MARKUP.sub("", text[:4_000]).splitlines() if line.strip() and not _SKIP.match(line)]
    if len(lines) > 1 and lines[0].endswith(":"):
        return f"{lines[0]} {lines[1]}"[:300]
    return lines[0][:300] if lines else ""


def speaks_of_fault(text: str) -> bool:
    """Does a text hold a word that faults are told with? A quick look before a careful one."""
    low = text.lower()
    for piece in _PIECES_OF_FAULT:  # a plain loop is many times as fast as the pattern, and this runs on every request
        if piece in low:
            return True
    return "not" in low and _SPEAKS_OF_FAULT.search(text) is not None


def fault_line(text: str) -> str:
    """The last line of a failed command's output that speaks of a fault; empty where none does."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _SKIP.match(line)]
    if len(lines) == 1:
        return lines[0][:300]
    return next(
        (line[:300] for line in reversed(lines) if len(line) < 400 and _SPEAKS_OF_FAULT.search(line) and not _NO_FAULT.search(line)), ""
    )


def exact_line(error: FoundError, shown: str, text: str) -> str:
    """The exact piece of `text` that tells of an error found in `shown` (the same text without escapes, perhaps shortened)."""
    lines = shown.split("\n")
    candidates = [lines[error.line].strip()] if 0 <= error.line < len(lines) else []
    candidates += [error.message, *(line.strip() for line in lines if len(line.strip()) > 8 and line.strip() in error.message)]
    for candidate in candidates:
        if candidate and candidate[:300] in text:
            return candidate[:300]
    pieces = [piece for piece in re.split(r"\x1b\[[0-9;]*[A-Za-z]|[\r\n]", text[:4_000]) if re.search(r"\w{3}", piece)]
    return max(pieces, key=lambda piece: (sum(word in error.message for word in piece.split()), -len(piece)), default="").strip()[:300]


def is_unflagged_failure(kind: str, output: str) -> bool:
    """Does the result of a call without an error flag begin as failures do? What was read or found is never judged so."""
    if kind in ("read", "search", "plan", "agent", "ask", "submit", "shell", "code") or not output:
        return False
    head = output[:300]
    if kind in ("edit", "create", "delete", "move") and _TURNED_DOWN.search(head) and not _DONE.search(head):
        return True
    return _FAILED.match(head) is not None
