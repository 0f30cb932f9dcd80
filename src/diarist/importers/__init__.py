"""Adapters that read agents' transcripts. One module, or a few, a format; `find_importer` chooses by content.

To add a format, write a module whose `IMPORTER` has the port's methods (`diarist.ports.Importer`) and add it to `_BUILT_IN`, or
register an importer from another package as an entry point in the group `diarist.importers`. See docs/howto/add-a-format.md.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from diarist.ports import Importer

GROUP = "diarist.importers"
SURE = 90
"""So sure is an importer that sees a mark which no other format has."""

_BUILT_IN = {
    "qwen": "qwen",
    "claude-code": "claude_code",
    "codex": "codex",
    "claude-stream-json": "claude_stream",
    "swe-agent": "swe_agent",
    "mini-swe-agent": "mini_swe_agent",
    "openhands": "openhands",
    "tau-bench": "tau_bench",
    "multi-agent-chat": "group_chat",
    "inspect-eval": "inspect_eval",
    "gemini-cli": "gemini",
    "pi": "pi",
    "copilot": "copilot",
    "cursor": "cursor",
    "droid": "droid",
    "grok": "grok",
    "antigravity": "antigravity",
    "kimi": "kimi",
    "hermes": "hermes",
    "opencode": "opencode",
    "atif": "atif",
    "cline": "cline",
    "amp": "amp",
    "vscode-copilot": "vscode_chat",
    "otel": "otel",
    "neutral": "neutral",
    "aider": "aider",
    "specstory-md": "specstory",
    "console-copy": "console_copy",
    "terminal-log": "terminal_log",
    "messages": "messages",
    "plain": "plain",
}
"""Name of each built-in importer and the module below this package whose `IMPORTER` it is. Of equally sure ones the first wins; Qwen's
records look like Claude Code's and have a mark more, so it is asked first; forms of text come late, since JSON may quote any text.
"""


class _Known(NamedTuple):
    importers: tuple[Importer, ...]
    built_in: frozenset[Importer]
    problems: tuple[str, ...]


def all_importers() -> tuple[Importer, ...]:
    """Every importer that can be used: the built-in ones, then those of other packages by name."""
    return _load().importers


def import_problems() -> tuple[str, ...]:
    """One line for each importer of another package that could not be used: its name and why."""
    return _load().problems


def find_importer(head: bytes, path: Path | None) -> Importer | None:
    """The importer that is surest of a file that begins so (its first 64 KiB); None if none knows it.

    Of the built-in ones the first that sees a mark of its own format is it: the others need not look. A third-party importer
    may be surer still; one that fails while looking counts as not knowing the file.
    """
    known = _load()
    best, chosen = 0, None
    for importer in known.importers:
        if best >= SURE and importer in known.built_in:
            continue
        confidence = _confidence(importer, head, path)
        if confidence > best:
            best, chosen = confidence, importer
    return chosen


def get_importer(name: str) -> Importer | None:
    """The importer of this name."""
    return next((importer for importer in all_importers() if importer.name == name), None)


def _confidence(importer: Importer, head: bytes, path: Path | None) -> int:
    try:
        return int(importer.sniff(head, path))
    except Exception:  # noqa: BLE001 - foreign code must not stop an import
        return 0


@lru_cache(maxsize=1)
def _load() -> _Known:
    from importlib.metadata import entry_points

    found = [_create(place) for place in _BUILT_IN.values()]
    problems = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            loaded = entry.load()
            importer = loaded() if isinstance(loaded, type) else loaded
            if not (importer.name and callable(importer.sniff) and callable(importer.read) and callable(importer.default_roots)):
                raise TypeError("it has no name, sniff, read or default_roots")  # noqa: TRY301 - reported like any other fault
        except Exception as error:  # noqa: BLE001 - foreign code must not stop an import
            problems.append(f"importer {entry.name} ({entry.value}) cannot be used: {type(error).__name__}: {error}")
        else:
            found.append(importer)
    return _Known(tuple(found), frozenset(found[: len(_BUILT_IN)]), tuple(problems))


def _create(module: str) -> Importer:
    importer: Importer = import_module(f"{__name__}.{module}").IMPORTER
    return importer
