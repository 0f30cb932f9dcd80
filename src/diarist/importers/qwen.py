"""Qwen Code: `~/.qwen/projects/<folder>/chats/*.jsonl`, Gemini's messages in records with the fields of Claude's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, field

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.claude_notices import as_machine
from diarist.importers.claude_record import is_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.speech import command_mark, understand
from diarist.importers.usual import Absent, Moment
from diarist.importers.values import as_dict, as_int, as_str, as_time, content_text, digest_id
from diarist.model.session import RawStep, SessionInfo


class _Record(Struct, gc=False):
    """What records of every sort share."""

    message: dict[str, Any]
    session: str = field(name="sessionId", default="")
    uuid: str = ""
    timestamp: Moment = None
    cwd: str | None = None
    gitBranch: str | None = None  # noqa: N815 - as it is written
    version: str | None = None
    model: str | None = None
    agentId: str = ""  # noqa: N815
    systemPayload: Absent = UNSET  # noqa: N815


class _Asked(_Record, tag_field="type", tag="user", gc=False):
    subtype: Absent = UNSET


class _Said(_Record, tag_field="type", tag="assistant", gc=False):
    usageMetadata: dict[str, Any] | None = None  # noqa: N815


class _Gave(_Record, tag_field="type", tag="tool_result", gc=False):
    pass


_SORTS = ("user", "assistant", "tool_result", "system")
_FACTS = ("cwd", "branch", "version", "model", "title")


class QwenFormat(PlainRecords):
    """What the records of one chat mean."""

    name = "qwen/jsonl"

    def __init__(self) -> None:
        self._chat = Chat()
        self._told: dict[object, tuple[tuple[object, ...], Pairs]] = {}
        """What records of each sort told last: mostly the next tells the same."""
        self.expect(dict.fromkeys((_Asked, _Said, _Gave), self._usual))

    def session_of(self, record: Record) -> str:
        """Every record names it."""
        return as_str(record.value.get("sessionId"))

    def facts(self, record: Record) -> Pairs:
        """Folder, branch, version, model, title."""
        value = record.value
        if isinstance(value, _Record):
            return self._pairs(type(value), value.cwd, value.gitBranch, value.version, value.model, None)
        get = value.get
        payload = get("systemPayload")
        title = payload.get("customTitle") if isinstance(payload, dict) else None
        kind = as_str(get("type"))
        return self._pairs(kind if kind in _SORTS else "", get("cwd"), get("gitBranch"), get("version"), get("model"), title)

    def _pairs(self, sort: object, *all_of_it: object) -> Pairs:
        last = self._told.get(sort)
        if last is None or last[0] != all_of_it:
            last = self._told[sort] = (all_of_it, told(*zip(_FACTS, all_of_it, strict=True)))
        return last[1]

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one record. A reply is written in several records with the same id."""
        value: dict[str, Any] = record.value
        rid = _rid(record, as_str(value.get("uuid")), value.get("message") or value.get("systemPayload"), tally)
        if not rid:
            return "duplicate"
        at = as_time(value.get("timestamp"))
        draft = Draft(session, rid, at, record.line, as_str(value.get("agentId")))
        reason = self._fill(draft, value, tally)
        if not reason:
            tally.moment(at)
        return reason or draft.steps

    def _usual(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """The same of a typed record."""
        value: _Asked | _Said | _Gave = record.value
        rid = _rid(record, value.uuid, value.message or None, tally)
        if not rid:
            return "duplicate"
        draft = Draft(session, rid, as_time(value.timestamp), record.line, value.agentId)
        if type(value) is _Said:
            reason = self._said(draft, value.message, value.usageMetadata or {}, tally)
        elif type(value) is _Gave:
            reason = self._chat.say(draft, "user", value.message.get("parts"), tally)
        else:
            draft.user(0, content_text(value.message.get("parts")))
            reason = "" if draft.steps else "empty"
        if reason:
            return reason
        tally.moment(draft.at)
        tally.facts.tell_all(self._pairs(type(value), value.cwd, value.gitBranch, value.version, value.model, None), record.at)
        return draft.steps

    def _said(self, draft: Draft, message: dict[str, Any], usage: dict[str, Any], tally: Tally) -> str:
        if usage:
            tally.use(draft.rid, _tokens(usage))
        reason = self._chat.say(draft, "model", message.get("parts"), tally)
        return "" if usage else reason

    def _fill(self, draft: Draft, value: dict[str, Any], tally: Tally) -> str:
        kind, payload, message = as_str(value.get("type")), as_dict(value.get("systemPayload")), as_dict(value.get("message"))
        if kind == "user":
            text = as_str(payload.get("displayText")) or content_text(message.get("parts"))
            if value.get("subtype") in ("notification", "cron"):
                draft.said(as_machine(understand(text)), 0)
            else:
                draft.user(0, text)
            return "" if draft.steps else "empty"
        if kind == "assistant":
            return self._said(draft, message, as_dict(value.get("usageMetadata")), tally)
        if kind == "tool_result":
            return self._chat.say(draft, "user", message.get("parts"), tally)
        if kind == "system":
            return _system(draft, as_str(value.get("subtype")), payload)
        return "unknown-type"

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "qwen", self.name)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._chat.unnamed

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed = list(packed)


def _rid(record: Record, uuid: str, said: object, tally: Tally) -> str:
    """The record's id, "" for one that was told before."""
    if not is_id(uuid):
        return f"#{record.number}"
    if not tally.fresh(f"{uuid} {digest_id(msgspec.json.encode(said))}"):
        return ""
    return uuid if tally.fresh(uuid) else f"{uuid}~{record.number}"


def _system(draft: Draft, kind: str, payload: dict[str, Any]) -> str:
    if kind == "custom_title":
        return "" if as_str(payload.get("customTitle")) else "state"
    if kind == "slash_command" and payload.get("phase") != "result" and as_str(payload.get("rawCommand")):
        draft.add("notice", 0, payload["rawCommand"], command_mark(payload["rawCommand"]) or "command")
        return ""
    if kind == "chat_compression" and content_text(payload.get("summary")):
        draft.add("notice", 0, content_text(payload["summary"]), "compaction")
        return ""
    if kind == "rewind":
        draft.add("notice", 0, "rewound to an earlier turn", "machine")
        return ""
    return "state"


def _tokens(usage: dict[str, Any]) -> Tokens:
    cached = as_int(usage.get("cachedContentTokenCount"))
    return Tokens(
        input=max(0, as_int(usage.get("promptTokenCount")) - cached),
        output=as_int(usage.get("candidatesTokenCount")),
        cache_read=cached,
        reasoning=as_int(usage.get("thoughtsTokenCount")),
    )


def _looks(seen: Glimpse) -> int:
    for value in seen.objects[:8]:
        parts = as_dict(value.get("message")).get("parts")
        if "sessionId" in value and "uuid" in value and ("systemPayload" in value or isinstance(parts, list)):
            return 97
    return 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("QWEN_HOME")
    return [(Path(base) if base else home / ".qwen") / "projects", home / ".qwen" / "tmp"]


IMPORTER = FormatImporter("qwen", _looks, lambda stream, state: JsonLinesReading(stream, QwenFormat(), state), _roots, listed=True)
