"""Antigravity's command line agent: numbered steps, one JSON object a line. Calls have no ids: their results follow in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct

from diarist.importers.adapter import FormatImporter
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record
from diarist.importers.ledger import Tally
from diarist.importers.usual import Absent, Moment, Shape, begin
from diarist.importers.values import as_dict, as_str, as_time, content_text, dicts, parse_json
from diarist.model.session import RawStep, SessionInfo

_STATUS = re.compile(
    r"The command (?:completed (successfully)|failed|exited)(?:[^\n]*?\b(?:exit )?code:? (-?\d{1,9}))?[^\n]*\n?(?:Output:\n?)?"
)
_WAITING = 64


class _Step(Shape, gc=False):
    content: str = ""
    created_at: Moment = None
    status: str = ""
    conversation_id: Absent = UNSET


class _Asked(_Step, tag_field="type", tag="USER_INPUT", gc=False):
    pass


class _Called(Struct, gc=False):
    name: str
    args: dict[str, Any]


class _Planned(_Step, tag_field="type", tag="PLANNER_RESPONSE", gc=False):
    thinking: str = ""
    tool_calls: list[_Called] | None = None


class _Ran(_Step, tag_field="type", tag="RUN_COMMAND", gc=False, kw_only=True):
    source: Literal["MODEL"]


class AntigravityFormat(PlainRecords):
    """What the steps of one conversation mean."""

    name = "antigravity/steps"
    heads = frozenset({"conversation_id"})

    def __init__(self) -> None:
        self._calls: list[str] = []
        self.expect({_Asked: self._asked, _Planned: self._planned, _Ran: self._ran})

    def session_of(self, record: Record) -> str:
        """Mostly nothing names it."""
        return as_str(record.value.get("conversation_id"))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        at = as_time(value.get("created_at"))
        tally.moment(at)
        draft = Draft(session, f"#{record.number}", at, record.line)
        kind, text = as_str(value.get("type")), content_text(value.get("content"))
        if kind == "USER_INPUT":
            draft.user(0, text)
        elif kind == "PLANNER_RESPONSE":
            self._plan(draft, value, tally)
        elif kind == "CHECKPOINT":
            draft.add("notice", 0, text, "compaction")
        elif kind == "SYSTEM_MESSAGE":
            draft.add("notice", 0, text, "machine")
        elif value.get("source") == "MODEL":
            self._result(draft, text, as_str(value.get("status")), tally)
        else:
            return "state"
        return draft.steps or "empty"

    @staticmethod
    def _asked(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = begin(record, session, tally, record.value.created_at)
        draft.user(0, record.value.content)
        return draft.steps or "empty"

    def _planned(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Planned = record.value
        draft = begin(record, session, tally, record.value.created_at)
        draft.thought("thought", value.thinking)
        draft.reply(0, value.content)
        if value.tool_calls:
            for number, call in enumerate(value.tool_calls, 1):
                self._call(draft, number, call.name, call.args, tally)
        return draft.steps or "empty"

    def _ran(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep]:
        draft = begin(record, session, tally, record.value.created_at)
        self._result(draft, record.value.content, record.value.status, tally)
        return draft.steps

    def _plan(self, draft: Draft, value: dict[str, Any], tally: Tally) -> None:
        draft.thought("thought", as_str(value.get("thinking")))
        draft.reply(0, content_text(value.get("content")))
        for number, call in enumerate(dicts(value.get("tool_calls")), 1):
            self._call(draft, number, as_str(call.get("name")), as_dict(call.get("args")), tally)

    def _call(self, draft: Draft, number: int, name: str, arguments: dict[str, Any], tally: Tally) -> None:
        call_id = f"{draft.rid}/{number}"
        self._calls = [*self._calls[-_WAITING:], call_id]
        tally.call(call_id)
        draft.call(number, name, {name: _unquoted(part) for name, part in arguments.items()}, call_id)

    def _result(self, draft: Draft, text: str, state: str, tally: Tally) -> None:
        call_id = self._calls.pop(0) if self._calls else ""
        if call_id:
            tally.result(call_id)
        status = _STATUS.match(text)
        code = int(status[2]) if status and status[2] else (0 if status and status[1] else None)
        failed = code != 0 if code is not None else (True if status or state == "ERROR" else None)
        draft.result(0, text[status.end() :] if status else text, call_id, error=failed, exit_code=code)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing but times is told."""
        return tally.info(session, "antigravity", self.name)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._calls

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._calls = list(packed)


def _unquoted(value: Any) -> Any:
    """Arguments are JSON within JSON."""
    parsed = parse_json(value) if isinstance(value, str) else None
    return value if parsed is None else parsed


def _looks(seen: Glimpse) -> int:
    return 92 if any("step_index" in value and "source" in value and "type" in value for value in seen.objects[:4]) else 0


IMPORTER = FormatImporter("antigravity", _looks, lambda stream, state: JsonLinesReading(stream, AntigravityFormat(), state), listed=True)
