"""Diarist's own neutral transcript: JSON lines, a header with the session's facts, then one step a line.

It is what any agent can print that no other importer knows. `docs/reference/neutral-transcript.schema.json` describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from msgspec import UNSET, Struct, structs

from diarist.importers.adapter import FormatImporter
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.speech import without_fences
from diarist.importers.usual import Absent, Moment
from diarist.importers.values import as_arguments, as_cost, as_dict, as_exit_code, as_int, as_list, as_str, as_time, content_text, storable
from diarist.model.session import Mark, RawStep, SessionInfo, StepKind

VERSION = "session/1"
"""Value of the header's field `diarist`."""
_KINDS = get_args(StepKind)
_MARKS: tuple[Mark, ...] = get_args(Mark)
_FACTS = ("cwd", "repository", "branch", "title", "workflow", "version", "parent")


class _Step(Struct, gc=False):
    """A step of any kind. Only the header tells more than this."""

    id: str = ""
    at: Moment = None
    text: str = ""
    actor: str = ""
    session: str = ""
    usage: dict[str, Any] | None = None
    model: Absent = UNSET
    diarist: Absent = UNSET
    mark: Mark = ""


class _Prompt(_Step, tag_field="kind", tag="prompt", gc=False):
    pass


class _Reply(_Step, tag_field="kind", tag="reply", gc=False):
    pass


class _Thought(_Step, tag_field="kind", tag="thought", gc=False):
    pass


class _Notice(_Step, tag_field="kind", tag="notice", gc=False):
    pass


class _Call(_Step, tag_field="kind", tag="call", gc=False):
    tool: str = ""
    arguments: str | dict[str, Any] | None = None
    call_id: str = ""


class _Result(_Step, tag_field="kind", tag="result", gc=False):
    tool: str = ""
    call_id: str = ""
    error: bool | None = None
    exit_code: int | None = None


class NeutralFormat(PlainRecords):
    """What the lines mean."""

    name = "diarist/session"

    def __init__(self) -> None:
        self._waiting: list[str] = []
        """Calls without an id that wait for their result."""
        self.expect(dict.fromkeys((_Prompt, _Reply, _Thought, _Notice, _Call, _Result), self._usual))

    def session_of(self, record: Record) -> str:
        """The header names it, and every step may."""
        return as_str(record.value.get("session"))

    def facts(self, record: Record) -> Pairs:
        """The header's facts; agent and model also where a step tells another."""
        value: dict[str, Any] = record.value
        if "diarist" not in value and "kind" in value:
            return told(("model", value.get("model")))
        facts = [(name, value.get(name)) for name in (*_FACTS, "agent", "actor", "model")]
        return told(*facts, *(("model", model) for model in as_list(value.get("models"))))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """The step of one line."""
        value: dict[str, Any] = record.value
        at = as_time(value.get("at"))
        tally.moment(at)
        _count(value, tally)
        kind = as_str(value.get("kind"))
        if "diarist" in value or not kind:
            if value.get("exact") is True:
                tally.flags.add("exact")
            tally.moment(as_time(value.get("started_at")))
            tally.moment(as_time(value.get("ended_at")))
            return ()
        if kind not in _KINDS:
            return "unknown-type"
        own = as_str(value.get("id"))
        if own and not tally.fresh(own):
            return "duplicate"
        if own and "exact" in tally.flags:
            return [_as_written(value, session, record.line, tally)]
        draft = Draft(session, own or f"#{record.number}", at, record.line, as_str(value.get("actor")))
        self._step(draft, kind, value, tally)
        return draft.steps or "empty"

    def _usual(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Step = record.value
        at = as_time(value.at)
        tally.moment(at)
        if value.usage:
            _count({"usage": value.usage, "id": value.id}, tally)
        if value.id:
            if not tally.fresh(value.id):
                return "duplicate"
            if "exact" in tally.flags:
                return [_as_written(structs.asdict(value) | {"kind": value.__struct_config__.tag}, session, record.line, tally)]
        draft = Draft(session, value.id or f"#{record.number}", at, record.line, value.actor)
        self._add(draft, value, without_fences(value.text), tally)
        return draft.steps or "empty"

    def _add(self, draft: Draft, value: _Step, text: str, tally: Tally) -> None:
        if isinstance(value, _Call):
            call_id = self._called(value.call_id, draft, tally)
            draft.call(0, value.tool, as_arguments(value.arguments), call_id, text)
        elif isinstance(value, _Result):
            code = as_exit_code(value.exit_code)
            failed = value.error if value.error is not None or code is None else code != 0
            call_id = self._answered(value.call_id, tally)
            draft.result(0, text, call_id, tool=value.tool, error=failed, exit_code=code, mark=value.mark)
        elif isinstance(value, _Prompt):
            draft.user(0, text)
        elif isinstance(value, _Reply):
            draft.reply(0, text)
        elif isinstance(value, _Thought):
            draft.thought(0, text)
        else:
            draft.add("notice", 0, text, value.mark)

    def _called(self, call_id: str, draft: Draft, tally: Tally) -> str:
        if not call_id:
            call_id = draft.rid
            self._waiting = [*self._waiting[-64:], call_id]
        tally.call(call_id)
        return call_id

    def _answered(self, call_id: str, tally: Tally) -> str:
        call_id = call_id or (self._waiting.pop(0) if self._waiting else "")
        if call_id:
            tally.result(call_id)
        return call_id

    def _step(self, draft: Draft, kind: str, value: dict[str, Any], tally: Tally) -> None:
        text = without_fences(content_text(value.get("text")))
        mark = _mark_of(value)
        call_id = as_str(value.get("call_id"))
        if kind == "call":
            call_id = self._called(call_id, draft, tally)
            draft.call(0, as_str(value.get("tool")), as_arguments(value.get("arguments")), call_id, text)
        elif kind == "result":
            call_id = self._answered(call_id, tally)
            code = as_exit_code(value.get("exit_code"))
            flag = value.get("error")
            failed = flag if isinstance(flag, bool) else None if code is None else code != 0
            draft.result(0, text, call_id, tool=as_str(value.get("tool")), error=failed, exit_code=code, mark=mark)
        elif kind == "prompt":
            draft.user(0, text)
        elif kind == "reply":
            draft.reply(0, text)
        elif kind == "thought":
            draft.thought(0, text)
        else:
            draft.add("notice", 0, text, mark)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """The header's facts."""
        actor = tally.facts.most("actor")
        return tally.info(session, tally.facts.most("agent") or "agent", self.name, role="subagent" if actor else "main", actor=actor)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._waiting

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._waiting = list(packed)


def _count(value: dict[str, Any], tally: Tally) -> None:
    usage = as_dict(value.get("usage"))
    if usage:
        names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
        tally.use(as_str(value.get("id")), Tokens(*(as_int(usage.get(name)) for name in names)))
        tally.spend(as_cost(usage.get("cost_usd")))
        tally.wait(as_int(usage.get("latency_ms")))


def _mark_of(value: dict[str, Any]) -> Mark:
    return next((known for known in _MARKS if known == value.get("mark")), _MARKS[0])


def _as_written(value: dict[str, Any], session: str, line: int, tally: Tally) -> RawStep:
    """A step of a file whose header says that its steps are exact: id and text as they stand there."""
    arguments, error, call_id = value.get("arguments"), value.get("error"), as_str(value.get("call_id"))
    kind: StepKind = next(known for known in _KINDS if known == value["kind"])
    if kind == "call":
        tally.call(call_id)
    elif kind == "result" and call_id:
        tally.result(call_id)
    return RawStep(
        kind=kind,
        session=session,
        rid=as_str(value.get("id")),
        text=as_str(value.get("text")),
        at=as_time(value.get("at")),
        tool=as_str(value.get("tool")),
        arguments=storable(arguments) if isinstance(arguments, dict) else None,
        call_id=call_id,
        error=error if isinstance(error, bool) else None,
        exit_code=as_exit_code(value.get("exit_code")),
        mark=_mark_of(value),
        actor=as_str(value.get("actor")),
        line=line,
    )


def _looks(seen: Glimpse) -> int:
    if any(as_str(value.get("diarist")).startswith("session/") for value in seen.objects[:2]):
        return 98
    kinds = [value.get("kind") in _KINDS and ("text" in value or "tool" in value or "call_id" in value) for value in seen.objects[:8]]
    return 45 if len(kinds) >= 2 and all(kinds) else 0


IMPORTER = FormatImporter("neutral", _looks, lambda stream, state: JsonLinesReading(stream, NeutralFormat(), state), listed=True)
