"""Putting text into Markdown so that it shows as it is and cannot pass for structure."""

from __future__ import annotations

import re

_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", **{mark: f"\\{mark}" for mark in "\\`[]|*_~"}})
_CODE = re.compile(r"`([^`]+)`")
_COMMENT = re.compile(r"<!--|-->")
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


def prose(text: str) -> str:
    r"""The same, but what stands between single backticks stays code.

    >>> prose("use `a_b` *now*")
    'use `a_b` \\*now\\*'
    """
    flat = " ".join(text.split())
    pieces = _CODE.split(flat)
    spans = [piece.strip() for piece in pieces[1::2]]
    if not spans or not all(spans) or any(_COMMENT.search(span) for span in spans):
        return line(flat)
    told = [line(f"x{piece}x")[1:-1] if number % 2 == 0 else f"`{piece.strip()}`" for number, piece in enumerate(pieces)]
    opening = line(pieces[0])[: len(pieces[0]) + 1] if pieces[0] else ""
    return (line(pieces[0].rstrip()) + (" " if pieces[0].endswith(" ") else "") if opening else "") + "".join(told[1:])
