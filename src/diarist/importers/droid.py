"""Factory's Droid: its session store (`~/.factory/sessions/*.jsonl`) and what `droid exec` streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, add_output
from diarist.importers.claude_blocks import tokens_of
from diarist.importers.claude_notices import failure_mark
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally
from diarist.importers.usual import Absent, Block, Moment, add_agent, add_user, begin
from diarist.importers.values import as_arguments, as_dict, as_str, as_time, content_text, first_str
from diarist.model.session import RawStep, SessionInfo

_STREAMED = frozenset(("system", "message", "tool_call", "tool_result", "completion", "error", "reasoning"))

_TELLING = frozenset(("cwd", "sessionTitle", "title", "version", "model"))
"""Fields that tell a fact; few records have one."""


class _Message(Struct, gc=False):
    role: Literal["user", "assistant"]
    content: str | list[Block]
    model: Absent = UNSET
    usage: Absent = UNSET
    tool_calls: Absent = UNSET
    function_call: Absent = UNSET
    reasoning_content: Absent = UNSET
    reasoning: Absent = UNSET
    thought: Absent = UNSET
    thinking: Absent = UNSET


class _Stored(Struct, tag_field="type", tag="message", gc=False):
    """A message of the session store, or one that was streamed (which has `text` and `role` of its own)."""

    timestamp: Moment = None
    id: str = ""
    message: _Message | Absent = UNSET
    role: Literal["user", "assistant"] | Absent = UNSET
    text: str | Absent = UNSET
    session: str = field(name="session_id", default="")
    sessionId: Absent = UNSET  # noqa: N815 - as it is written
    cwd: Absent = UNSET
    sessionTitle: Absent = UNSET  # noqa: N815
    title: Absent = UNSET
    version: Absent = UNSET
    model: Absent = UNSET


class _OfCall(Struct, gc=False):
    """What records of calls and of their results share."""

    toolCallId: str = ""  # noqa: N815
    id: str = ""
    session: str = field(name="session_id", default="")
    sessionId: Absent = UNSET  # noqa: N815
    timestamp: Moment = None
    cwd: Absent = UNSET
    sessionTitle: Absent = UNSET  # noqa: N815
    title: Absent = UNSET
    version: Absent = UNSET
    model: Absent = UNSET
    message: Absent = UNSET


class _Called(_OfCall, tag_field="type", tag="tool_call", gc=False, kw_only=True):
    parameters: dict[str, Any]
    toolName: str = ""  # noqa: N815
    toolId: str = ""  # noqa: N815


class _Gave(_OfCall, tag_field="type", tag="tool_result", gc=False, kw_only=True):
    value: Any
    isError: bool | None = None  # noqa: N815


class DroidFormat(PlainRecords):
    """What the lines of either form mean."""

    name = "droid/jsonl"

    def __init__(self) -> None:
        self._chat = Chat()
        self.expect({_Stored: self._told, _Called: self._called, _Gave: self._gave})

    def session_of(self, record: Record) -> str:
        """The header names it, or every line does."""
        value = record.value
        return as_str(value.get("id")) if value.get("type") == "session_start" else first_str(value, "session_id", "sessionId")

    def facts(self, record: Record) -> Pairs:
        """Folder, title, version, model."""
        value: dict[str, Any] = record.value
        message = value.get("message")
        model = message.get("model") if isinstance(message, dict) else None
        if model is None and not value.keys() & _TELLING:
            return ()
        title = first_str(value, "sessionTitle", "title")
        model = value.get("model") or model
        return told(("cwd", value.get("cwd")), ("title", title), ("version", value.get("version")), ("model", model))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        kind = as_str(value.get("type"))
        own = as_str(value.get("id"))
        if own and kind == "message" and not tally.fresh(own):
            return "duplicate"
        at = as_time(value.get("timestamp"))
        tally.moment(at)
        draft = Draft(session, own if own and kind == "message" else f"#{record.number}", at, record.line)
        reason = self._fill(draft, kind, value, tally)
        return reason or draft.steps

    def _told(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Stored = record.value
        if value.id and not tally.fresh(value.id):
            return "duplicate"
        draft = begin(record, session, tally, value.timestamp, value.id)
        message = value.message
        role = message.role if isinstance(message, _Message) else value.role
        content = message.content if isinstance(message, _Message) else value.text
        if isinstance(role, UnsetType) or isinstance(content, UnsetType):
            return self._chat.add(draft, {"role": value.role or None, "content": value.text or None}, tally) or draft.steps
        (add_agent if role == "assistant" else add_user)(draft, content, tally, self._chat)
        return draft.steps or "empty"

    def _called(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep]:
        value: _Called = record.value
        draft = begin(record, session, tally, value.timestamp)
        call_id = value.toolCallId or value.id or draft.rid
        tally.call(call_id)
        draft.call(0, value.toolName or value.toolId, value.parameters, call_id)
        return draft.steps

    def _gave(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep]:
        value: _Gave = record.value
        draft = begin(record, session, tally, value.timestamp)
        call_id = value.toolCallId or value.id
        if call_id:
            tally.result(call_id)
        add_output(draft, 0, value.value, call_id, error=value.isError)
        return draft.steps

    def _fill(self, draft: Draft, kind: str, value: dict[str, Any], tally: Tally) -> str:
        if kind == "message":
            message = as_dict(value.get("message")) or {"role": value.get("role"), "content": value.get("text")}
            return self._chat.add(draft, message, tally)
        if kind == "tool_call":
            call_id = first_str(value, "toolCallId", "id") or draft.rid
            tally.call(call_id)
            draft.call(0, first_str(value, "toolName", "toolId"), as_arguments(value.get("parameters")), call_id)
        elif kind == "tool_result":
            call_id = first_str(value, "toolCallId", "id")
            if call_id:
                tally.result(call_id)
            flag = value.get("isError")
            add_output(draft, 0, value.get("value"), call_id, error=flag if isinstance(flag, bool) else None)
        elif kind == "completion":
            tokens = tokens_of(value.get("usage"))
            if tokens is not None:
                tally.settle(tokens)
            draft.reply(0, as_str(value.get("finalText")))
            draft.add("notice", 1, "", "end")
        elif kind == "error":
            text = content_text(value.get("message"))
            draft.add("notice", 0, text, failure_mark(text))
        elif kind == "reasoning":
            draft.thought(0, content_text(value.get("text")))
        elif kind in ("session_start", "system"):
            return ""
        elif kind == "compaction_state" and as_str(value.get("summaryText")):
            draft.add("notice", 0, value["summaryText"], "compaction")
        else:
            return "state" if kind in ("session_end", "todo_state", "compaction_state") else "unknown-type"
        return "" if draft.steps else "empty"

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "droid", self.name)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._chat.unnamed

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed = list(packed)


def _looks(seen: Glimpse) -> int:
    best = 0
    for value in seen.objects[:6]:
        kind = as_str(value.get("type"))
        if kind == "session_start" and "id" in value:
            return 92
        if kind in _STREAMED and ("session_id" in value or "sessionId" in value) and "uuid" not in value:
            told_so = "parameters" in value or "finalText" in value or ("role" in value and "text" in value)
            best = max(best, 90 if told_so else 40)
    return best


def _roots(_environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    return [home / ".factory" / "sessions"]


IMPORTER = FormatImporter("droid", _looks, lambda stream, state: JsonLinesReading(stream, DroidFormat(), state), _roots, listed=True)
