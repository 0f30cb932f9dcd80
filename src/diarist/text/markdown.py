"""Putting text into Markdown so that it shows as it is and cannot pass for structure."""

from __future__ import annotations

import re

_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", **{mark: f"\\{mark}" for mark in "\\`[]|*_~"}})
_OPENING = re.compile(r"(?:[#+=-]|\d{1,9}[.)])")
_TICKS = re.compile(r"`+")


def line(text: str) -> str:
    r"""One line of Markdown that renders as the text (white space collapsed) and as nothing else.

    >>> line("# <b>*ok*</b>"), line("--- approved: true")
    ('\\# &lt;b&gt;\\*ok\\*&lt;/b&gt;', '\\--- approved: true')
    """
    flat = " ".join(text.split()).translate(_ESCAPES)
    found = _OPENING.match(flat)
    if found is None:
        return flat
    return f"{flat[: found.end() - 1]}\\{flat[found.end() - 1 :]}"


def code(text: str) -> str:
    """A code span that holds the text, white space collapsed.

    >>> code("a`b")
    '`` a`b ``'
    """
    flat = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in _TICKS.findall(flat)), default=0) + 1)
    space = " " if len(ticks) > 1 or flat[:1] in ("", " ") else ""
    return f"{ticks}{space}{flat}{space}{ticks}"
