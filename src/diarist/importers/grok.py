"""Grok's command line agent: `chat_history.jsonl`. The session's id stands in another file, so one is made of its beginning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, add_output
from diarist.importers.claude_notices import as_machine
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record
from diarist.importers.ledger import Pairs, Tally
from diarist.importers.speech import understand
from diarist.importers.switches import SwitchWatch, field_of
from diarist.importers.usual import Absent, Asked, Moment, Named, Shape, Text, add_agent, add_calls, begin, text_of
from diarist.importers.values import as_dict, as_str, as_time, content_text, dicts, first_str
from diarist.model.session import RawStep, SessionInfo

_ROLES = {"assistant": "assistant", "tool_result": "tool", "system": "system"}


class _Line(Shape, gc=False):
    timestamp: Moment = None
    created_at: Moment = None
    session_id: Absent = UNSET
    sessionId: Absent = UNSET  # noqa: N815 - as it is written

    @property
    def moment(self) -> Moment:
        """When it was, as it is written."""
        return self.timestamp or self.created_at


class _Asked(_Line, tag_field="type", tag="user", gc=False, kw_only=True):
    content: str | list[Text]
    prior_turn_interrupt: Absent = UNSET
    synthetic_reason: str | None = None
    model_id: Absent = UNSET


class _Summary(Struct, gc=False):
    text: str


class _Thought(_Line, tag_field="type", tag="reasoning", gc=False, kw_only=True):
    summary: list[_Summary]
    model_id: Absent = UNSET


class _Said(_Line, tag_field="type", tag="assistant", gc=False, kw_only=True):
    content: str | list[Text]
    tool_calls: list[Asked] | None = None
    model_id: str = ""
    reasoning_effort: str = ""
    id: Absent = UNSET
    usage: Absent = UNSET
    reasoning_content: Absent = UNSET
    reasoning: Absent = UNSET
    thought: Absent = UNSET
    thinking: Absent = UNSET
    function_call: Absent = UNSET


class _Gave(_Line, tag_field="type", tag="tool_result", gc=False, kw_only=True):
    content: str | list[Text]
    tool_call_id: Named
    name: str = ""
    tool_name: str = ""
    is_error: bool | None = None
    isError: bool | None = None  # noqa: N815
    error: bool | None = None
    model_id: Absent = UNSET


class GrokFormat(PlainRecords):
    """What the lines of one history mean."""

    name = "grok/chat_history"
    heads = frozenset({"session_id", "sessionId", "model_id"})

    def __init__(self) -> None:
        self._chat = Chat()
        self._switches = SwitchWatch()
        self.expect({_Asked: self._asked, _Thought: self._thought, _Said: self._said, _Gave: self._gave})

    def session_of(self, record: Record) -> str:
        """Nothing names it in older files."""
        return first_str(record.value, "session_id", "sessionId")

    def facts(self, record: Record) -> Pairs:
        """The model."""
        value = record.value
        model = value.model_id if type(value) is _Said else value.get("model_id")
        return (("model", model),) if model and isinstance(model, str) else ()

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        at = as_time(value.get("timestamp") or value.get("created_at"))
        tally.moment(at)
        draft = Draft(session, f"#{record.number}", at, record.line)
        reason = self._fill(draft, value, record.at, tally)
        return reason or draft.steps

    @staticmethod
    def _asked(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft, text = begin(record, session, tally, record.value.moment), text_of(record.value.content)
        if record.value.synthetic_reason:
            draft.said(as_machine(understand(text)), 0)
        else:
            draft.user(0, text)
        return draft.steps or "empty"

    @staticmethod
    def _thought(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = begin(record, session, tally, record.value.moment)
        draft.thought(0, "\n\n".join([part.text for part in record.value.summary]))
        return draft.steps or "encrypted"

    def _said(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Said = record.value
        draft = begin(record, session, tally, record.value.moment)
        self._switches.see(draft, record.at, model=value.model_id, effort=value.reasoning_effort)
        add_agent(draft, value.content, tally, self._chat)
        if value.tool_calls:
            add_calls(draft, value.tool_calls, tally)
        if not draft.steps:
            return "empty"
        if value.model_id:
            tally.facts.tell_all((("model", value.model_id),), record.at)
        return draft.steps

    @staticmethod
    def _gave(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Gave = record.value
        draft = begin(record, session, tally, record.value.moment)
        tally.result(value.tool_call_id)
        error = next((flag for flag in (value.is_error, value.isError, value.error) if flag is not None), None)
        add_output(draft, 0, text_of(value.content), value.tool_call_id, tool=value.name or value.tool_name, error=error)
        return draft.steps

    def _fill(self, draft: Draft, value: dict[str, Any], at: int, tally: Tally) -> str:
        kind = as_str(value.get("type"))
        if kind == "user":
            if as_str(value.get("prior_turn_interrupt")):
                draft.add("notice", "interrupt", value["prior_turn_interrupt"], "interrupt")
            text = content_text(value.get("content"))
            if value.get("synthetic_reason"):
                draft.said(as_machine(understand(text)), 0)
            else:
                draft.user(0, text)
            return "" if draft.steps else "empty"
        if kind == "reasoning":
            draft.thought(0, "\n\n".join(as_str(part.get("text")) for part in dicts(value.get("summary"))))
            return "" if draft.steps else "encrypted"
        if kind == "backend_tool_call":
            call = as_dict(value.get("kind"))
            call_id = as_str(call.get("id")) or draft.rid
            tally.call(call_id)
            tally.result(call_id)
            draft.call(0, as_str(call.get("tool_type")), as_dict(call.get("action")), call_id)
            return ""
        if kind == "assistant":
            self._switches.see(draft, at, model=as_str(value.get("model_id")), effort=as_str(value.get("reasoning_effort")))
        role = _ROLES.get(kind)
        return self._chat.add(draft, value, tally, role) if role else "unknown-type"

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "grok", self.name)

    def pack(self) -> Any:
        """Waiting calls and places."""
        return [self._chat.unnamed, self._switches.pack()]

    def unpack(self, packed: Any, read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed, switches = packed
        names = {"model": "model_id", "effort": "reasoning_effort"}
        self._switches.unpack(switches, lambda name, at: field_of(read(at), names[name]))


def _looks(seen: Glimpse) -> int:
    for value in seen.objects[:12]:
        marks = ("model_fingerprint", "prompt_index", "synthetic_reason")
        if value.get("type") in ("user", "assistant", "backend_tool_call") and (any(mark in value for mark in marks) or "kind" in value):
            return 88 if "message" not in value else 0
    return 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("GROK_HOME")
    return [(Path(base) if base else home / ".grok") / "sessions"]


IMPORTER = FormatImporter("grok", _looks, lambda stream, state: JsonLinesReading(stream, GrokFormat(), state), _roots, listed=True)
