"""Putting text into Markdown so that it shows as it is and cannot pass for structure."""

from __future__ import annotations

from diarist.text.lazy import lazy

_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", **{mark: f"\\{mark}" for mark in "\\`[]|*_~"}})
_OPENING = lazy(r"(?:[#+=-]|\d{1,9}[.)])")
_CODE = lazy(r"`([^`]+)`")


def line(text: str) -> str:
    r"""One line of Markdown that renders as the text (white space collapsed) and as nothing else.

    >>> line("# <b>*ok*</b>"), line("--- approved: true")
    ('\\# &lt;b&gt;\\*ok\\*&lt;/b&gt;', '\\--- approved: true')
    """
    return _guard(" ".join(text.split()).translate(_ESCAPES))


def prose(text: str) -> str:
    r"""The same, but what stands between single backticks stays code. Nothing in it can begin or end a comment.

    >>> prose("use `a_b` *now*")
    'use `a_b` \\*now\\*'
    """
    pieces = _CODE.split(" ".join(text.split()))
    told = [f"`{piece}`" if at % 2 and _is_code(piece) else _escape(piece, at % 2) for at, piece in enumerate(pieces)]
    return _guard("".join(told))


def _is_code(piece: str) -> bool:
    return bool(piece.strip()) and "<!--" not in piece and "-->" not in piece


def _escape(piece: str, quoted: int) -> str:
    return (f"`{piece}`" if quoted else piece).translate(_ESCAPES)


def _guard(flat: str) -> str:
    """Whatever would begin a heading, a list or a rule does not."""
    found = _OPENING.match(flat)
    return flat if found is None else f"{flat[: found.end() - 1]}\\{flat[found.end() - 1 :]}"
