"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.claude_notices import failure_mark
from diarist.importers.claude_record import is_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.switches import SwitchWatch, field_of
from diarist.importers.usual import Absent, Moment, Named, Shape, begin
from diarist.importers.values import as_arguments, as_dict, as_int, as_str, as_time, content_text, dicts, first_str
from diarist.model.session import RawStep, SessionInfo

_FAMILIES = ("session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent.", "permission.", "abort", "skill.")

_TELLING = frozenset(("context", "model", "newModel", "copilotVersion", "title"))
"""Fields that tell a fact; few events have one."""


class _Event(Shape, gc=False):
    timestamp: Moment = None
    id: str = ""


class _Data(Struct, gc=False):
    """What an event tells; in its usual shape nothing of the session."""

    context: Absent = UNSET
    copilotVersion: Absent = UNSET  # noqa: N815 - as it is written
    parentToolCallId: Absent = UNSET  # noqa: N815


class _Prompt(_Data, gc=False, kw_only=True):
    content: str
    newModel: Absent = UNSET  # noqa: N815


class _Asked(_Event, tag_field="type", tag="user.message", gc=False, kw_only=True):
    data: _Prompt


class _Request(Struct, gc=False):
    toolCallId: Named  # noqa: N815
    name: str
    arguments: str | dict[str, Any] | None = None


class _Reply(_Data, gc=False, kw_only=True):
    content: str = ""
    toolRequests: list[_Request] | None = None  # noqa: N815
    reasoningText: str | None = None  # noqa: N815
    reasoning: str | None = None
    outputTokens: int = 0  # noqa: N815
    messageId: str = ""  # noqa: N815
    model: str = ""


class _Said(_Event, tag_field="type", tag="assistant.message", gc=False, kw_only=True):
    data: _Reply


class _Start(_Data, gc=False, kw_only=True):
    toolCallId: Named  # noqa: N815
    toolName: str  # noqa: N815
    arguments: str | dict[str, Any] | None = None
    newModel: Absent = UNSET  # noqa: N815


class _Started(_Event, tag_field="type", tag="tool.execution_start", gc=False, kw_only=True):
    data: _Start


class _Content(Struct, gc=False):
    content: str


class _Output(_Data, gc=False, kw_only=True):
    toolCallId: Named  # noqa: N815
    result: _Content
    success: bool | None = None
    error: dict[str, Any] | None = None
    model: str = ""


class _Gave(_Event, tag_field="type", tag="tool.execution_complete", gc=False, kw_only=True):
    data: _Output


class CopilotFormat(PlainRecords):
    """What the events of one session mean."""

    name = "copilot/events"

    def __init__(self) -> None:
        self._switches = SwitchWatch()
        self.expect({_Asked: self._asked, _Said: self._said, _Started: self._began, _Gave: self._gave})

    def session_of(self, record: Record) -> str:
        """The first event names it."""
        return as_str(as_dict(record.value.get("data")).get("sessionId")) if record.value.get("type") == "session.start" else ""

    def facts(self, record: Record) -> Pairs:
        """Folder, branch, repository, version, model."""
        if type(record.value) is not dict:
            return told(("model", record.value.data.model))
        data = as_dict(record.value.get("data"))
        if not data.keys() & _TELLING:
            return ()
        context = as_dict(data.get("context"))
        kind = record.value.get("type")
        model = data.get("model") if kind in ("assistant.message", "tool.execution_complete") else data.get("newModel")
        return told(
            ("cwd", context.get("cwd")),
            ("branch", context.get("branch")),
            ("repository", context.get("repository")),
            ("version", data.get("copilotVersion")),
            ("model", model),
            ("title", data.get("title") if kind == "session.title_changed" else None),
        )

    @staticmethod
    def _asked(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = _draft(record, session, tally)
        if draft is None:
            return "duplicate"
        draft.user(0, record.value.data.content)
        return draft.steps or "empty"

    @staticmethod
    def _said(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        data: _Reply = record.value.data
        draft = _draft(record, session, tally)
        if draft is None:
            return "duplicate"
        draft.thought("thought", data.reasoningText or data.reasoning or "")
        draft.reply(0, data.content)
        for number, request in enumerate(data.toolRequests or (), 1):
            if request.toolCallId not in tally.called:
                tally.call(request.toolCallId)
                draft.call(number, request.name, as_arguments(request.arguments), request.toolCallId)
        output = as_int(data.outputTokens)
        if output:
            tally.use(data.messageId or draft.rid, Tokens(output=output))
        if not draft.steps and not output:
            return "empty"
        if data.model:
            tally.facts.tell_all((("model", data.model),), record.at)
        return draft.steps

    @staticmethod
    def _began(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        data: _Start = record.value.data
        draft = _draft(record, session, tally)
        if draft is None:
            return "duplicate"
        if data.toolCallId in tally.called:
            return "event"
        tally.call(data.toolCallId)
        draft.call(0, data.toolName, as_arguments(data.arguments), data.toolCallId)
        return draft.steps

    @staticmethod
    def _gave(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        data: _Output = record.value.data
        draft = _draft(record, session, tally)
        if draft is None:
            return "duplicate"
        tally.result(data.toolCallId)
        _add_answer(draft, data.toolCallId, data.result.content, data.error or {}, data.success)
        if data.model:
            tally.facts.tell_all((("model", data.model),), record.at)
        return draft.steps

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one event."""
        value: dict[str, Any] = record.value
        own = as_str(value.get("id"))
        known = is_id(own)
        if known and not tally.fresh(own):
            return "duplicate"
        at = as_time(value.get("timestamp"))
        tally.moment(at)
        data = as_dict(value.get("data"))
        draft = Draft(session, own if known else f"#{record.number}", at, record.line, as_str(data.get("parentToolCallId")))
        fill = _EVENTS.get(as_str(value.get("type")))
        if fill is None:
            return "event" if as_str(value.get("type")).startswith(_FAMILIES) else "unknown-type"
        reason = fill(self, draft, data, record, tally)
        return reason or draft.steps

    def user(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """What the person asked, as they typed it."""
        draft.user(0, content_text(data.get("content")))
        return "" if draft.steps else "empty"

    def assistant(self, draft: Draft, data: dict[str, Any], _record: Record, tally: Tally) -> str:
        """Text, reasoning and the calls that were asked for."""
        draft.thought("thought", as_str(data.get("reasoningText")) or as_str(data.get("reasoning")))
        draft.reply(0, content_text(data.get("content")))
        for number, request in enumerate(dicts(data.get("toolRequests")), 1):
            call_id = first_str(request, "toolCallId") or f"{draft.rid}/{number}"
            if call_id not in tally.called:
                tally.call(call_id)
                draft.call(number, as_str(request.get("name")), as_arguments(request.get("arguments")), call_id)
        output = as_int(data.get("outputTokens"))
        if output:
            tally.use(first_str(data, "messageId") or draft.rid, Tokens(output=output))
        return "" if draft.steps or output else "empty"

    def reasoning(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """Reasoning told on its own."""
        draft.thought(0, content_text(data.get("content")))
        return "" if draft.steps else "empty"

    def started(self, draft: Draft, data: dict[str, Any], _record: Record, tally: Tally) -> str:
        """A call that began; mostly the message before has told it."""
        call_id = as_str(data.get("toolCallId"))
        if not call_id or call_id in tally.called:
            return "event"
        tally.call(call_id)
        draft.call(0, as_str(data.get("toolName")), as_arguments(data.get("arguments")), call_id)
        return ""

    def completed(self, draft: Draft, data: dict[str, Any], _record: Record, tally: Tally) -> str:
        """What a tool gave."""
        call_id = as_str(data.get("toolCallId"))
        if call_id:
            tally.result(call_id)
        text = content_text(as_dict(data.get("result")).get("content"))
        _add_answer(draft, call_id, text, as_dict(data.get("error")), data.get("success"))
        return ""

    def failed(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """The service or the client failed."""
        text = as_str(data.get("message")) or as_str(data.get("errorType"))
        draft.add("notice", 0, text, failure_mark(text))
        return ""

    def switched(self, draft: Draft, data: dict[str, Any], record: Record, _tally: Tally) -> str:
        """Another model or effort."""
        self._switches.see(draft, record.at, model=as_str(data.get("newModel")), effort=as_str(data.get("reasoningEffort")))
        return ""

    def aborted(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """The person stopped the turn."""
        draft.add("notice", 0, as_str(data.get("reason")) or "aborted", "interrupt")
        return ""

    def notified(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """Text that the client put in."""
        text = content_text(data.get("content")) or content_text(data.get("summaryContent"))
        if text:
            draft.add("notice", 0, text, "machine")
        return "" if text else "event"

    def compacted(self, draft: Draft, data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """A summary took the place of earlier messages."""
        text = first_str(data, "summaryContent", "summary")
        if text:
            draft.add("notice", 0, text, "compaction")
        return "" if text else "event"

    def ended(self, draft: Draft, data: dict[str, Any], _record: Record, tally: Tally) -> str:
        """The end of the session, with its usage by model."""
        total = Tokens()
        for metrics in as_dict(data.get("modelMetrics")).values():
            usage = as_dict(as_dict(metrics).get("usage"))
            cached = as_int(usage.get("cacheReadTokens"))
            total = total.plus(
                Tokens(
                    input=max(0, as_int(usage.get("inputTokens")) - cached),
                    output=as_int(usage.get("outputTokens")),
                    cache_read=cached,
                    cache_write=as_int(usage.get("cacheWriteTokens")),
                )
            )
        if any(total):
            tally.settle(total)
        tally.wait(as_int(data.get("totalApiDurationMs")))
        kind = as_str(data.get("shutdownType"))
        draft.add("notice", 0, "" if kind == "routine" else kind, "end" if kind in ("routine", "") else "error-end")
        return ""

    def opened(self, _draft: Draft, _data: dict[str, Any], _record: Record, _tally: Tally) -> str:
        """Facts only."""
        return ""

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "copilot", self.name)

    def pack(self) -> Any:
        """Places."""
        return self._switches.pack()

    def unpack(self, packed: Any, read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        names = {"model": "newModel", "effort": "reasoningEffort"}
        self._switches.unpack(packed, lambda name, at: field_of(as_dict(read(at)).get("data"), names[name]))


def _draft(record: Record, session: str, tally: Tally) -> Draft | None:
    """Of a typed event; None if it came before."""
    own = record.value.id
    known = is_id(own)
    if known and not tally.fresh(own):
        return None
    return begin(record, session, tally, record.value.timestamp, own if known else "")


def _add_answer(draft: Draft, call_id: str, text: str, failure: dict[str, Any], success: object) -> None:
    message = as_str(failure.get("message"))
    if as_str(failure.get("code")) in ("rejected", "denied") or "rejected" in message[:60]:
        draft.result(0, text or message, call_id, error=True, mark="refusal")
    else:
        add_output(draft, 0, text or message, call_id, error=not success if isinstance(success, bool) else None)


_EVENTS: dict[str, Callable[[CopilotFormat, Draft, dict[str, Any], Record, Tally], str]] = {
    "session.start": CopilotFormat.opened,
    "session.resume": CopilotFormat.opened,
    "session.title_changed": CopilotFormat.opened,
    "session.model_change": CopilotFormat.switched,
    "session.error": CopilotFormat.failed,
    "session.shutdown": CopilotFormat.ended,
    "session.compaction_complete": CopilotFormat.compacted,
    "user.message": CopilotFormat.user,
    "assistant.message": CopilotFormat.assistant,
    "assistant.reasoning": CopilotFormat.reasoning,
    "tool.execution_start": CopilotFormat.started,
    "tool.execution_complete": CopilotFormat.completed,
    "system.notification": CopilotFormat.notified,
    "abort": CopilotFormat.aborted,
}


def _looks(seen: Glimpse) -> int:
    for value in seen.objects[:8]:
        if as_str(value.get("type")).startswith(_FAMILIES) and isinstance(value.get("data"), dict) and "timestamp" in value:
            return 92
    return 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("COPILOT_HOME")
    return [(Path(base) if base else home / ".copilot") / "session-state"]


IMPORTER = FormatImporter("copilot", _looks, lambda stream, state: JsonLinesReading(stream, CopilotFormat(), state), _roots, listed=True)
