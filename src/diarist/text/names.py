"""File names that are safe on Linux, macOS and Windows, and injective: two texts never get the same name."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from diarist.text.lazy import lazy

MAX_BYTES = 120
_UNSAFE = lazy(r"[^A-Za-z0-9._-]")
_RESERVED = lazy(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?\Z", re.IGNORECASE)


def file_name(text: str) -> str:
    """The text as a file name: other characters become `%XX` (UTF-8), so nothing collides and nothing leaves the folder.

    >>> file_name("a/b"), file_name("a_b"), file_name("..")
    ('a%2Fb', 'a_b', '%2E%2E')
    """
    name = _UNSAFE.sub(lambda match: "".join(map(_escape, match[0].encode("utf-8", "surrogatepass"))), text)
    if not name:
        return "%"
    if name[-1] == ".":
        name = name[:-1] + _escape(ord("."))
    if name[0] == "." or _RESERVED.match(name):
        name = _escape(ord(name[0])) + name[1:]
    if len(name) > MAX_BYTES:
        name = f"{name[:MAX_BYTES].rstrip('%.')}%~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    return name


def _escape(byte: int) -> str:
    return f"%{byte:02X}"


def slug(text: str, limit: int = 48) -> str:
    """A readable part of a file name: lower-case words joined by hyphens, any script kept; may be empty. Not injective."""
    folded = unicodedata.normalize("NFKC", text).lower()
    words = re.findall(r"[^\W_]+", folded)
    out = ""
    for word in words:
        if len(out) + len(word) + 1 > limit and out:
            break
        out = f"{out}-{word}" if out else word[:limit]
    return out
