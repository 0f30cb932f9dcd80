"""Pieces of source code: the names they define, and what one holds that another does not."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.text.lazy import lazy

_DEFINED = (
    r"\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+|final\s+|pub(?:\(\w+\))?\s+|"
    r"unsafe\s+|override\s+|suspend\s+|inline\s+|local\s+|@\w+\s+)*"
    r"(?:def|class|func|fn|function\*?|interface|type|struct|enum|trait|impl|module|namespace|record|object|const|let|var|val|"
    r"macro_rules!|sub|describe|it|test|CREATE (?:TABLE|INDEX|VIEW))\b"
    r"\s*(?:\([^)]*\)\s*)?[('\"`]{0,2}([\w.$ -]{2,80})"
)
DEFINITION = lazy(_DEFINED)
"""Of a line that stands for itself."""
_DEFINITIONS = lazy("\n" + _DEFINED)
"""Of lines with a break before each. A search for something that begins with a letter known beforehand passes over all else."""
_METHODS = lazy(
    r"\n\s*(?:(?:public|private|protected|internal|static|final|override|virtual|async|synchronized|abstract|inline|constexpr)\s+)+"
    r"[\w<>\[\],.?*& ]*?\b(\w+)\s*\("
)
_MODIFIERS = ("public", "private", "protected", "internal", "static", "override", "virtual")
_MODIFIER = lazy(rf"\b(?:{'|'.join(_MODIFIERS)})\b")
_ASSIGNED = lazy(r"\n\s*(?:self\.)?([A-Za-z_]\w{3,60})\s*(?::\s*[\w\[\]., |]+)?\s*:?=(?!=)")
IDENTIFIER = lazy(r"[A-Za-z_]\w{2,60}")
_TRIVIAL = lazy(r"[\s{}()\[\];,.]*$|^\s*(?:#|//|/\*|\*|import\b|from\b|using\b|package\b|\"\"\"|'''|<!--|return$|else|end$)")


def definitions(text: str) -> list[str]:
    """What a piece of code defines by a word that says so, each name as it stands there."""
    return _DEFINITIONS.findall("\n" + text)


def names_of(text: str) -> list[str]:
    """Names that a piece of code defines, in order of kind and place."""
    found = definitions(text)
    lines = "\n" + text
    for modifier in _MODIFIERS:  # a plain loop: most code holds none
        if modifier in text:
            found += _METHODS.findall(lines) if _MODIFIER.search(text) else ()
            break
    if "=" in text:
        found += _ASSIGNED.findall(lines)
    return list(dict.fromkeys(name.strip(" .") for name in found if name.strip(" .")))


def new_lines(before: str, after: str) -> list[str]:
    """Lines of the new text that the old one does not hold, trivial ones left out; the first ones of a long text."""
    old = {line.strip() for line in before.split("\n")} if before else ()
    return [line for raw in after.split("\n")[:200] if len(line := raw.strip()) > 1 and line not in old and not _TRIVIAL.match(line)]


def telling_line(lines: Sequence[str]) -> str:
    """The line that says most: many names, not too long."""
    return max(lines, key=lambda line: min(len(set(IDENTIFIER.findall(line))), 7) - (4 if len(line) > 160 else 0), default="")
