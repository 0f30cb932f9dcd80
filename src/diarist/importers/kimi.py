"""Kimi's command line agent: `wire.jsonl`, the protocol between its parts. The session's id stands in the folder's name only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.claude_notices import as_machine, failure_mark
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally, Tokens
from diarist.importers.speech import understand
from diarist.importers.switches import SwitchWatch
from diarist.importers.values import as_arguments, as_dict, as_int, as_str, as_time, content_text, first_str, words
from diarist.model.session import RawStep, SessionInfo

_FAMILIES = words("metadata config. tools. turn. context. llm. permission. usage. token_counting. runtime. plugin. profile.")


class KimiFormat(PlainRecords):
    """What the records of one wire file mean."""

    name = "kimi/wire"
    heads = frozenset({"sessionId", "session_id", "model", "environmentDisclosure", "title"})

    def __init__(self) -> None:
        self._switches = SwitchWatch()
        self._declined: list[str] = []
        """Calls that the person declined, until their result comes."""

    def session_of(self, record: Record) -> str:
        """Nothing names it in older files."""
        return first_str(record.value, "sessionId", "session_id")

    def facts(self, record: Record) -> Pairs:
        """Model, folder."""
        value: dict[str, Any] = record.value
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
            usage = event["usage"]
            tokens = Tokens(
                input=as_int(usage.get("inputOther")),
                output=as_int(usage.get("output")),
                cache_read=as_int(usage.get("inputCacheRead")),
                cache_write=as_int(usage.get("inputCacheCreation")),
            )
            tally.use(as_str(event.get("uuid")), tokens)
            return ""
        else:
            return "state"
        return "" if draft.steps else "empty"

    def _result(self, draft: Draft, event: dict[str, Any], tally: Tally) -> None:
        call_id = first_str(event, "toolCallId", "parentUuid")
        tally.result(call_id)
        result = as_dict(event.get("result"))
        flag = next((result[name] for name in ("isError", "is_error") if isinstance(result.get(name), bool)), None)
        text = content_text(result.get("output")) or content_text(result.get("message"))
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

    def unpack(self, packed: Any, read: Callable[[int], dict[str, Any] | None]) -> None:
        """Takes up what `pack` gave."""
        switches, self._declined = packed
        names = {"model": "model", "effort": "thinkingEffort"}
        self._switches.unpack(switches, lambda name, at: as_str((read(at) or {}).get(names[name])))


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
