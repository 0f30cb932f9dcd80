"""`claude -p --output-format stream-json`: what a headless Claude Code prints, one JSON object a line.

Sessions and records have the ids of the native transcript, so that the two unite. Replies tell their usage only as far
as it was known when they began; the closing `result` tells it whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, field

from diarist.importers.adapter import FormatImporter
from diarist.importers.claude_blocks import add_assistant, add_result, tokens_of
from diarist.importers.claude_notices import failure_mark
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally
from diarist.importers.usual import Absent, Moment
from diarist.importers.values import as_cost, as_dict, as_int, as_str, as_time, content_text, words
from diarist.model.session import Mark, RawStep, SessionInfo

_TYPES = words("system assistant user result stream_event rate_limit_event control_request control_response tool_progress auth_status")

_SYNTHETIC = "<synthetic>"
_TELLING_SYSTEM = ("init", "api_retry", "api_error")


class _Line(Struct, gc=False):
    """A message as it is printed. It tells the model, and nothing else but where the message tells it."""

    message: dict[str, Any]
    session: str = field(name="session_id", default="")
    uuid: str = ""
    timestamp: Moment = None
    parent_tool_use_id: str | None = None
    cwd: Absent = UNSET
    claude_code_version: Absent = UNSET
    subtype: Absent = UNSET


class _Said(_Line, tag_field="type", tag="assistant", gc=False):
    error: Absent = UNSET
    isApiErrorMessage: Absent = UNSET  # noqa: N815 - as it is written


class _Asked(_Line, tag_field="type", tag="user", gc=False):
    pass


class StreamFormat(PlainRecords):
    """What the lines of one stream mean."""

    name = "claude-code/stream-json"
    agent = "claude-code"
    ignores = True

    def __init__(self) -> None:
        self._fills = {"assistant": self._assistant, "user": self._user, "result": self._result, "system": self._system}
        self.expect({_Said: self._usual, _Asked: self._usual})

    def ignore(self, raw: bytes) -> str:
        """Partial messages: the whole ones follow."""
        return "partial" if raw.startswith(b'{"type":"stream_event"') else ""

    def session_of(self, record: Record) -> str:
        """Every line names it."""
        return as_str(record.value.get("session_id"))

    def facts(self, record: Record) -> Pairs:
        """Folder, version, model."""
        value: dict[str, Any] = record.value
        message = as_dict(value.get("message")) if type(value) is dict else record.value.message
        model = message.get("model")
        if type(value) is not dict or ("cwd" not in value and "claude_code_version" not in value and "subtype" not in value):
            return (("model", model),) if model and isinstance(model, str) and model != _SYNTHETIC else ()
        asked = value.get("model") if value.get("subtype") == "init" else None
        return told(
            ("cwd", value.get("cwd")),
            ("version", value.get("claude_code_version")),
            ("model", model if model != _SYNTHETIC else None),
            ("asked-model", asked if asked != _SYNTHETIC else None),
        )

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        uuid = as_str(value.get("uuid"))
        if uuid and not tally.fresh(uuid):
            return "duplicate"
        fill = self._fills.get(as_str(value.get("type")))
        if fill is None or (fill == self._system and value.get("subtype") not in _TELLING_SYSTEM):
            return "state"
        at = as_time(value.get("timestamp"))
        draft = Draft(session, uuid or f"#{record.number}", at, record.line, as_str(value.get("parent_tool_use_id")))
        reason = fill(draft, value, tally)
        if not reason:
            tally.moment(at)
        return reason or draft.steps

    def _usual(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """The same of a typed message."""
        value: _Said | _Asked = record.value
        if value.uuid and not tally.fresh(value.uuid):
            return "duplicate"
        at = as_time(value.timestamp)
        draft = Draft(session, value.uuid or f"#{record.number}", at, record.line, value.parent_tool_use_id or "")
        reason = (self._reply if type(value) is _Said else self._turn)(draft, value.message, tally)
        if reason:
            return reason
        tally.moment(at)
        model = value.message.get("model")
        if model and isinstance(model, str) and model != _SYNTHETIC:
            tally.facts.tell_all((("model", model),), record.at)
        return draft.steps

    def _assistant(self, draft: Draft, value: dict[str, Any], tally: Tally) -> str:
        message = as_dict(value.get("message"))
        if as_str(value.get("error")) or value.get("isApiErrorMessage") is True:
            text = content_text(message.get("content")) or as_str(value.get("error"))
            draft.add("notice", 0, text, failure_mark(text))
            tally.flags.add("failed")
            return ""
        return self._reply(draft, message, tally)

    @staticmethod
    def _reply(draft: Draft, message: dict[str, Any], tally: Tally) -> str:
        tokens = tokens_of(message.get("usage"))
        if tokens is not None:
            tally.use(as_str(message.get("id")) or draft.rid, tokens)
        add_assistant(draft, message.get("content"), tally)
        return "" if draft.steps or tokens is not None else "empty"

    def _user(self, draft: Draft, value: dict[str, Any], tally: Tally) -> str:
        return self._turn(draft, as_dict(value.get("message")), tally)

    @staticmethod
    def _turn(draft: Draft, message: dict[str, Any], tally: Tally) -> str:
        content = message.get("content")
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            if isinstance(block, dict) and as_str(block.get("type")).endswith("tool_result"):
                add_result(draft, number, block, tally)
            elif not isinstance(block, dict) or block.get("type") == "text":
                draft.user(number, content_text(block))
        return "" if draft.steps else "empty"

    def _system(self, draft: Draft, value: dict[str, Any], _tally: Tally) -> str:
        kind = as_str(value.get("subtype"))
        if kind == "api_retry" or (kind == "api_error" and value.get("error")):
            text = as_str(value.get("error")) or content_text(as_dict(value.get("error")).get("message")) or "API error"
            draft.add("notice", 0, text, "api-error")
            return ""
        return "" if kind == "init" else "state"

    def _result(self, draft: Draft, value: dict[str, Any], tally: Tally) -> str:
        """The end of the run: how it ended, and what it used."""
        usage = tokens_of(value.get("usage"))
        if usage is not None and any(usage):
            tally.settle(usage)
        cost = as_cost(value.get("total_cost_usd"))
        tally.cost = cost if cost is not None else tally.cost
        tally.wait(as_int(value.get("duration_ms")))
        text = "; ".join([*(content_text(error) for error in value.get("errors") or () if error), as_str(value.get("result"))]).strip("; ")
        mark = _end_mark(value, text)
        if not (mark in ("api-error", "limit") and "failed" in tally.flags):
            draft.add("notice", "result", "" if mark == "end" else text or as_str(value.get("subtype")), mark)
        return ""

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        models = tuple(tally.facts.ranked("model") or tally.facts.ranked("asked-model"))
        return tally.info(session, self.agent, self.name, models=models)


def _end_mark(value: dict[str, Any], text: str) -> Mark:
    kind = as_str(value.get("subtype"))
    if kind.startswith("error_max") or as_str(value.get("terminal_reason")).startswith("max_"):
        return "limit"
    if value.get("is_error") is True or kind.startswith("error"):
        reason = as_str(value.get("terminal_reason"))
        if kind == "success" or "api" in reason or value.get("api_error_status"):
            return failure_mark(text)
        return "error-end"
    return "end"


def _looks(seen: Glimpse) -> int:
    for value in seen.objects:
        if value.get("type") in _TYPES and "session_id" in value and "sessionId" not in value:
            marks = ("claude_code_version", "parent_tool_use_id", "total_cost_usd", "num_turns", "rate_limit_info")
            if any(mark in value for mark in marks) or value.get("subtype") == "init":
                return 92
    return 0


IMPORTER = FormatImporter("claude-stream-json", _looks, lambda stream, state: JsonLinesReading(stream, StreamFormat(), state), listed=True)
