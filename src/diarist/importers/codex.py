"""Codex CLI: `~/.codex/sessions/…/rollout-*.jsonl`, three generations of it.

- a JSON object with `items` (the first, TypeScript client): `CodexDocument`;
- bare JSON lines: a header, then response items without times;
- envelopes `{timestamp, type, payload}`.

Messages are told twice in the last one, as response items and as events. Items are read; an event counts only where no
item says the same. A subagent's file counts for the thread that it names as its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import UNSET

from diarist.importers.adapter import FormatImporter
from diarist.importers.codex_events import add_event
from diarist.importers.codex_items import CodexMemory, add_item
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.encodings import peek
from diarist.importers.glimpse import Glimpse, glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Ledger, Pairs, Tally
from diarist.importers.switches import SwitchWatch
from diarist.importers.usual import Absent, Moment, Shape
from diarist.importers.values import as_dict, as_list, as_str, as_time, first_str, words
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading

_ENVELOPES = frozenset(words("session_meta turn_context response_item event_msg compacted world_state inter_agent_communication_metadata"))
_BARE = words("message reasoning function_call function_call_output local_shell_call custom_tool_call custom_tool_call_output")
_OLD = words("tool_call tool_result function_call function_result")


class _Line(Shape, gc=False):
    """An envelope of the usual sort. Headers and other rare ones are looked at closely."""

    payload: dict[str, Any]
    timestamp: Moment = None
    created_at: Absent = UNSET


class _Item(_Line, tag_field="type", tag="response_item", gc=False):
    pass


class _Event(_Line, tag_field="type", tag="event_msg", gc=False):
    model: Absent = UNSET


class CodexFormat(PlainRecords):
    """What the lines of one rollout mean."""

    agent = "codex"
    name = "codex/jsonl"
    ignores = True

    def __init__(self) -> None:
        self._memory = CodexMemory()
        self._actor = ""
        """Id of the subagent whose thread this file is."""
        self._meta_at = -1
        self._switches = SwitchWatch()
        self.expect({_Item: self._item, _Event: self._event})

    def ignore(self, raw: bytes) -> str:
        """Filler of the second generation: nearly half of its lines."""
        return "state" if raw.startswith(b'{"record_type":"state"') else ""

    def session_of(self, record: Record) -> str:
        """The thread of the first header, or the parent it names for a subagent. Later headers tell of forks and resumes."""
        kind = record.value.get("type")
        meta = _header(record.value) if kind is None or kind == "session_meta" else None
        if meta is None or (self._meta_at >= 0 and self._meta_at != record.at):
            return ""
        parent, _ = _subagent(meta)
        return parent or as_str(meta.get("id"))

    def facts(self, record: Record) -> Pairs:
        """Folder, version, branch, repository, parent, model, title."""
        value: dict[str, Any] = record.value
        if type(value) is not dict:
            return told(("title", record.value.payload.get("thread_name")))
        if value.get("type") == "response_item":
            return ()
        payload = as_dict(value.get("payload"))
        meta = _header(value)
        if meta is not None:
            git = as_dict(meta.get("git"))
            parent, _ = _subagent(meta)
            return told(
                ("cwd", meta.get("cwd")),
                ("version", meta.get("cli_version")),
                ("branch", git.get("branch")),
                ("repository", git.get("repository_url")),
                ("parent", "" if parent else meta.get("forked_from_id")),
            )
        if value.get("type") == "turn_context":
            return told(("cwd", payload.get("cwd")), ("model", payload.get("model")), ("effort", payload.get("effort")))
        return told(("title", payload.get("thread_name")), ("model", value.get("model")))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        kind = as_str(value.get("type"))
        at = as_time(value.get("timestamp") or value.get("created_at"))
        tally.moment(at)
        enveloped = kind in _ENVELOPES
        if enveloped:
            tally.flags.add("envelope")
        if (not kind or kind == "session_meta") and _header(value) is not None:
            return self._open(record)
        draft = Draft(session, f"{self._actor}#{record.number}", at, record.line, self._actor)
        if enveloped:
            reason = self._envelope(draft, kind, record, tally)
        elif value.get("record_type"):
            reason = "state"
        elif kind == "error":
            reason = add_event(draft, value, tally, self._memory)
        else:
            reason = add_item(draft, value, tally, self._memory)
        return reason or draft.steps

    def _item(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = self._draft(record, session, tally)
        return add_item(draft, record.value.payload, tally, self._memory) or draft.steps

    def _event(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft, event = self._draft(record, session, tally), record.value.payload
        reason = add_event(draft, event, tally, self._memory)
        if not reason and "thread_name" in event:
            tally.facts.tell_all(self.facts(record), record.at)
        return reason or draft.steps

    def _draft(self, record: Record, session: str, tally: Tally) -> Draft:
        at = as_time(record.value.timestamp)
        tally.moment(at)
        tally.flags.add("envelope")
        return Draft(session, f"{self._actor}#{record.number}", at, record.line, self._actor)

    def _open(self, record: Record) -> Sequence[RawStep]:
        if self._meta_at < 0:
            self._meta_at = record.at
            self._actor = _subagent(_header(record.value) or {})[1]
        return ()

    def _envelope(self, draft: Draft, kind: str, record: Record, tally: Tally) -> str:
        payload = as_dict(record.value.get("payload"))
        if kind == "response_item":
            return add_item(draft, payload, tally, self._memory)
        if kind == "event_msg":
            return add_event(draft, payload, tally, self._memory)
        if kind == "turn_context":
            self._switches.see(draft, record.at, model=as_str(payload.get("model")), effort=as_str(payload.get("effort")))
            return ""
        if kind == "compacted" and as_str(payload.get("message")):
            draft.add("notice", 0, payload["message"], "compaction")
            return ""
        return "state"

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of the session; of a subagent's file, of that subagent."""
        generation = (
            "codex/envelope" if "envelope" in tally.flags or (self._meta_at >= 0 and tally.facts.latest("version")) else "codex/bare"
        )
        return tally.info(session, self.agent, generation, role="subagent" if self._actor else "main", actor=self._actor)

    def pack(self) -> Any:
        """Hashes and places."""
        return [self._memory.pack(), self._meta_at, self._switches.pack()]

    def unpack(self, packed: Any, read: Callable[[int], dict[str, Any] | None]) -> None:
        """Takes up what `pack` gave."""
        memory, self._meta_at, switches = packed
        self._memory.unpack(memory)
        meta = _header(read(self._meta_at) or {}) if self._meta_at >= 0 else None
        if meta is not None:
            self._actor = _subagent(meta)[1]
        self._switches.unpack(switches, lambda name, at: as_str(as_dict((read(at) or {}).get("payload")).get(name)))


def _header(value: dict[str, Any]) -> dict[str, Any] | None:
    """The facts of a line that opens a thread, None for any other."""
    if value.get("type") == "session_meta":
        return as_dict(value.get("payload"))
    if (
        "type" not in value
        and "record_type" not in value
        and isinstance(value.get("id"), str)
        and "timestamp" in value
        and "role" not in value
    ):
        return value
    return None


def _subagent(meta: dict[str, Any]) -> tuple[str, str]:
    """Parent thread and own id, both empty for a thread that a person started."""
    source = as_dict(meta.get("source")).get("subagent")
    if source is None:
        return "", ""
    spawn = as_dict(as_dict(source).get("thread_spawn"))
    parent = first_str(spawn, "parent_thread_id") or first_str(meta, "parent_thread_id", "forked_from_id")
    return (parent, as_str(meta.get("id"))) if parent else ("", "")


class CodexDocument:
    """The first generation: one object with all items."""

    name = "codex/document"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of the one session."""
        document = as_dict(document)
        header = as_dict(document.get("session"))
        items = as_list(document.get("items"))
        session = as_str(header.get("id")) or opening_id(items[:2])
        tally = ledger.open(session)
        at = as_time(header.get("timestamp"))
        tally.moment(at)
        for name, fact in (
            ("cwd", header.get("cwd")),
            ("branch", as_dict(header.get("git")).get("branch")),
            ("model", header.get("model")),
        ):
            if isinstance(fact, str) and fact:
                tally.facts.tell(name, fact, 0)
        memory = CodexMemory()
        for number, item in enumerate(items, 1):
            if not isinstance(item, dict):
                tally.broken(number, "not an object")
                continue
            draft = Draft(session, f"#{number}", at, number)
            reason = add_item(draft, item, tally, memory)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
            yield from draft.steps

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of the header."""
        return tally.info(session, "codex", self.name)


def _looks(seen: Glimpse) -> int:
    header = as_dict(seen.mapping.get("session"))
    if "items" in seen.mapping and "session" in seen.mapping and "id" in header:
        return 90
    return max(map(_likeness, seen.objects), default=0)


def _likeness(record: dict[str, Any]) -> int:
    kind = as_str(record.get("type"))
    if kind in _ENVELOPES and "payload" in record:
        return 95
    if record.get("record_type") == "state" or ("instructions" in record and "id" in record and "timestamp" in record):
        return 90
    if (
        kind in _BARE
        and ("call_id" in record or "content" in record or "summary" in record)
        and "sessionId" not in record
        and "uuid" not in record
    ):
        return 45
    return 42 if kind in _OLD and "function" in record else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = Path(environ["CODEX_HOME"]) if environ.get("CODEX_HOME") else home / ".codex"
    return [base / "sessions", base / "archived_sessions"]


def _open(stream: BinaryIO, state: bytes) -> Reading:
    if not state and "items" in glimpse(peek(stream, 65536)).first:
        return DocumentReading(stream, CodexDocument())
    return JsonLinesReading(stream, CodexFormat(), state)


IMPORTER = FormatImporter("codex", _looks, _open, _roots, listed=True)
