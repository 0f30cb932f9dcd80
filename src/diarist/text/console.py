"""Finding the lines of console output that tell of errors, and what belongs to each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from diarist.text.mask import mask
from diarist.text.prefix import strip
from diarist.text.signs import Sign, consequence, exception_of_traceback, recognise
from diarist.text.terminal import plain
from diarist.text.wrap import unwrap

_TRIGGERS = (
    "rror", "fail", "cannot ", "can't ", "not found", "fatal", "missing", "invalid", "xception", "could not", "unable to", "no such", "denied",
    "refused", "rejected", "undefined", "abort", "panic", "traceback (most", "killed", "conflict", "timed out", "err!", "definition of",
    "segmentation", "unbound", "not allowed", "no space", "too many", "exceeded", "unauthorized", "forbidden", "warning  ", "http/", "went wrong", "too long", "too large",
)  # fmt: skip
"""Lower-case pieces one of which every line of interest holds. Each is searched for in one pass over the whole text, so that a
text without any costs next to nothing."""
_OTHER_TRIGGERS = (
    "fehler", "nicht gefunden", "keine berechtigung", "erreur", "introuvable", "aucun fichier", "no existe el", "no encontrad", "denegado",
    "non trovato", "non esistente", "inexistente", "erro:",
    "não encontrado", "ошибк", "нет такого", "не найден", "отказано", "błąd", "nie ma takiego", "エラー", "ありません", "見つかりません",
    "错误", "没有那个", "未找到", "权限不够", "錯誤", "오류",
)  # fmt: skip
_WEAK_TRIGGERS = (
    "out of memory", "reset by peer", "in use", "a directory", "unrecognized", "unexpected", "deadlock", "no module", "unsupported", "unknown ",
    "file exists", "not empty", "broken pipe", "unreachable", "busy", "not permitted", "read-only file", "no route", "not known", "unavailable",
    "overflow", "double free", "crash", "terminated", "inconsistent", "unhandled", "uncaught", "refusing", "incompatible", "duplicate", "illegal", "timeout", "not a git", "corrupt",
    "already ", "mismatch", "expected", "fixture", "supported", "immutable", "is disabled", "too big", "too quickly",
)  # fmt: skip
"""Further ones that count in the output of something that is known to have failed."""

_LONG = 4_000
_LONGEST_LINE = 2_000
_MOST_LINES = 4_000
"""Candidate lines looked at in one text: the first three thousand and the last thousand."""

_MOST_UNWRAPPED = 500
"""Lines of a text in which hard wraps are looked for: what somebody pasted is shorter."""
_MOST_WEAK = 8
"""More lines than this that merely speak of failure are a document, not a report."""

_SOURCE = re.compile(
    r"\s*(?:\d+[\t→|│] ?|\d+[:-](?=[\t/ ])|[-*•] (?!What went wrong)|> (?:Task|Configure|Run|Transform) |\d+\. |\*\*\w|\d+ \||[-+]{1,3}(?![- >]*ExceptionGroup)(?=\S)|@@ |diff --git|[|=] |#(?!\d)|//|/\*|\*(?!\*\*)|<!--|raise\b|throw\b|except\b|catch\b|if\b|elif\b|else\b|return\b|for\b|while\b|class\b|def\b|func\b|fn\b"
    r"|import\b|from\b|const\b|let\b|var\b|pub\b|try\b|assert\b(?!ion)|with\b|console\.|log(?:ger|ging)?\.|self\.|this\.|print|echo\b|\$ |>>> |@\w+\(|\.\.\. |[\w.]+ ?(?::?=|\+=)[^=]|[\w.\[\]]+\(.*\)\s*[;{:]?\Z|✓|√|✔|ok\b|PASS\b|PASSED\b|[}\])]|\|)"
)
_SOURCE_ENDS = (";", "{", "):", "=>", ",", "|")
_HASH_LINE = re.compile(r"[*|\\/ ]*[0-9a-f]{7,40}\b")
_FILE_LINE = re.compile(r"[\w./@+-]+\.\w{1,8}[:-]\d+[:-]\s{2,}\S")
_CLEAN = re.compile(
    r"(?:\b0|\bno|zero|without|without any|keine|aucune?|\bsin|never|\bnon)[ -](?:errors?|failures?|failed|exceptions?|problems?|issues?|fehler|erreurs?|errores)\b"
    r"|(?:errors?|failures?|failed)[:=] ?0\b| passed\Z|error-free"
)
_PY_FRAME = re.compile(r'\s*(?:[|+] )?\s*File "([^"]+)", line (\d+)')
_JS_FRAME = re.compile(r"\s*at (?:.*?\()?((?:file://|node:|webpack:|[A-Za-z]:\\|/|\.)?[^\s()]*?):(\d+)(?::\d+)?\)?\Z")
_JAVA_FRAME = re.compile(r"\s*at ([\w$.<>/@]+)\(([\w$.]+\.(?:java|kt|scala|groovy)|Native Method|Unknown Source)(?::(\d+))?\)")
_PLACE = re.compile(r"\s*(?:-->|at|╭─\[|,-\[) ?(\S+?):(\d+)")
_SPEAKER = re.compile(r"[\w./+-]{1,60}(?:\[\d+\])?: (?:\d+: )?\S+ ?\S+ \S+")
_DETAIL = re.compile(
    r"\s+\S|DETAIL:|HINT:|Detail|Hint|Caused by|caused by|Reason|reason:|body[=:]|>|Suggestion|\t|Does not|Please|Try |Make sure|Either |See "
)
_STANDARD = re.compile(r"lib(?:64)?/python[\d.]+/([a-z]\w+)")
_LIBRARY = re.compile(
    r"(?:site-packages|dist-packages|node_modules(?:/\.pnpm/[^/]+/node_modules)?|lib/python[\d.]+|gems|\.cargo/registry/src/[^/]+|pkg/mod)[/\\]((?:@[\w.-]+/)?[\w.-]+)"
)


class Finding(NamedTuple):
    """One line that tells of an error, with what belongs to it."""

    message: str
    where: str
    line: int
    details: tuple[str, ...]
    """Lines after it that go on about it."""
    frames: tuple[str, ...]
    """Names of libraries and files the innermost frames stand in."""
    origin: str
    """Library of the innermost frame."""


def find_errors(text: str, *, failed: bool) -> list[Finding]:
    """All errors a console text tells of, in order; what only says that something else failed only where nothing else is there.

    `failed`: the text is known to be of something that failed, so its last telling line counts where no other does.
    """
    if not failed and not _suspicious(text.lower()):
        return []
    lines = plain(text).split("\n")
    lines, starts = unwrap(lines) if len(lines) <= _MOST_UNWRAPPED else (lines, range(len(lines)))
    signs = list(_signs(lines, failed=failed))
    if not failed and any(sign.strength == 0 for _, sign in signs):  # it says itself that something failed
        failed = True
        signs = list(_signs(lines, failed=True))
    signs = [(at, sign) for at, sign in signs if failed or sign.strength != 1]
    best = min(max((sign.strength for _, sign in signs), default=0), 2)
    chosen = [(at, sign) for at, sign in signs if sign.strength >= best]
    if best == 1 and len(chosen) > _MOST_WEAK:
        chosen = []  # prose that speaks of failures
    if failed and best < 2 and (last := _last_words(lines)):
        chosen = [last] if best == 0 else sorted({at: sign for at, sign in [*chosen, last]}.items())
    taken = {at for at, _ in chosen}
    return [_gather(lines, at, sign, taken)._replace(line=starts[at]) for at, sign in chosen]


def _signs(lines: list[str], *, failed: bool) -> Iterator[tuple[int, Sign]]:
    """(index, sign) of every line that shows one."""
    joined = "\n".join(lines).lower()
    triggers = _TRIGGERS + _OTHER_TRIGGERS if _any_language(joined) else _TRIGGERS
    candidates = _candidates(joined, triggers + _WEAK_TRIGGERS if failed else triggers)
    ends = _traceback_ends(lines, candidates)
    asserted = _assertion_lines(lines) if "e   " in joined else {}
    hunks = _hunk_lines(lines) if "@@ -" in joined else frozenset[int]()
    levels = _levels_tell(lines, candidates)
    told = -9
    for at in sorted({*candidates, *ends, *asserted}):
        sign = None
        if at in asserted:
            sign = _surely(asserted[at])
        elif at in ends:
            sign = _surely(ends[at])
        elif at not in hunks:
            sign = _sign(lines[at], levels)
        if sign is None:
            continue
        if sign.kind == "level" and told == at - 1:
            told = at
            continue  # the logger's next line about the same thing
        told = at
        yield at, _weighed(lines, at, sign)


def _suspicious(low: str) -> bool:
    """Whether a text (in lower case) can hold an error at all."""
    for trigger in _TRIGGERS:  # a plain loop: twice as fast as any() over a generator, and this runs on every text
        if trigger in low:
            return True
    return _any_language(low) and any(trigger in low for trigger in _OTHER_TRIGGERS)


def _any_language(text: str) -> bool:
    """Whether messages in languages other than English are worth looking for: not in long texts of ASCII alone."""
    return len(text) < _LONG or not text.isascii()


def _last_words(lines: list[str]) -> tuple[int, Sign] | None:
    """The last line of a failed command that says something of its own; one that names who speaks ("sed: …") rather than another."""
    best: tuple[int, Sign] | None = None
    for at in range(len(lines) - 1, max(len(lines) - 40, -1), -1):
        bare = strip(lines[at][:_LONGEST_LINE].rstrip())
        text = bare.text
        if bare.level == "other" or not text or text[0].isspace() or _is_source(text, text.lower()):
            continue
        template, sign = mask(text).outline, recognise(text, text.lower())
        if (sign and sign.strength == 0) or consequence(template) or sum(token[0] != "<" for token in template) < 3:
            continue
        if _SPEAKER.match(text):
            return at, Sign(text, 1)
        best = best or (at, Sign(text, 1))
    return best


def _surely(text: str) -> Sign:
    """The sign of a line that is known to name an error."""
    sign = recognise(text, text.lower())
    return sign if sign and sign.strength > 1 else Sign(text)


def _sign(line: str, levels: bool) -> Sign | None:
    """What one line that stands for itself says."""
    bare = strip(line[:_LONGEST_LINE].rstrip())
    text, low = bare.text, bare.text.lower()
    if not text or _is_source(text, low):
        return None
    sign = recognise(text, low)
    if (sign is not None or bare.level == "error") and _CLEAN.search(low):
        return None
    if bare.level == "other":
        return sign if sign and sign.kind == "traceback" else None
    if bare.level == "error" and levels and (sign is None or sign.strength < 2):
        return Sign(text.strip(), 2, "", "level")
    return sign


def _is_source(text: str, low: str) -> bool:
    """Whether a line is program text, a search result or a list item rather than a report."""
    if _SOURCE.match(text) or _HASH_LINE.match(text) or _FILE_LINE.match(text):
        return True
    return text.endswith(_SOURCE_ENDS) and "error:" not in low[:200] and "error " not in low[:80]


def _weighed(lines: list[str], at: int, sign: Sign) -> Sign:
    """The sign with its message complete, weak where it only says that something failed."""
    if sign.kind == "block":
        sign = sign._replace(message=_paragraph(lines[at + 1 : at + 9]) or "failed")
    return sign._replace(strength=0) if consequence(mask(sign.message).outline) else sign


def _paragraph(lines: list[str]) -> str:
    """What follows a heading: its first sentence, or the innermost of the causes listed under it with ">"."""
    said: list[str] = []
    for line in lines:
        text = strip(line[:_LONGEST_LINE]).text
        cause = text.lstrip()
        if cause.startswith("> "):
            if not cause.startswith(("> Task ", "> Configure ", "> Run with ", "> Get more ")):
                said = [cause[2:]]
            continue
        if said and text.strip() and (not text[0].isspace() or said[-1].endswith((".", "!", "?", ":"))):
            break
        if text.strip():
            said.append(text.strip())
    return " ".join(said)


def _candidates(joined: str, triggers: tuple[str, ...]) -> list[int]:
    """Indexes of the lines that hold a trigger, in order. `joined`: the text in lower case."""
    found: set[int] = set()
    for trigger in triggers:
        line, before, at = 0, 0, joined.find(trigger)
        while at >= 0:
            line += joined.count("\n", before, at)
            found.add(line)
            before = at
            end = joined.find("\n", at)
            at = joined.find(trigger, end) if end >= 0 else -1
    ordered = sorted(found)
    return ordered if len(ordered) <= _MOST_LINES else ordered[: _MOST_LINES * 3 // 4] + ordered[-_MOST_LINES // 4 :]


def _traceback_ends(lines: list[str], candidates: list[int]) -> dict[int, str]:
    """Where Python tracebacks end: index and text of the line that names the exception, whatever it is called."""
    ends: dict[int, str] = {}
    for start in candidates:
        if "Traceback (most recent call last)" not in lines[start]:
            continue
        for at in range(start + 1, min(start + 400, len(lines))):
            text = strip(lines[at][:_LONGEST_LINE]).text.rstrip()
            mark = text.lstrip("| +")
            if not text or text[0] == " " or not mark or mark.startswith("File "):
                continue
            if exception_of_traceback(mark) is not None:
                ends[at] = mark
            break
    return ends


def _assertion_lines(lines: list[str]) -> dict[int, str]:
    """pytest's "E   …" lines: the first of each block, and further ones that name an exception."""
    found: dict[int, str] = {}
    inside = False
    for at, line in enumerate(lines):
        text = strip(line[:_LONGEST_LINE]).text if "E   " in line else ""
        if not text.startswith("E   "):
            inside = False
            continue
        rest = text[1:].strip()
        sign = recognise(rest, rest.lower()) if inside else None
        if rest and (not inside or (sign and sign.kind == "traceback")):
            found[at] = rest
        inside = True
    return found


def _hunk_lines(lines: list[str]) -> frozenset[int]:
    """Lines inside the hunks of a diff."""
    found: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        if line.startswith(("@@ -", "diff --git ", "--- a/", "+++ b/")):
            inside = True
        elif not (inside and (not line or line[0] in " +-\\")):
            inside = False
        if inside:
            found.add(at)
    return frozenset(found)


def _levels_tell(lines: list[str], candidates: list[int]) -> bool:
    """Whether a log level "error" means anything here: not where nearly every line has it."""
    sample = candidates[:: max(1, len(candidates) // 40)]
    marked = sum(strip(lines[at][:200]).level == "error" for at in sample) * len(candidates) / max(len(sample), 1)
    return marked <= 3 or marked < 0.9 * sum(1 for line in lines if line.strip())


def _gather(lines: list[str], at: int, sign: Sign, taken: set[int]) -> Finding:
    """The finding of a sign, with what the lines around it add."""
    frames, where = _frames(lines, at, sign)
    details = []
    for line in range(at + 1, min(at + 5, len(lines))):
        text = strip(lines[line][:_LONGEST_LINE]).text
        if line in taken or not text.strip() or not _DETAIL.match(text):
            break
        details.append(text.strip())
    libraries = [name for path in frames if (name := _library(path))]
    origin = _library(frames[0]) if frames else ""
    names = tuple(dict.fromkeys([*libraries, *(path.replace("\\", "/").rsplit("/", 1)[-1] for path in frames[:2])]))
    return Finding(sign.message, sign.where or where, at, tuple(details), names, origin)


def _frames(lines: list[str], at: int, sign: Sign) -> tuple[list[str], str]:
    """Paths of the innermost frames, innermost first, and the place in the project's own code."""
    frames: list[tuple[str, str]] = []
    if sign.kind == "traceback":
        for line in range(at - 1, max(at - 60, -1), -1):
            text = lines[line]
            if "Traceback (most recent" in text:
                break
            if found := _PY_FRAME.match(strip(text[:400]).text):
                frames.append((found.group(1), found.group(2)))
    if not frames:
        for text in lines[at + 1 : at + 40]:
            bare = strip(text[:400]).text
            found = _JAVA_FRAME.match(bare) or _JS_FRAME.match(bare) or _PLACE.match(bare)
            if found:
                frames.append(
                    (
                        found.group(found.lastindex - 1 if found.lastindex > 1 else 1),
                        found.group(found.lastindex) if found.lastindex > 1 else "",
                    )
                )
            elif frames or not bare.startswith((" ", "\t", "E ")):
                break
    own = next((f"{path}:{line}" if line else path for path, line in frames if not _library(path)), "")
    return [path for path, _ in frames[:4]], own


def _library(path: str) -> str:
    """Name of the library a path lies in; empty for the project's own code."""
    if found := _LIBRARY.search(path):
        return found.group(1).removesuffix(".py")
    if path.startswith(("<frozen ", "node:")):
        return path.strip("<>").removeprefix("frozen ").removeprefix("node:").split(".", 1)[0]
    found = _STANDARD.search(path)
    return found.group(1) if found else ""
