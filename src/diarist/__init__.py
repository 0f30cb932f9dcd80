"""Diarist turns the sessions that coding agents finish into knowledge that the next session uses.

    import diarist

    with diarist.open_memory() as memory:
        memory.ingest(["~/.claude/projects"])
        for hit in memory.search("flaky login test"):
            print(hit.id, hit.title)

Importing this package has no side effects and loads nothing: names are fetched when they are used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would double the cost of a hook
if TYPE_CHECKING:
    from typing import Any

    from diarist.app.memory import Memory
    from diarist.bootstrap import open_memory
    from diarist.model.codec import to_json
    from diarist.stages.redact import RedactStream, redact

__all__ = ["Memory", "RedactStream", "__version__", "open_memory", "redact", "to_json"]

__version__ = "0.1.0"

_HOMES = {
    "Memory": "diarist.app.memory",
    "RedactStream": "diarist.stages.redact",
    "open_memory": "diarist.bootstrap",
    "redact": "diarist.stages.redact",
    "to_json": "diarist.model.codec",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'diarist' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
