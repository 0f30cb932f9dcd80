"""Cursor's agent transcripts: `agent-transcripts/*.jsonl`, messages without ids, times and mostly without results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record
from diarist.importers.ledger import Pairs, Tally
from diarist.importers.usual import Absent, Block, Call, Shape, Text, add_agent, add_user
from diarist.importers.values import as_dict, as_list, as_str, dicts
from diarist.model.session import RawStep, SessionInfo

_HIDDEN = "[REDACTED]"
"""What Cursor puts in place of reasoning that it does not show."""


class _Message(Struct, gc=False):
    content: list[Text | Call]
    model: Absent = UNSET


class _User(Shape, tag_field="role", tag="user", gc=False):
    message: _Message
    type: Absent = UNSET


class _Agent(_User, tag_field="role", tag="assistant", gc=False):
    pass


class CursorFormat(PlainRecords):
    """What the lines of one transcript mean."""

    name = "cursor/transcript"

    def __init__(self) -> None:
        self._chat = Chat()
        self.expect({_User: self._asked, _Agent: self._said})

    def session_of(self, _record: Record) -> str:
        """Nothing names it."""
        return ""

    def facts(self, record: Record) -> Pairs:
        """The model, where a line tells it."""
        model = as_dict(record.value.get("message")).get("model")
        return (("model", model),) if model and isinstance(model, str) else ()

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one line."""
        value: dict[str, Any] = record.value
        draft = Draft(session, f"#{record.number}", None, record.line)
        if value.get("type") == "turn_ended":
            status = as_str(value.get("status"))
            if status in ("", "success"):
                return "state"
            draft.add("notice", 0, status, "interrupt" if "abort" in status or "cancel" in status else "error-end")
            return draft.steps
        content = as_dict(value.get("message")).get("content")
        reason = self._chat.say(draft, as_str(value.get("role")), self._plain(content), tally)
        return reason or draft.steps

    def _asked(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = Draft(session, f"#{record.number}", None, record.line)
        add_user(draft, _shown(record.value), tally, self._chat)
        return draft.steps or "empty"

    def _said(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = Draft(session, f"#{record.number}", None, record.line)
        add_agent(draft, _shown(record.value), tally, self._chat)
        return draft.steps or "empty"

    def _plain(self, content: object) -> object:
        """Blocks in their usual spelling. Results name calls by ids that the calls do not have: order tells which is meant."""
        if not isinstance(content, list):
            return content
        if all(map(_is_usual, content)):
            return content
        blocks = []
        for block in dicts(content):
            kind = as_str(block.get("type")).replace("-", "_")
            if kind == "text" and as_str(block.get("text")).strip() == _HIDDEN:
                continue
            if kind == "tool_result" and self._chat.unnamed:
                blocks.append({**block, "type": kind, "tool_use_id": None})
            else:
                blocks.append(block if kind == block.get("type") else {**block, "type": kind})
        return blocks

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "cursor", self.name)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._chat.unnamed

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed = list(packed)


def _shown(line: _User) -> list[Block]:
    return [block for block in line.message.content if type(block) is not Text or block.text.strip() != _HIDDEN]


def _is_usual(block: object) -> bool:
    """Whether a block can stay as it is whatever was called before."""
    if type(block) is not dict:
        return False
    kind = block.get("type")
    return kind == "tool_use" or (kind == "text" and type(text := block.get("text")) is str and _HIDDEN not in text)


def _looks(seen: Glimpse) -> int:
    objects = [value for value in seen.objects[:8] if value.get("type") != "turn_ended"]
    fits = [
        value.get("role") in ("user", "assistant")
        and isinstance(as_dict(value.get("message")).get("content"), list)
        and not {"uuid", "sessionId", "session_id", "type"} & value.keys()
        for value in objects
    ]
    return 85 if fits and all(fits) and as_list(as_dict(objects[0].get("message")).get("content")) else 0


def _roots(_environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    return [home / ".cursor" / "projects"]


IMPORTER = FormatImporter("cursor", _looks, lambda stream, state: JsonLinesReading(stream, CursorFormat(), state), _roots, listed=True)
