"""A record's search text in passages, as an embedding model reads them. Pure.

The first passage holds what tells most: title, errors and fixes, then how the text begins. Further ones go on with the text. What is
beyond the last one is not embedded; the words of it are in the full-text index all the same.
"""

from __future__ import annotations

from diarist.model.record import SearchText
from diarist.model.redacted import Redacted, derived

SIZE = 1_000
"""Characters of a passage: about 250 tokens of English, within every model's window in any script."""
_HEAD = 600
"""Characters of title, errors and fixes at most, so that the text has its share of the first passage."""
_SHORTEST = 80
"""A shorter rest of the text is not worth a passage of its own."""


def passages(text: SearchText, most: int) -> list[Redacted]:
    """At most `most` passages; none where the record has no text."""
    head = "\n".join(" ".join(part.split()) for part in (text.title, text.errors, text.fixes) if part.strip())[:_HEAD].strip()
    body = " ".join(text.body.split())
    if body.startswith(title := " ".join(text.title.split())) and title:
        body = body[len(title) :].lstrip(" .:")
    found: list[str] = []
    at = 0
    while (at < len(body) or not found) and len(found) < most:
        room = SIZE - len(head) - 1 if not found else SIZE
        end = _cut(body, at, room)
        piece = body[at:end].strip()
        if not found:
            piece = f"{head}\n{piece}".strip()
        elif len(piece) < _SHORTEST:
            break
        found.append(piece)
        at = end
    return [derived(piece) for piece in found if piece]


def _cut(text: str, start: int, room: int) -> int:
    """Where a passage ends that begins at `start`: at the end of a word, where there is one in its last fifth."""
    end = start + room
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - room // 5, end)
    return space if space > start else end
