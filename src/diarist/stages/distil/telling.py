"""Short words about changes, commands and errors, for bullets and fixes. All texts come from redacted steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from diarist.stages.distil.ledger import Changed
from diarist.stages.distil.sentences import words_on
from diarist.text.clip import clip

_DEFINITION = re.compile(
    r"^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+|final\s+|pub(?:\(\w+\))?\s+|"
    r"unsafe\s+|override\s+|suspend\s+|inline\s+|local\s+|@\w+\s+)*"
    r"(?:def|class|func|fn|function\*?|interface|type|struct|enum|trait|impl|module|namespace|record|object|const|let|var|val|"
    r"macro_rules!|sub|describe|it|test|CREATE (?:TABLE|INDEX|VIEW))\b"
    r"\s*(?:\([^)]*\)\s*)?[('\"`]{0,2}([\w.$ -]{2,80})",
    re.MULTILINE,
)
_METHOD = re.compile(
    r"^\s*(?:(?:public|private|protected|internal|static|final|override|virtual|async|synchronized|abstract|inline|constexpr)\s+)+"
    r"[\w<>\[\],.?*& ]*?\b(\w+)\s*\(",
    re.MULTILINE,
)
_ASSIGNED = re.compile(r"^\s*(?:self\.)?([A-Za-z_]\w{3,60})\s*(?::\s*[\w\[\]., |]+)?\s*:?=(?!=)", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,60}")
_TRIVIAL = re.compile(r"[\s{}()\[\];,.]*$|^\s*(?:#|//|/\*|\*|import\b|from\b|using\b|package\b|\"\"\"|'''|<!--|return$|else|end$)")


def names_of(text: str) -> list[str]:
    """Names that a piece of code defines, in order."""
    found = [*_DEFINITION.findall(text), *_METHOD.findall(text), *_ASSIGNED.findall(text)]
    return list(dict.fromkeys(name.strip(" .") for name in found if name.strip(" .")))


def new_lines(before: str, after: str) -> list[str]:
    """Lines of the new text that the old one does not hold, trivial ones left out."""
    old = {line.strip() for line in before.split("\n")}
    return [line.strip() for line in after.split("\n") if line.strip() and line.strip() not in old and not _TRIVIAL.match(line)]


def gone_lines(before: str, after: str) -> list[str]:
    return new_lines(after, before)


def telling_line(lines: Sequence[str]) -> str:
    """The line that says most: many names, not too long."""
    return max(lines, key=lambda line: min(len(set(_IDENTIFIER.findall(line))), 7) - (4 if len(line) > 160 else 0), default="")


def describe_change(change: Changed) -> str:
    """What one write did: "added `WithAgent`: `return context.WithValue(…)`" or "in `test_x`: `a == b` became `equal(a, b)`"."""
    added, removed = new_lines(change.before, change.after), gone_lines(change.before, change.after)
    defined = names_of("\n".join(added))
    names = [name for name in defined if name not in change.before]
    inside = (
        next((name for name in _DEFINITION.findall(change.before[:1_500]) if name and name.strip() not in names), "").strip()
        if change.before
        else ""
    )
    where = f"in `{inside}`: " if inside and inside not in " ".join(names) else ""
    if names:
        line = telling_line([line for line in added if not _DEFINITION.match(line)])
        return f"{where}added " + ", ".join(f"`{name}`" for name in names[:5]) + (f": `{clip(line, 90)}`" if len(line) > 20 else "")
    if added and removed and change.before:
        return f"{where}`{clip(_two(removed), 120)}` became `{clip(_two(added), 130)}`"
    if added:
        return f"{where}wrote `{clip(_two(added), 150)}`"
    if removed:
        return f"{where}removed `{clip(_two(removed), 150)}`"
    return ""


def _two(lines: Sequence[str]) -> str:
    """The line that says most, and the one after it where both are short."""
    best = telling_line(lines)
    at = lines.index(best)
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return f"{best} {following}" if following and len(best) + len(following) < 110 else best


def reason_for(changes: Iterable[Changed]) -> tuple[str, int]:
    """The agent's own reason for some changes, and the step it stands in; ("", -1) where it gave none.

    Where the changes themselves are not known (a format that keeps only file names), two reasons tell more than one.
    """
    found: dict[str, int] = {}
    room = 1
    for change in changes:
        if change.why is None:
            continue
        room = 1 if change.after or change.before else 3
        names = frozenset(_IDENTIFIER.findall(change.path.rsplit("/", 1)[-1])) | frozenset(names_of(change.after)[:6])
        reason = words_on(change.why.sentences, 260, prefer=names)
        if reason:
            found.setdefault(reason, change.why.step)
        if len(found) >= room:
            break
    return " ".join(found), next(iter(found.values()), -1)


def by_file(changes: Iterable[Changed]) -> dict[str, list[Changed]]:
    found: dict[str, list[Changed]] = {}
    for change in changes:
        found.setdefault(change.path, []).append(change)
    return found


def describe_changes(changes: Sequence[Changed], limit: int = 420) -> str:
    """What several writes did, file by file: "a.py: added `f`; b.py: `x` became `y`"."""
    parts = []
    for path, own in by_file(changes).items():
        told = "; ".join(dict.fromkeys(text for change in own if (text := describe_change(change))))
        parts.append(f"{path}: {told}" if told else path)
    return clip("; ".join(parts), limit)


def count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
