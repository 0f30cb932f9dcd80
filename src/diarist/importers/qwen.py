"""Qwen Code: `~/.qwen/projects/<folder>/chats/*.jsonl`, Gemini's messages in records with the fields of Claude's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.claude_notices import as_machine
from diarist.importers.claude_record import is_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.speech import command_mark, understand
from diarist.importers.values import as_dict, as_int, as_str, as_time, content_text, digest_id
from diarist.model.session import RawStep, SessionInfo

_FACTS = ("cwd", "branch", "version", "model", "title")


class QwenFormat(PlainRecords):
    """What the records of one chat mean."""

    name = "qwen/jsonl"

    def __init__(self) -> None:
        self._chat = Chat()
        self._told: tuple[tuple[object, ...], Pairs] = ((), ())
        """What the last record told: mostly the next tells the same."""

    def session_of(self, record: Record) -> str:
        """Every record names it."""
        return as_str(record.value.get("sessionId"))

    def facts(self, record: Record) -> Pairs:
        """Folder, branch, version, model, title."""
        value: dict[str, Any] = record.value
        get = value.get
        payload = get("systemPayload")
        title = payload.get("customTitle") if isinstance(payload, dict) else None
        all_of_it = (get("cwd"), get("gitBranch"), get("version"), get("model"), title)
        if all_of_it != self._told[0]:
            self._told = (all_of_it, told(*zip(_FACTS, all_of_it, strict=True)))
        return self._told[1]

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one record. A reply is written in several records with the same id."""
        value: dict[str, Any] = record.value
        uuid = as_str(value.get("uuid"))
        rid = f"#{record.number}"
        if is_id(uuid):
            said = msgspec.json.encode(value.get("message") or value.get("systemPayload"))
            if not tally.fresh(f"{uuid} {digest_id(said)}"):
                return "duplicate"
            rid = uuid if tally.fresh(uuid) else f"{uuid}~{record.number}"
        at = as_time(value.get("timestamp"))
        draft = Draft(session, rid, at, record.line, as_str(value.get("agentId")))
        reason = self._fill(draft, value, tally)
        if not reason:
            tally.moment(at)
        return reason or draft.steps

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
            usage = as_dict(value.get("usageMetadata"))
            if usage:
                tally.use(draft.rid, _tokens(usage))
            reason = self._chat.say(draft, "model", message.get("parts"), tally)
            return "" if usage else reason
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
