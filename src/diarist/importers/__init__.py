"""Adapters that read agents' transcripts. One module, or a few, a format; `find_importer` chooses by content.

To add a format, write a module whose `IMPORTER` has the port's methods (`diarist.ports.Importer`) and add it to `_BUILT_IN`, or
register an importer from another package as an entry point in the group `diarist.importers`. See docs/howto/add-a-format.md.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from diarist.importers.announced import may_be_announced
from diarist.importers.glimpse import glimpse

if TYPE_CHECKING:
    from diarist.ports import Importer

GROUP = "diarist.importers"
SURE = 90
"""So sure is an importer that sees a mark which no other format has."""

_BUILT_IN = {
    "qwen": ("qwen", "sessionId uuid"),
    "claude-code": ("claude_code", "sessionId | message type | leafUuid type | snapshot type"),
    "codex": (
        "codex",
        """items session | payload type | record_type | id instructions timestamp | call_id type | content type | summary type
        | function type""",
    ),
    "claude-stream-json": ("claude_stream", "session_id type"),
    "swe-agent": ("swe_agent", "trajectory | history"),
    "mini-swe-agent": ("mini_swe_agent", "trajectory_format | messages | info | (list) content"),
    "openhands": ("openhands", "history | action args source | extras observation source | kind timestamp"),
    "tau-bench": ("tau_bench", "traj | messages_display"),
    "multi-agent-chat": ("group_chat", "history"),
    "inspect-eval": ("inspect_eval", "(zip) | eval status"),
    "gemini-cli": ("gemini", "projectHash sessionId | messageId sessionId | history | messages | (list) parts | (list) type"),
    "pi": ("pi", "cwd id type | message type | timestamp type"),
    "copilot": ("copilot", "data timestamp type"),
    "cursor": ("cursor", "message role"),
    "droid": ("droid", "id type | session_id type | sessionId type"),
    "grok": ("grok", "model_fingerprint type | prompt_index type | synthetic_reason type | kind type"),
    "antigravity": ("antigravity", "source step_index type"),
    "kimi": ("kimi", "type"),
    "hermes": ("hermes", "session_start | platform | message_count | last_updated"),
    "opencode": (
        "opencode",
        "(sqlite) | info messages | messageID type id | sessionID role id time | type id time | id time title",
    ),
    "atif": ("atif", "schema_version | steps"),
    "cline": ("cline", "(list) content role"),
    "amp": ("amp", "id created | id env | messages"),
    "vscode-copilot": ("vscode_chat", "requests"),
    "otel": ("otel", "resourceSpans"),
    "neutral": ("neutral", "diarist | kind"),
    "aider": ("aider", "(text)"),
    "specstory-md": ("specstory", "(text)"),
    "console-copy": ("console_copy", "(text)"),
    "terminal-log": ("terminal_log", "(text) | version width | version term"),
    "messages": ("messages", ""),
    "plain": ("plain", "(text)"),
}
"""Name of each built-in importer, the module below this package whose `IMPORTER` it is, and the fields without which a file is
certainly none of its own (see `Glimpse.fields`; "|" stands between alternatives, "" lets all pass): a module is loaded, and asked, only
where they are met.

Of equally sure ones the first wins; Qwen's records look like Claude Code's and have a mark more, so it is asked first; forms of text come
late, since JSON may quote any text.
"""
_MARKS = {name: tuple(frozenset(each.split()) for each in marks.split("|")) for name, (_, marks) in _BUILT_IN.items()}


class _Foreign(NamedTuple):
    importers: tuple[Importer, ...]
    problems: tuple[str, ...]


def all_importers() -> tuple[Importer, ...]:
    """Every importer that can be used: the built-in ones, then those of other packages by name."""
    return (*map(_built_in, _BUILT_IN), *_load().importers)


def import_problems() -> tuple[str, ...]:
    """One line for each importer of another package that could not be used: its name and why."""
    return _load().problems


def find_importer(head: bytes, path: Path | None) -> Importer | None:
    """The importer that is surest of a file that begins so (its first 64 KiB); None if none knows it.

    Of the built-in ones the first that sees a mark of its own format is it: the others need not look. A third-party importer
    may be surer still; one that fails while looking counts as not knowing the file.
    """
    best, chosen = 0, None
    for name in may_be(head):
        importer = _built_in(name)
        confidence = _confidence(importer, head, path)
        if confidence > best:
            best, chosen = confidence, importer
        if best >= SURE:
            break
    for importer in _load().importers:
        confidence = _confidence(importer, head, path)
        if confidence > best:
            best, chosen = confidence, importer
    return chosen


def may_be(head: bytes) -> list[str]:
    """Names of the built-in importers that a file which begins so may belong to; the others need not look."""
    has = glimpse(head).fields.issuperset
    return [name for name, marks in _MARKS.items() if any(map(has, marks))]


def get_importer(name: str) -> Importer | None:
    """The importer of this name."""
    if name in _BUILT_IN:
        return _built_in(name)
    return next((importer for importer in _load().importers if importer.name == name), None)


def _confidence(importer: Importer, head: bytes, path: Path | None) -> int:
    try:
        return int(importer.sniff(head, path))
    except Exception:  # noqa: BLE001 - foreign code must not stop an import
        return 0


@lru_cache(maxsize=1)
def _load() -> _Foreign:
    if not may_be_announced(GROUP):
        return _Foreign((), ())
    from importlib.metadata import entry_points

    found: list[Importer] = []
    problems: list[str] = []
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
    return _Foreign(tuple(found), tuple(problems))


@cache
def _built_in(name: str) -> Importer:
    importer: Importer = import_module(f"{__name__}.{_BUILT_IN[name][0]}").IMPORTER
    return importer
