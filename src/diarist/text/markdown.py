"""Putting text into Markdown so that it shows as it is and cannot pass for structure."""

from __future__ import annotations

import re

_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", **{mark: f"\\{mark}" for mark in "\\`[]|*_~"}})
_OPENING = re.compile(r"(?:[#+=-]|\d{1,9}[.)])")


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
