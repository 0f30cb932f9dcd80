"""Undoing hard wraps: console output that a terminal or a paste broke at a fixed width."""

from __future__ import annotations

from diarist.text.lazy import lazy

_WIDEST = 132
_NARROWEST = 40
_STARTS_ANEW = lazy(
    r"\s|[-=*_>│|+$#✓✔●]|\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|[^\s:(]*[./@\[][^\s:(]*:(?:\s|\Z)|[\w.]+(?:Error|Exception)(?:: .|\Z)"
    r"|[\w+-]+: (?:error|fatal|warning|note)|Traceback|During handling|The above|\[[A-Z ]+\] |File |Process finished"
    r"|(?:FATAL|ERROR|CRITICAL|WARN(?:ING)?|INFO|DEBUG|error|warning|note|hint|fatal|make|npm|Error|Warning)\b[^ ]{0,6} "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:|[\w./\\@+-]+\.\w+:\d+:|[A-Z]{1,4}\d{3,5} |Found \d"
)
_SLACK = 6
"""Columns by which the longest line may be longer than the width the others were broken at."""
_OPEN_END = lazy(
    r"(?:\b(?:the|a|an|of|to|in|on|at|for|from|by|with|and|or|is|are|was|not|cannot|can|be|as|than|line|module|file|table|name)|[,(])\Z"
)


def unwrap(lines: list[str]) -> tuple[list[str], list[int]]:
    """The lines with hard wraps undone, and for each the index it starts at in `lines`.

    A text counts as wrapped where no line is longer than some width of 40 to 132 columns and nearly every long line stops
    because the next word would not have fitted. Otherwise the lines come back as they are.
    """
    breaks = _find_breaks(lines)
    if not breaks:
        return lines, list(range(len(lines)))
    width = max(len(lines[at]) for at in breaks)
    out: list[str] = []
    starts: list[int] = []
    for at, line in enumerate(lines):
        if at - 1 in breaks and at:
            out[-1] = _join(out[-1], line, whole=len(lines[at - 1]) == width)
        else:
            out.append(line)
            starts.append(at)
    return out, starts


def _find_breaks(lines: list[str]) -> set[int]:
    """Indexes of lines that were cut, at the widest width that explains nearly all long lines; none where no width does."""
    longest = max(map(len, lines), default=0)
    widths = sorted({len(line) for line in lines if len(line) >= longest - _SLACK}, reverse=True)
    if not _NARROWEST <= longest <= _WIDEST:
        return set()
    for width in widths:
        breaks = {at for at in range(len(lines) - 1) if _broken(lines[at], lines[at + 1], width)}
        if _looks_wrapped(lines, breaks, width):
            return {at for at in range(len(lines) - 1) if _broken(lines[at], lines[at + 1], width - _SLACK)}
    return set()


def _broken(line: str, following: str, width: int) -> bool:
    """Whether `following` can be the rest of `line`: its first word did not fit any more."""
    if len(line) + 1 + len(following) <= width or not line.strip() or not following.strip() or following[0].isspace():
        return False
    first = following.split(None, 1)[0]
    return len(line) + 1 + len(first) > width and first != line.split(None, 1)[0] and not _STARTS_ANEW.match(following)


def _looks_wrapped(lines: list[str], breaks: set[int], width: int) -> bool:
    long = [at for at, line in enumerate(lines) if width * 0.75 < len(line) <= width and at + 1 < len(lines)]
    broken = [at for at in long if at in breaks]
    if len(broken) >= 2 and len(broken) >= 0.7 * len(long):
        return sum(lines[at].rstrip()[-1] not in ".;:!?'`\")]}" for at in broken) >= len(broken) / 2
    return any(_OPEN_END.search(lines[at]) for at in broken)


def _join(line: str, rest: str, *, whole: bool) -> str:
    """A token cut at the very edge goes on without a space."""
    last = line.rsplit(None, 1)[-1] if line.strip() else ""
    return line + rest if whole and any(mark in last for mark in "/\\._") and last[-1].isalnum() else f"{line.rstrip()} {rest}"
