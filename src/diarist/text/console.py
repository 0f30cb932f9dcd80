"""Finding the lines of console output that tell of errors, and what belongs to each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from diarist.text.frames import find_frames
from diarist.text.lazy import lazy
from diarist.text.linted import find_linted, has_linted
from diarist.text.listing import hunk_lines, is_clean, is_listing
from diarist.text.mask import mask
from diarist.text.phrases import ASIDES, is_consequence
from diarist.text.prefix import strip
from diarist.text.signs import FOLLOWS, NOTED, RULED, SPEAKS, STARTS_SO, Sign, exception_of_traceback, recognise
from diarist.text.terminal import plain
from diarist.text.triggers import candidate_lines, is_suspicious
from diarist.text.wrap import unwrap

_LONGEST_LINE = 2_000
_MOST_UNWRAPPED = 500
"""Lines of a text in which hard wraps are looked for: what somebody pasted is shorter."""
_MOST_SPEAKING = 8
"""More lines than this that merely speak of failure are a document, not a report."""
_BLOCK = 9
"""Lines in which the message that a heading announces is looked for."""
_MOST = 400
"""Errors of one text that are described, the first three hundred and the last hundred."""
_SPEAKER = lazy(r"[\w./+-]{1,60}(?:\[\d+\])?: (?:\d+: )?\S+ ?\S+ \S+")
_DETAIL = lazy(
    r"\s+\S|DETAIL:|HINT:|Detail|Hint|Caused by|caused by|Reason|reason:|body[=:]|>|Suggestion|Does not|Please|Try |Make sure|Either |See "
)
_SYMBOL = lazy(r"\s*symbol: +(\w+) ([\w$.]+)")
_FOLDED = ("… ", "... ")
"""What stands for lines that a client folded away: "… +30 lines"."""
_PROGRESS = ("> Task ", "> Configure ", "> Run with ", "> Get more ")


class Finding(NamedTuple):
    """One line that tells of an error, with what belongs to it.

    `details`: lines after it that go on about it; `frames`: names of libraries and files the innermost frames stand in;
    `origin`: library of the innermost frame.
    """

    message: str
    where: str
    line: int
    details: tuple[str, ...]
    frames: tuple[str, ...]
    origin: str


def find_errors(text: str, *, failed: bool) -> list[Finding]:
    """All errors a console text tells of, in order; what only says that something else failed only where nothing else is there.

    `failed`: the text is known to be of something that failed, so its last telling line counts where no other does.
    """
    if not failed and not is_suspicious(text.lower()) and not has_linted(text):
        return []
    lines = plain(text).split("\n")
    lines, starts = unwrap(lines) if len(lines) <= _MOST_UNWRAPPED else (lines, list(range(len(lines))))
    signs = list(_signs(lines, failed=failed))
    if not failed and any(sign.strength == FOLLOWS for _, sign in signs):  # it says itself that something failed
        failed = True
        signs = list(_signs(lines, failed=True))
    chosen = _strongest(lines, [(at, sign) for at, sign in signs if failed or sign.strength not in (NOTED, SPEAKS)], failed=failed)
    if len(chosen) > _MOST:
        chosen = chosen[: _MOST * 3 // 4] + chosen[-_MOST // 4 :]
    taken = {at for at, _ in chosen}
    return [_gather(lines, at, sign, taken)._replace(line=starts[at]) for at, sign in chosen]


def _strongest(lines: list[str], signs: list[tuple[int, Sign]], *, failed: bool) -> list[tuple[int, Sign]]:
    best = min(max((sign.strength for _, sign in signs), default=FOLLOWS), STARTS_SO)
    chosen = [(at, sign) for at, sign in signs if sign.strength >= best]
    if best == SPEAKS and len(chosen) > _MOST_SPEAKING:
        chosen = []  # prose
    if failed and best < NOTED and (last := _last_words(lines)):
        known = dict(chosen) if best == SPEAKS else {}
        chosen = sorted({**known, last[0]: known.get(last[0], last[1])}.items())
    return chosen


def _signs(lines: list[str], *, failed: bool) -> Iterator[tuple[int, Sign]]:
    """(index, sign) of every line that shows one."""
    text = "\n".join(lines)
    low = text.lower()
    candidates = candidate_lines(low, failed=failed)
    certain = {**_traceback_ends(lines, candidates), **(_assertion_lines(lines) if "e   " in low else {})}
    hunks = hunk_lines(lines) if "@@ -" in low else frozenset[int]()
    levels = _levels_tell(lines, candidates)
    linted = find_linted(lines, text)
    told, block, block_end = -9, "", 0
    for at in sorted({*candidates, *certain, *linted}):
        if at in certain:
            sign: Sign | None = _surely(certain[at])
        else:
            sign = None if at in hunks else _stronger(linted.get(at), lines[at], levels=levels)
        if sign is None or (at < block_end and sign.message in block):
            continue
        if sign.kind != "level" or told != at - 1:  # else: the logger's next line about the same thing
            weighed = _weighed(lines, at, sign)
            if sign.kind == "block":
                block, block_end = weighed.message, at + _BLOCK
            yield at, weighed
        told = at


def _stronger(linted: Sign | None, line: str, *, levels: bool) -> Sign | None:
    """What a linter says on a line, or what the line itself says where that is more than a warning."""
    if linted is not None and linted.strength > NOTED:
        return linted
    sign = _sign(line, levels=levels)
    return sign if linted is None or (sign is not None and sign.strength > NOTED) else linted


def _surely(text: str) -> Sign:
    """The sign of a line that is known to name an error."""
    sign = recognise(text, text.lower())
    return sign if sign and sign.strength > SPEAKS else Sign(text)


@lru_cache(maxsize=2_048)
def _sign(line: str, *, levels: bool) -> Sign | None:
    """What one line that stands for itself says."""
    bare = strip(line[:_LONGEST_LINE].rstrip())
    text, low = bare.text, bare.text.lower()
    if not text or is_listing(text, low):
        return None
    sign = recognise(text, low)
    if (sign is not None or bare.level == "error") and is_clean(low):
        return None
    if bare.level == "other":
        return sign if sign and sign.kind == "traceback" else None
    is_told = sign is not None and sign.strength >= STARTS_SO
    if bare.level == "error" and levels and not is_told and "Warning: " not in text and not low.lstrip().startswith(ASIDES):
        return Sign(text.strip(), STARTS_SO, kind="level")
    return sign


def _weighed(lines: list[str], at: int, sign: Sign) -> Sign:
    """The sign with its message complete, weak where it only says that something failed."""
    if sign.kind == "block":
        sign = sign._replace(message=_paragraph(lines[at + 1 : at + _BLOCK]) or "failed")
    elif sign.message.endswith("cannot find symbol"):
        sign = sign._replace(message=sign.message + _symbol(lines[at + 1 : at + 5]))
    return sign._replace(strength=FOLLOWS) if is_consequence(mask(sign.message).outline) else sign


def _symbol(lines: list[str]) -> str:
    """What javac could not find, which it tells some lines below: " 'total' (method)"."""
    found = next((found for line in lines if "symbol:" in line and (found := _SYMBOL.match(strip(line[:400]).text))), None)
    return f" '{found[2]}' ({found[1]})" if found else ""


def _paragraph(lines: list[str]) -> str:
    """What follows a heading: its first sentence, or the innermost of the causes listed under it with ">"."""
    said: list[str] = []
    for line in lines:
        text = strip(line[:_LONGEST_LINE]).text
        cause = text.lstrip()
        if cause.startswith("> "):
            said = said if cause.startswith(_PROGRESS) else [cause[2:]]
        elif said and cause and (not text[0].isspace() or said[-1].endswith((".", "!", "?", ":"))):
            break
        elif cause:
            said.append(cause.rstrip())
    return " ".join(said)


def _last_words(lines: list[str]) -> tuple[int, Sign] | None:
    """The last line of a failed command that says something of its own; one that names who speaks ("sed: …") rather than another."""
    best: tuple[int, Sign] | None = None
    for at in range(len(lines) - 1, max(len(lines) - 40, -1), -1):
        bare = strip(lines[at][:_LONGEST_LINE].rstrip())
        text = bare.text
        if bare.level == "other" or not text or text[0].isspace() or is_listing(text, text.lower()) or RULED.match(text):
            continue
        if text.startswith(_FOLDED):
            continue
        outline, sign = mask(text).outline, recognise(text, text.lower())
        if (sign and sign.strength == FOLLOWS) or is_consequence(outline) or sum(token[0] != "<" for token in outline) < 3:
            continue
        if _SPEAKER.match(text):
            return at, Sign(text, SPEAKS)
        best = best or (at, Sign(text, SPEAKS))
    return best


def _traceback_ends(lines: list[str], candidates: list[int]) -> dict[int, str]:
    """Where Python tracebacks end: index and text of the line that names the exception, whatever it is called."""
    ends: dict[int, str] = {}
    for start in candidates:
        if "Traceback (most recent call last)" not in lines[start]:
            continue
        for at in range(start + 1, min(start + 400, len(lines))):
            text = strip(lines[at][:_LONGEST_LINE]).text.rstrip()
            mark = text.lstrip("| +")
            if not mark or text[0] == " " or mark.startswith("File "):
                continue
            if exception_of_traceback(mark) is not None:
                ends[at] = mark
            break
    return ends


def _assertion_lines(lines: list[str]) -> dict[int, str]:
    """The "E   …" lines of pytest: the first of each block, and further ones that name an exception."""
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


def _levels_tell(lines: list[str], candidates: list[int]) -> bool:
    """Whether a log level "error" means anything here: not where nearly every line has it."""
    sample = candidates[:: max(1, len(candidates) // 40)]
    marked = sum(strip(lines[at][:200]).level == "error" for at in sample) * len(candidates) / max(len(sample), 1)
    return marked <= 3 or marked < 0.9 * sum(1 for line in lines if line.strip())


def _gather(lines: list[str], at: int, sign: Sign, taken: set[int]) -> Finding:
    """The finding of a sign, with what the lines around it add."""
    frames = find_frames(lines, at, above=sign.kind == "traceback")
    details = []
    for line in range(at + 1, min(at + 5, len(lines))):
        text = strip(lines[line][:_LONGEST_LINE]).text
        if line in taken or not text.strip() or not _DETAIL.match(text):
            break
        details.append(text.strip())
    return Finding(sign.message, sign.where or frames.where, at, tuple(details), frames.names, frames.origin)
