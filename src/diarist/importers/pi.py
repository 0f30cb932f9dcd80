"""pi and its family (OpenClaw): `~/.pi/agent/sessions/<folder>/*.jsonl`, versions 1 (no ids) to 3 (a tree)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.claude_notices import failure_mark
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.switches import SwitchWatch
from diarist.importers.usual import Moment, Shape
from diarist.importers.values import as_arguments, as_cost, as_dict, as_exit_code, as_int, as_str, as_time, content_text, first_str
from diarist.model.session import RawStep, SessionInfo

_EXIT = re.compile(r"(?:Command exited with code|exit code:?) (-?\d{1,9})")
_UUID = re.compile(r"([0-9a-f]{8}-[0-9a-f-]{27})(?:\.jsonl)?\Z")
_TYPES = frozenset(
    ("session", "message", "compaction", "model_change", "thinking_level_change", "branch_summary", "custom", "custom_message")
)


class _Message(Shape, gc=False):
    """What was said, called or given back: nearly every record."""

    type: Literal["message"]
    message: dict[str, Any]
    id: str = ""
    timestamp: Moment = None


class PiFormat(PlainRecords):
    """What the records of one file mean."""

    name = "pi/jsonl"

    def __init__(self) -> None:
        self._chat = Chat()
        self._switches = SwitchWatch()
        self.expect({_Message: self._usual})

    def session_of(self, record: Record) -> str:
        """The header names it."""
        return as_str(record.value.get("id")) if record.value.get("type") == "session" else ""

    def facts(self, record: Record) -> Pairs:
        """Folder, model, the session this one branched from, title."""
        value: dict[str, Any] = record.value
        if type(value) is not dict or value.get("type") == "message":
            message = record.value.message if type(value) is not dict else as_dict(value.get("message"))
            model = message.get("model")
            return (("model", model),) if model and isinstance(model, str) and message.get("role") == "assistant" else ()
        origin = first_str(value, "branchedFrom", "parentSession")
        branched = _UUID.search(origin) if origin else None
        return told(("cwd", value.get("cwd")), ("parent", branched[1] if branched else ""), ("title", value.get("name")))

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one record."""
        value: dict[str, Any] = record.value
        kind = as_str(value.get("type"))
        own = as_str(value.get("id")) if kind != "session" else ""
        if own and not tally.fresh(own):
            return "duplicate"
        at = as_time(value.get("timestamp"))
        tally.moment(at)
        draft = Draft(session, own or f"#{record.number}", at, record.line)
        reason = self._fill(draft, kind, record, tally)
        return reason or draft.steps

    def _usual(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """The same of a typed record."""
        value: _Message = record.value
        if value.id and not tally.fresh(value.id):
            return "duplicate"
        at = as_time(value.timestamp)
        tally.moment(at)
        draft = Draft(session, value.id or f"#{record.number}", at, record.line)
        reason = self._message(draft, value.message, record.at, tally)
        if reason:
            return reason
        if "model" in value.message and (pairs := self.facts(record)):
            tally.facts.tell_all(pairs, record.at)
        return draft.steps

    def _fill(self, draft: Draft, kind: str, record: Record, tally: Tally) -> str:
        value: dict[str, Any] = record.value
        if kind == "message":
            return self._message(draft, as_dict(value.get("message")), record.at, tally)
        if kind in ("model_change", "session"):
            self._switches.choose(record.at, model=as_str(value.get("modelId")))
            return ""
        if kind == "thinking_level_change":
            self._switches.choose(record.at, effort=as_str(value.get("thinkingLevel")))
            return ""
        if kind in ("compaction", "branch_summary") and as_str(value.get("summary")):
            draft.add("notice", 0, value["summary"], "compaction")
            return ""
        if kind == "custom_message" and content_text(value.get("content")):
            draft.add("notice", 0, content_text(value["content"]), "machine")
            return ""
        return "state" if kind in _TYPES else "unknown-type"

    def _message(self, draft: Draft, message: dict[str, Any], at: int, tally: Tally) -> str:
        role = as_str(message.get("role"))
        if role == "assistant":
            self._switches.see(draft, at, model=as_str(message.get("model")))
            return self._assistant(draft, message, tally)
        if role == "toolResult":
            return self._result(draft, message, tally)
        if role == "bashExecution":
            return _person_command(draft, message, tally)
        if role == "user":
            blocks = message.get("content")
            for number, block in enumerate(blocks if isinstance(blocks, list) else [blocks]):
                draft.user(number, content_text(block))
            return "" if draft.steps else "empty"
        return "state"

    def _assistant(self, draft: Draft, message: dict[str, Any], tally: Tally) -> str:
        usage = message.get("usage")
        if isinstance(usage, dict):
            tally.use(draft.rid, count_tokens(usage))
            tally.spend(as_cost(as_dict(usage.get("cost")).get("total")))
        content = message.get("content")
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            self._block(draft, number, block, tally)
        failure = as_str(message.get("errorMessage"))
        if message.get("stopReason") == "aborted":
            draft.add("notice", "stop", failure or "aborted", "interrupt")
        elif failure or message.get("stopReason") == "error":
            draft.add("notice", "stop", failure or "error", failure_mark(failure))
        return "" if draft.steps or isinstance(usage, dict) else "empty"

    def _block(self, draft: Draft, number: int, block: object, tally: Tally) -> None:
        """One block of a reply; what is not in pi's usual shape is left to the chat's many spellings."""
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "toolCall" and isinstance(block, dict) and as_str(block.get("id")):
            call_id = block["id"]
            tally.call(call_id)
            draft.call(number, as_str(block.get("name")), as_arguments(block.get("arguments")), call_id)
        elif kind == "text" and isinstance(block, dict) and isinstance(block.get("text"), str):
            draft.reply(number, block["text"])
        else:
            self._chat.add_block(draft, number, block, tally)

    def _result(self, draft: Draft, message: dict[str, Any], tally: Tally) -> str:
        call_id = as_str(message.get("toolCallId"))
        if call_id:
            tally.result(call_id)
        text = content_text(message.get("content"))
        failed = message.get("isError")
        status = _EXIT.search(text[-400:]) if failed is True else None
        code = int(status[1]) if status else None
        draft.result(
            0, text, call_id, tool=as_str(message.get("toolName")), error=failed if isinstance(failed, bool) else None, exit_code=code
        )
        return ""

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session."""
        return tally.info(session, "pi", self.name)

    def pack(self) -> Any:
        """Waiting calls and places."""
        return [self._chat.unnamed, self._switches.pack()]

    def unpack(self, packed: Any, read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed, switches = packed
        self._switches.unpack(switches, lambda name, at: _switched(read(at), name))


def _switched(value: Any, name: str) -> str:
    if isinstance(value, _Message):
        return as_str(value.message.get("model")) if name != "effort" else ""
    value = as_dict(value)
    if name == "effort":
        return as_str(value.get("thinkingLevel"))
    return as_str(value.get("modelId")) or as_str(as_dict(value.get("message")).get("model"))


def _person_command(draft: Draft, message: dict[str, Any], tally: Tally) -> str:
    """A command that the person ran in the agent's shell: it may be the check that counts."""
    command = as_str(message.get("command"))
    call_id = f"{draft.rid}/1"
    code = as_exit_code(message.get("exitCode"))
    draft.add("notice", 0, f"! {command}", "command")
    tally.call(call_id)
    tally.result(call_id)
    draft.call(1, "bash", {"command": command}, call_id)
    stopped = message.get("cancelled") is True
    draft.result(
        2,
        as_str(message.get("output")),
        call_id,
        error=None if code is None else code != 0,
        exit_code=code,
        mark="interrupt" if stopped else "",
    )
    return ""


def count_tokens(usage: dict[str, Any]) -> Tokens:
    """Usage in pi's fields."""
    return Tokens(as_int(usage.get("input")), as_int(usage.get("output")), as_int(usage.get("cacheRead")), as_int(usage.get("cacheWrite")))


def _looks(seen: Glimpse) -> int:
    best = 0
    for value in seen.objects[:8]:
        kind, message = value.get("type"), as_dict(value.get("message"))
        if kind == "session" and "cwd" in value and "id" in value:
            return 93
        if kind == "message" and message.get("role") in ("user", "assistant", "toolResult", "bashExecution") and "sessionId" not in value:
            best = max(best, 88 if message.get("role") == "toolResult" or "stopReason" in message else 50)
        elif kind in ("model_change", "thinking_level_change") and "timestamp" in value:
            best = max(best, 80)
    return best


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("PI_CODING_AGENT_DIR")
    return [Path(base) / "sessions" if base else home / ".pi" / "agent" / "sessions", home / ".openclaw" / "agents"]


IMPORTER = FormatImporter("pi", _looks, lambda stream, state: JsonLinesReading(stream, PiFormat(), state), _roots, listed=True)
