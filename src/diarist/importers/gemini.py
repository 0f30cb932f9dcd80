"""Gemini CLI: chats as one document or as JSON lines with updates, saved chats (`/chat save`), and the log of prompts.

The client knows the project by a hash only. In the lines form a message may be written again later: the last one counts,
so the file is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.documents import DocumentReading, decode_document, leading_document, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.glued import decode_lines
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.reshaped import in_lines
from diarist.importers.switches import SwitchWatch
from diarist.importers.values import (
    as_dict,
    as_exit_code,
    as_int,
    as_list,
    as_str,
    as_time,
    compact,
    content_text,
    dicts,
    first_str,
    renamed,
)
from diarist.model.session import Mark, RawStep, SessionInfo
from diarist.ports import Reading

_USERS = frozenset(("user", "human"))
_AGENTS = frozenset(("gemini", "model", "assistant"))
_SHELL = re.compile(r"\n(Output|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ")
_SHELL_FIELDS = ("Output", "Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID")
_NOTHING = ("(empty)", "(none)")
_DECLINED = ("[Operation Cancelled]", "User did not allow tool call", "Tool call cancelled by user")


class GeminiChat:
    """One session of messages."""

    name = "gemini-cli/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of a chat, or of the log of prompts."""
        if isinstance(document, list) and any("messageId" in item for item in dicts(document[:4])):
            yield from _log_steps(document, ledger)
            return
        holder = as_dict(document)
        messages = as_list(document) or as_list(holder.get("messages")) or as_list(holder.get("history"))
        session = as_str(holder.get("sessionId")) or opening_id(messages[:2])
        tally = ledger.open(session)
        tally.moment(as_time(holder.get("startTime")))
        tally.moment(as_time(holder.get("lastUpdated")))
        if as_str(holder.get("summary")):
            tally.facts.tell("made-title", holder["summary"], 0)
        reader = _MessageReader(session, tally)
        for number, message in enumerate(messages, 1):
            yield from reader.read(message, number)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Models, times, title."""
        log = "log" in tally.flags
        return tally.info(session, "gemini-cli", "gemini-cli/log" if log else self.name, rendering=log)


class _MessageReader:
    """Steps of one message after the other."""

    def __init__(self, session: str, tally: Tally) -> None:
        self._session = session
        self._tally = tally
        self._chat = Chat()
        self._switches = SwitchWatch()

    def read(self, message: Any, number: int) -> list[RawStep]:
        if not isinstance(message, dict):
            self._tally.broken(number, "not a message")
            return []
        at = as_time(message.get("timestamp") or message.get("ts"))
        draft = Draft(self._session, as_str(message.get("id")) or f"#{number}", at, number)
        reason = self._fill(draft, message)
        if reason:
            self._tally.skip(reason)
        else:
            self._tally.keep()
            self._tally.moment(at)
        return draft.steps

    def _fill(self, draft: Draft, message: dict[str, Any]) -> str:
        kind = first_str(message, "type", "role")
        if "parts" in message or (kind in _USERS and "role" in message):
            return self._chat.add(draft, {"role": kind, "content": message.get("parts", message.get("content"))}, self._tally)
        text = content_text(message.get("content"))
        if kind in _USERS:
            draft.user(0, text)
        elif kind in _AGENTS:
            self._agent(draft, message, text)
        elif kind in ("info", "warning", "error"):
            draft.add("notice", 0, text, _notice_mark(kind, text))
        else:
            return "unknown-type"
        return "" if draft.steps else "empty"

    def _agent(self, draft: Draft, message: dict[str, Any], text: str) -> None:
        model = as_str(message.get("model"))
        if model:
            self._tally.facts.tell("model", model, 0)
        self._switches.see(draft, 0, model=model)
        tokens = as_dict(message.get("tokens"))
        if tokens:
            self._tally.use(draft.rid, count_tokens(tokens))
        for number, thought in enumerate(dicts(message.get("thoughts"))):
            subject, description = as_str(thought.get("subject")), as_str(thought.get("description"))
            draft.thought(f"thought{number}", f"**{subject}** {description}".strip() if subject else description)
        draft.reply(0, text)
        for number, call in enumerate(dicts(message.get("toolCalls"))):
            add_tool_call(draft, number, call, self._tally)


def add_tool_call(draft: Draft, number: int, call: dict[str, Any], tally: Tally) -> None:
    """A tool call with its result beside it, as Gemini CLI and its descendants write it."""
    call_id = as_str(call.get("id")) or f"{draft.rid}/call{number}"
    tally.call(call_id)
    draft.call(f"call{number}", as_str(call.get("name")), as_dict(call.get("args")), call_id)
    status = as_str(call.get("status"))
    result = call.get("result")
    if result is None and status not in ("success", "error", "cancelled"):
        return
    tally.result(call_id)
    text = _response_text(result) or content_text(call.get("resultDisplay")) or as_str(as_dict(call.get("resultDisplay")).get("fileDiff"))
    output, code = _shell_output(text) if text.startswith(("Command: ", "Output: ")) else (text, None)
    declined = status == "cancelled" or text.startswith(_DECLINED)
    failed: bool | None = status == "error" or declined
    if code is not None:
        failed = code != 0
    elif status == "success" and call.get("name") == "run_shell_command":
        failed = None
    mark: Mark = "refusal" if declined else ""
    draft.result(f"result{number}", output, call_id, error=failed, exit_code=code, mark=mark, at=as_time(call.get("timestamp")))


def _shell_output(text: str) -> tuple[str, int | None]:
    """What a shell printed, and its exit status: they stand among other fields, which the output itself may look like."""
    whole, text = text, f"\n{text}"
    marks = list(_SHELL.finditer(text))
    last = {mark[1]: number for number, mark in enumerate(marks)}
    first = next((number for number, mark in enumerate(marks) if mark[1] == "Output"), None)
    if first is None:
        return whole, None
    ends = [number for name in _SHELL_FIELDS[1:] if (number := last.get(name, -1)) > first]
    after = {marks[number][1]: number for number in sorted(ends)}
    end = marks[min(ends)].start() if ends else len(text)
    parts = [text[marks[first].end() : end]]
    if "Error" in after:
        following = [number for number in ends if number > after["Error"]]
        parts.append(text[marks[after["Error"]].end() : marks[min(following)].start() if following else len(text)])
    status = as_exit_code(text[marks[after["Exit Code"]].end() :].split("\n", 1)[0].strip()) if "Exit Code" in after else None
    return "\n".join(part for part in parts if part and part not in _NOTHING), status


def _response_text(result: Any) -> str:
    texts = []
    for part in result if isinstance(result, list) else [result]:
        response = as_dict(as_dict(as_dict(part).get("functionResponse")).get("response"))
        texts.append(
            as_str(response.get("output")) or as_str(response.get("error")) or (compact(response) if response else content_text(part))
        )
    return "\n".join(filter(None, texts))


def count_tokens(tokens: dict[str, Any]) -> Tokens:
    """Usage of a message. Its input counts cached tokens too; ours does not."""
    cached = as_int(tokens.get("cached"))
    return Tokens(
        input=max(0, as_int(tokens.get("input")) - cached),
        output=as_int(tokens.get("output")),
        cache_read=cached,
        reasoning=as_int(tokens.get("thoughts")),
    )


def _notice_mark(kind: str, text: str) -> Mark:
    low = text.lower()
    if "request cancelled" in low or "user cancelled" in low:
        return "interrupt"
    if "quota" in low or "limit" in low:
        return "limit" if kind == "error" else "machine"
    return "api-error" if kind == "error" else "machine"


def _log_steps(document: list[Any], ledger: Ledger) -> Iterator[RawStep]:
    """Prompts of all sessions. The chats hold them too, under other ids: this is a rendering of them."""
    for number, entry in enumerate(document, 1):
        if not isinstance(entry, dict):
            ledger.open("").broken(number, "not a log entry")
            continue
        own = as_str(entry.get("sessionId"))
        session = renamed(own or "log", f"log:{own}")
        tally = ledger.open(session)
        tally.flags.add("log")
        draft = Draft(session, f"log{entry.get('messageId')}", as_time(entry.get("timestamp")), number)
        if entry.get("type") == "user":
            draft.user(0, content_text(entry.get("message")))
        if draft.steps:
            tally.keep()
            tally.moment(draft.at)
        else:
            tally.skip("empty")
        yield from draft.steps


class GeminiLines(DocumentReading):
    """A chat written line by line: a header, messages, and updates."""

    def decode(self, data: bytes) -> Any:
        """The document, or the chat that its lines amount to."""
        first, _, more = data.partition(b"\n")
        if more.strip() and _is_header(decode_document(first)):
            return _gather(decode_lines(data))
        document = decode_document(data)
        if document is None and not _is_header(leading_document(data)):
            return None  # a document with something behind it
        if isinstance(document, list) and any("$set" in item or "kind" in item for item in dicts(document)):
            return _gather(document)  # lines that somebody put into a list
        return document if document is not None and not _is_header(document) else _gather(decode_lines(in_lines(data) or data))


def _is_header(document: Any) -> bool:
    return isinstance(document, dict) and not any(name in document for name in ("messages", "history"))


def _gather(values: Iterable[Any]) -> dict[str, Any] | None:
    chat: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for number, value in enumerate(values):
        if not isinstance(value, dict):
            messages[f"line {number}"] = value
            continue
        update = value.get("$set")
        if isinstance(update, dict):
            chat.update({name: part for name, part in update.items() if name != "messages"})
            messages.update({as_str(message.get("id")): message for message in dicts(update.get("messages"))})
        elif "sessionId" in value and "type" not in value:
            chat.update(value)
        elif "$rewindTo" in value or "type" in value or "role" in value:
            messages[as_str(value.get("id")) or f"line {number}"] = value
    return {**chat, "messages": list(messages.values())} if chat or messages else None


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    if "projectHash" in top and "sessionId" in top:
        return 92
    if any("messageId" in item and "sessionId" in item and "message" in item for item in seen.items[:2]):
        return 15
    messages = seen.items or tuple(dicts(top.get("history"))) or tuple(dicts(top.get("messages")))
    if any("parts" in message and message.get("role") in ("user", "model", "gemini") for message in messages[:6]):
        return 60
    return 60 if any(message.get("type") == "gemini" for message in messages[:6]) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("GEMINI_CLI_HOME")
    return [(Path(base) if base else home) / ".gemini" / "tmp"]


def _open(stream: BinaryIO, _state: bytes) -> Reading:
    return GeminiLines(stream, GeminiChat())


IMPORTER = FormatImporter("gemini-cli", _looks, _open, _roots)
