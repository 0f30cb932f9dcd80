"""`runtime/syntheses/<date>.md`: a synthesis report, as its draft holds it. Drafts are placed by whoever writes them."""

from __future__ import annotations

from diarist.model.codec import from_json
from diarist.model.record import Record
from diarist.model.theme import Draft


def path_of(_record: Record) -> None:
    """None: no report is published by itself."""
    return


def render(record: Record) -> bytes:
    """UTF-8 Markdown with YAML front matter."""
    return from_json(record.body, Draft).text.encode("utf-8", "replace")
