"""OpenTelemetry traces of agents: OTLP JSON with the GenAI conventions of any age, and OpenInference's attributes.

A conversation id makes a session, else the trace does. Messages are repeated from span to span as the conversation grows:
each is told once. `execute_tool` spans tell the calls whose messages the trace does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

import msgspec

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.claude_notices import failure_mark
from diarist.importers.documents import DocumentReading, decode_document, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.glued import decode_lines
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.otel_attributes import attributes_of, messages_of, tokens_of
from diarist.importers.values import as_arguments, as_dict, as_exit_code, as_str, as_time, compact, dicts, first_str, text64
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading

_WHOLES = ("invoke_agent", "agent", "chain", "workflow", "invoke_workflow")
"""Operations that other spans lie below."""
_FACTS = {
    "cwd": ("process.working_directory",),
    "branch": ("vcs.ref.head.name",),
    "repository": ("vcs.repository.url.full",),
    "version": ("gen_ai.agent.version",),
    "title": ("diarist.title",),
}


class Span(NamedTuple):
    """A span with its attributes as a mapping."""

    trace: str
    id: str
    name: str
    start: datetime | None
    end: datetime | None
    attributes: dict[str, Any]
    events: list[dict[str, Any]]
    failed: bool
    status: str


class OtelTraces:
    """The conversations of a trace file."""

    name = "otel/genai"

    def __init__(self) -> None:
        self._agents: dict[str, str] = {}
        self._told: set[tuple[str, int]] = set()
        self._counted: set[str] = set()
        self._totals: dict[str, Tokens] = {}
        """By session: what its run used as a whole, as long as no call to a model tells its own share."""

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all conversations, spans in the order of their starts."""
        traces = document if isinstance(document, list) else [document]
        spans = [span for each in traces for span in _spans(as_dict(each))]
        conversations = {span.trace: name for span in spans if (name := _conversation(span))}
        spans.sort(key=lambda span: (span.start is None, span.start.timestamp() if span.start else 0.0, span.id))
        for span in spans:
            session = _conversation(span) or conversations.get(span.trace) or span.trace or opening_id(span.name)
            tally = ledger.open(session)
            draft = Draft(session, span.id or f"span{tally.seen}", span.start, actor=first_str(span.attributes, "diarist.actor"))
            known = self._span(draft, span, tally)
            if known and (draft.steps or span.attributes):
                tally.keep()
                tally.moment(span.start)
                tally.moment(span.end)
            else:
                tally.skip("no-genai")
            yield from draft.steps
        for session, totals in self._totals.items():
            ledger.tallies[session].use("", totals)
        for number, each in enumerate(traces, 1):
            if not isinstance(each, dict):
                ledger.open("").broken(number, "not an object")

    def _span(self, draft: Draft, span: Span, tally: Tally) -> bool:
        found = span.attributes
        operation = first_str(found, "gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind").lower()
        tell(tally, "model", first_str(found, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name"))
        for name, attributes in _FACTS.items():
            tell(tally, name, first_str(found, *attributes))
        agent = first_str(found, "gen_ai.agent.name")
        if agent:
            self._agents.setdefault(draft.session, agent)
        if operation in ("execute_tool", "tool"):
            self._tool(draft, span, tally)
            return True
        messages = messages_of(found, span.events)
        for number, message in enumerate(messages):
            self._message(draft, number, message, tally)
        self._use(draft, operation, tokens_of(found), found, tally)
        failure = first_str(found, "error.type", "exception.message") or (span.status if span.failed else "")
        if (span.failed or failure) and operation not in _WHOLES:
            draft.add("notice", "error", span.status or failure or "error", failure_mark(span.status or failure))
        return bool(messages or operation or any(name.startswith(("gen_ai.", "llm.")) for name in found))

    def _use(self, draft: Draft, operation: str, usage: Tokens, found: dict[str, Any], tally: Tally) -> None:
        """Counts what a call to a model used. A span of a whole run tells the same once more, or alone."""
        known = self._totals.get(draft.session, Tokens())
        if operation in _WHOLES:
            if draft.session not in self._counted and usage.output > known.output:
                self._totals[draft.session] = usage
        elif any(usage):
            self._counted.add(draft.session)
            self._totals.pop(draft.session, None)
            tally.use(first_str(found, "gen_ai.response.id") or draft.rid, usage)

    def _message(self, draft: Draft, number: int, message: dict[str, Any], tally: Tally) -> None:
        """One message, unless an earlier span told it."""
        key = (draft.session, text64(compact([message.get("role"), message.get("parts")])))
        if key in self._told:
            return
        self._told.add(key)
        role = as_str(message.get("role"))
        for place, part in enumerate(dicts(message.get("parts"))):
            self._part(draft, f"{number}.{place}", role, part, tally)

    def _part(self, draft: Draft, name: str, role: str, part: dict[str, Any], tally: Tally) -> None:
        kind = as_str(part.get("type"))
        text = as_str(part.get("content")) or as_str(part.get("text"))
        if kind == "tool_call":
            call_id = as_str(part.get("id")) or f"{draft.rid}/{name}"
            if call_id not in tally.called:
                tally.call(call_id)
                draft.call(name, as_str(part.get("name")), as_arguments(part.get("arguments")), call_id)
        elif kind == "tool_call_response":
            call_id = as_str(part.get("id"))
            if call_id and call_id in tally.answered:
                return
            if call_id:
                tally.result(call_id)
            add_output(draft, name, part.get("response", part.get("result", part.get("content"))), call_id)
        elif kind in ("reasoning", "thinking"):
            draft.thought(name, text)
        elif role in ("user", "human"):
            draft.user(name, text)
        elif role in ("assistant", "model", "ai"):
            draft.reply(name, text)

    @staticmethod
    def _tool(draft: Draft, span: Span, tally: Tally) -> None:
        found = span.attributes
        call_id = first_str(found, "gen_ai.tool.call.id", "tool_call.id") or draft.rid
        if call_id not in tally.called:
            tally.call(call_id)
            given = found.get("gen_ai.tool.call.arguments", found.get("tool.parameters", found.get("input.value")))
            draft.call(0, first_str(found, "gen_ai.tool.name", "tool.name") or span.name, as_arguments(given), call_id)
        if call_id not in tally.answered:
            tally.result(call_id)
            result = found.get("gen_ai.tool.call.result", found.get("output.value", span.status if span.failed else ""))
            draft.at = span.end or draft.at
            add_output(draft, 1, result, call_id, error=True if span.failed or found.get("error.type") else None)
            code = as_exit_code(found.get("process.exit.code"))
            if code is not None:
                draft.steps[-1] = msgspec.structs.replace(draft.steps[-1], exit_code=code, error=code != 0)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Agent, models, times, usage."""
        return tally.info(session, self._agents.get(session, "otel"), self.name)


def _conversation(span: Span) -> str:
    return first_str(span.attributes, "gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")


def _spans(document: dict[str, Any]) -> Iterator[Span]:
    for resource in dicts(document.get("resourceSpans")):
        facts = attributes_of(as_dict(resource.get("resource")).get("attributes"))
        shared = {name: value for name, value in facts.items() if name.startswith(("gen_ai.", "session."))}
        for scope in [*dicts(resource.get("scopeSpans")), *dicts(resource.get("instrumentationLibrarySpans"))]:
            for span in dicts(scope.get("spans")):
                status = as_dict(span.get("status"))
                own = attributes_of(span.get("attributes"))
                yield Span(
                    as_str(span.get("traceId")),
                    as_str(span.get("spanId")),
                    as_str(span.get("name")),
                    _nanoseconds(span.get("startTimeUnixNano")),
                    _nanoseconds(span.get("endTimeUnixNano")),
                    {**shared, **own},
                    list(dicts(span.get("events"))),
                    status.get("code") in (2, "2", "STATUS_CODE_ERROR"),
                    as_str(status.get("message")),
                )


def _nanoseconds(value: object) -> datetime | None:
    if isinstance(value, str) and value.isdigit():
        return as_time(int(value))
    return as_time(value)


class OtelReading(DocumentReading):
    """One document, or one export a line."""

    def decode(self, data: bytes) -> Any:
        """A document, or all documents."""
        document = decode_document(data)
        lines = list(decode_lines(data)) if document is None else []
        return lines if any(isinstance(line, dict) for line in lines) else document


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    return 90 if isinstance(top.get("resourceSpans"), list) else 0


def _open(stream: BinaryIO, _state: bytes) -> Reading:
    return OtelReading(stream, OtelTraces())


IMPORTER = FormatImporter("otel", _looks, _open)
