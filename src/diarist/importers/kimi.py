"""Kimi's command line agent: `wire.jsonl`, the protocol between its parts. The session's id stands in the folder's name only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, Struct

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.claude_notices import as_machine, failure_mark
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.speech import understand
from diarist.importers.switches import SwitchWatch, field_of
from diarist.importers.usual import Absent, Moment, Named, Shape, Text, begin, text_of
from diarist.importers.values import as_arguments, as_dict, as_int, as_str, as_time, content_text, first_str, words
from diarist.model.session import RawStep, SessionInfo

_FAMILIES = words("metadata config. tools. turn. context. llm. permission. usage. token_counting. runtime. plugin. profile.")


class _Origin(Struct, gc=False):
    kind: Literal["user", ""]


class _Line(Shape, gc=False):
    """What records of every sort share: a time, and in their usual shape nothing of the session."""

    time: Moment = None
    sessionId: Absent = UNSET  # noqa: N815 - as it is written
    session_id: Absent = UNSET
    title: Absent = UNSET
    environmentDisclosure: Absent = UNSET  # noqa: N815


class _Prompt(_Line, tag_field="type", tag="turn.prompt", gc=False, kw_only=True):
    """What the person asked."""

    input: str | list[Text]
    origin: _Origin | None = None


class _Part(Struct, gc=False):
    text: str = ""
    think: str = ""


class _Content(Struct, tag_field="type", tag="content.part", gc=False):
    part: _Part


class _Call(Struct, tag_field="type", tag="tool.call", gc=False):
    toolCallId: Named  # noqa: N815
    name: str
    args: str | dict[str, Any] | None = None


class _Given(Struct, gc=False):
    output: str | list[Text]
    message: str = ""
    isError: bool | None = None  # noqa: N815
    is_error: bool | None = None


class _Result(Struct, tag_field="type", tag="tool.result", gc=False):
    toolCallId: Named  # noqa: N815
    result: _Given


class _Begin(Struct, tag_field="type", tag="step.begin", gc=False):
    pass


class _End(Struct, tag_field="type", tag="step.end", gc=False):
    uuid: str = ""
    usage: dict[str, Any] | None = None


class _Event(_Line, tag_field="type", tag="context.append_loop_event", gc=False, kw_only=True):
    """What happened in the agent's loop."""

    event: _Content | _Call | _Result | _Begin | _End


class _Request(_Line, tag_field="type", tag="llm.request", gc=False):
    """The model was asked."""

    model: str = ""
    thinkingEffort: str = ""  # noqa: N815


class _Usage(_Line, tag_field="type", tag="usage.record", gc=False):
    """What the steps told already."""


class KimiFormat(PlainRecords):
    """What the records of one wire file mean."""

    name = "kimi/wire"
    heads = frozenset({"sessionId", "session_id", "model", "environmentDisclosure", "title"})

    def __init__(self) -> None:
        self._switches = SwitchWatch()
        self._declined: list[str] = []
        """Calls that the person declined, until their result comes."""
        self.expect({_Prompt: self._prompt, _Event: self._event, _Request: self._request, _Usage: self._usage})

    def session_of(self, record: Record) -> str:
        """Nothing names it in older files."""
        return first_str(record.value, "sessionId", "session_id")

    def facts(self, record: Record) -> Pairs:
        """Model, folder."""
        value: dict[str, Any] = record.value
        if type(value) is not dict:
            return told(("model", record.value.model))
        disclosed = as_dict(value.get("environmentDisclosure"))
        model = value.get("model") if value.get("type") == "llm.request" else None
        return told(("model", model), ("cwd", disclosed.get("cwd")), ("title", value.get("title")))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one record."""
        value: dict[str, Any] = record.value
        kind = as_str(value.get("type"))
        at = as_time(value.get("time"))
        tally.moment(at)
        draft = Draft(session, f"#{record.number}", at, record.line)
        reason = self._fill(draft, kind, record, tally)
        return reason or draft.steps

    @staticmethod
    def _prompt(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = begin(record, session, tally, record.value.time)
        draft.user(0, text_of(record.value.input))
        return draft.steps or "empty"

    def _event(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        event: _Content | _Call | _Result | _Begin | _End = record.value.event
        draft = begin(record, session, tally, record.value.time)
        if type(event) is _Content:
            draft.thought("thought", event.part.think)
            draft.reply(0, event.part.text)
        elif type(event) is _Call:
            tally.call(event.toolCallId)
            draft.call(0, event.name, as_arguments(event.args), event.toolCallId)
        elif type(event) is _Result:
            result = event.result
            error = result.isError if result.isError is not None else result.is_error
            self._answered(draft, event.toolCallId, text_of(result.output) or result.message, error, tally)
        elif type(event) is _End and event.usage is not None:
            tally.use(event.uuid, _tokens(event.usage))
            return ()
        else:
            return "state"
        return draft.steps or "empty"

    def _request(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Request = record.value
        draft = begin(record, session, tally, record.value.time)
        self._switches.see(draft, record.at, model=value.model, effort=value.thinkingEffort)
        if not draft.steps:
            return "state"
        if value.model:
            tally.facts.tell_all((("model", value.model),), record.at)
        return draft.steps

    @staticmethod
    def _usage(record: Record, _session: str, tally: Tally) -> str:
        tally.moment(as_time(record.value.time))
        return "state"

    def _fill(self, draft: Draft, kind: str, record: Record, tally: Tally) -> str:
        value: dict[str, Any] = record.value
        if kind in ("turn.prompt", "turn.steer"):
            text = content_text(value.get("input"))
            if _is_person(value):
                draft.user(0, text)
            else:
                draft.said(as_machine(understand(text)), 0)
        elif kind == "context.append_loop_event":
            return self._loop(draft, as_dict(value.get("event")), tally)
        elif kind == "context.append_message":
            return self._message(draft, as_dict(value.get("message")))
        elif kind == "turn.cancel":
            draft.add("notice", 0, "cancelled by the user", "interrupt")
        elif kind == "turn.ended":
            self._ended(draft, value)
        elif kind == "llm.request":
            self._switches.see(draft, record.at, model=as_str(value.get("model")), effort=as_str(value.get("thinkingEffort")))
            return "" if draft.steps else "state"
        elif kind == "permission.record_approval_result":
            if as_str(as_dict(value.get("result")).get("decision")) in ("rejected", "denied"):
                self._declined.append(as_str(value.get("toolCallId")))
            return "state"
        else:
            return "state" if kind.startswith(_FAMILIES) else "unknown-type"
        return "" if draft.steps else "empty"

    @staticmethod
    def _message(draft: Draft, message: dict[str, Any]) -> str:
        """A message put into the context: prompts were told by their turn already."""
        text = content_text(message.get("content"))
        if message.get("role") == "user" and _is_person(message):
            return "duplicate"
        if message.get("role") == "user" and text:
            draft.add("notice", 0, text, "compaction" if "compact" in as_str(as_dict(message.get("origin")).get("kind")) else "machine")
            return ""
        return "instructions" if message.get("role") == "system" else "duplicate"

    def _loop(self, draft: Draft, event: dict[str, Any], tally: Tally) -> str:
        kind = as_str(event.get("type"))
        if kind == "content.part":
            part = as_dict(event.get("part"))
            draft.thought("thought", as_str(part.get("think")))
            draft.reply(0, as_str(part.get("text")))
        elif kind == "tool.call":
            call_id = first_str(event, "toolCallId", "uuid") or draft.rid
            tally.call(call_id)
            draft.call(0, as_str(event.get("name")), as_arguments(event.get("args")), call_id)
        elif kind == "tool.result":
            self._result(draft, event, tally)
        elif kind == "step.end" and isinstance(event.get("usage"), dict):
            tally.use(as_str(event.get("uuid")), _tokens(event["usage"]))
            return ""
        else:
            return "state"
        return "" if draft.steps else "empty"

    def _result(self, draft: Draft, event: dict[str, Any], tally: Tally) -> None:
        call_id = first_str(event, "toolCallId", "parentUuid")
        result = as_dict(event.get("result"))
        flag = next((result[name] for name in ("isError", "is_error") if isinstance(result.get(name), bool)), None)
        text = content_text(result.get("output")) or content_text(result.get("message"))
        self._answered(draft, call_id, text, flag, tally)

    def _answered(self, draft: Draft, call_id: str, text: str, flag: bool | None, tally: Tally) -> None:
        tally.result(call_id)
        if call_id in self._declined:
            self._declined.remove(call_id)
            draft.result(0, text, call_id, error=True, mark="refusal")
        else:
            add_output(draft, 0, text, call_id, error=flag)

    @staticmethod
    def _ended(draft: Draft, value: dict[str, Any]) -> None:
        reason = as_str(value.get("reason"))
        failure = as_dict(value.get("error"))
        if reason == "completed":
            draft.add("notice", 0, "", "end")
        elif reason == "cancelled":
            draft.add("notice", 0, reason, "interrupt")
        elif reason.startswith("max_"):
            draft.add("notice", 0, reason, "limit")
        else:
            text = as_str(failure.get("message")) or reason
            draft.add("notice", 0, text, failure_mark(text))

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "kimi", self.name)

    def pack(self) -> Any:
        """Ids and places."""
        return [self._switches.pack(), self._declined]

    def unpack(self, packed: Any, read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        switches, self._declined = packed
        names = {"model": "model", "effort": "thinkingEffort"}
        self._switches.unpack(switches, lambda name, at: field_of(read(at), names[name]))


def _tokens(usage: dict[str, Any]) -> Tokens:
    return Tokens(
        input=as_int(usage.get("inputOther")),
        output=as_int(usage.get("output")),
        cache_read=as_int(usage.get("inputCacheRead")),
        cache_write=as_int(usage.get("inputCacheCreation")),
    )


def _is_person(value: dict[str, Any]) -> bool:
    return as_str(as_dict(value.get("origin")).get("kind")) in ("", "user")


def _looks(seen: Glimpse) -> int:
    kinds = [as_str(value.get("type")) for value in seen.objects[:12]]
    own = sum(kind.startswith(("context.append", "turn.", "llm.", "config.update", "tools.set", "permission.")) for kind in kinds)
    return 92 if own and (own >= 2 or "protocol_version" in seen.first) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("KIMI_CODE_HOME")
    return [Path(base) / "sessions" if base else home / ".kimi-code" / "sessions", home / ".kimi" / "sessions"]


IMPORTER = FormatImporter("kimi", _looks, lambda stream, state: JsonLinesReading(stream, KimiFormat(), state), _roots, listed=True)
