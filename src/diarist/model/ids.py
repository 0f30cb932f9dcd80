"""Ids: fixed when first written, never recomputed from what may change."""

from __future__ import annotations

import base64
import hashlib
import re

ID_PATTERN = re.compile(r"kh-[a-z2-7]{16}\Z")


def make_id(*parts: str) -> str:
    """The `kh-` id of what `parts` name: 80 bits of their SHA-256 in lower-case base32.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ. Entries use (agent, native session id, task key),
    or ("task", agent, project, task id) where a host gave the task.

    >>> make_id("claude-code", "0d3f", "")
    'kh-qi5boyip73ghachk'
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return "kh-" + base64.b32encode(digest.digest()[:10]).decode("ascii").lower()


def is_id(text: str) -> bool:
    """True for a complete `kh-` id."""
    return ID_PATTERN.match(text) is not None
