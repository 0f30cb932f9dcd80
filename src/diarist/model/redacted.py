"""Text that has been through `diarist.stages.redact`, as a type."""

from __future__ import annotations

from typing import Any, NewType

Redacted = NewType("Redacted", str)
"""Text without secrets. Only `diarist.stages.redact` makes it; store, index, publishers, logs and models accept nothing else."""

RedactedJson = NewType("RedactedJson", dict[str, Any])
"""A JSON object all of whose strings, keys included, are `Redacted`."""


def derived(text: str) -> Redacted:
    """Text that was put together from `Redacted` pieces and our own words only (a bullet, a title, a joined list).

    The one way, besides redaction itself, to say that a text is safe. Never call it on anything that a source, a
    person or a model wrote: that has to go through `stages.redact`.
    """
    return Redacted(text)
