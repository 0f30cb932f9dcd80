"""Chat messages: a JSON list, an object with a list, or JSON lines of `{"role", "content"}`, as most services and tools print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, add_output, is_message, opening_messages
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.encodings import peek
from diarist.importers.glimpse import Glimpse, glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Ledger, Pairs, Tally
from diarist.importers.usual import Asked, Block, Moment, Named, Shape, Text, add_agent, add_calls, add_user, text_of
from diarist.importers.values import as_list, as_time, first_str
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading

_LISTS = ("messages", "conversation", "conversations", "history", "chat", "dialog", "turns")
_WRAPPERS = ("message", "msg", "data", "payload", "event", "item")
_LABEL = re.compile(
    r"truth|gold|label|target|expect|reference|example|few_?shot|judge|grader|grading|reward|score|correct|solution|answer", re.IGNORECASE
)
"""Names below which a benchmark keeps what the agent must not know."""
_DEPTH = 4
_FACTS = ("model", "cwd", "title", "version")
_NAMES = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "chat_id", "trace_id")
_IDS = (*_NAMES, "id")
_TIMES = ("timestamp", "created_at", "createdAt", "ts", "time")


def message_list(value: object) -> list[Any] | None:
    """The messages of a list, or of an object that holds one under a usual name; None where there are none."""
    if isinstance(value, list):
        return value if any(map(is_message, value[:8])) else None
    if isinstance(value, dict):
        return next((value[name] for name in _LISTS if isinstance(value.get(name), list) and any(map(is_message, value[name][:8]))), None)
    return None


def deep_message_list(value: object, depth: int = 0) -> list[Any] | None:
    """The messages of a document that no importer knows: the first list of them below any name that is no label's, unwrapped."""
    if isinstance(value, list):
        messages = [unwrapped(item) for item in value]
        if sum(map(is_message, messages[:8])) >= 2:
            return messages
        return deep_message_list(value[0], depth + 1) if value and depth < _DEPTH else None
    if isinstance(value, dict) and depth < _DEPTH:
        below = (item for name, item in value.items() if isinstance(item, dict | list) and not _LABEL.search(name))
        return next((found for item in below if (found := deep_message_list(item, depth + 1)) is not None), None)
    return None


def unwrapped(value: Any) -> Any:
    """The message that an event holds, or the value itself."""
    if isinstance(value, dict) and not is_message(value):
        return next((value[name] for name in _WRAPPERS if is_message(value.get(name))), value)
    return value


def add_messages(messages: Iterable[Any], session: str, tally: Tally, prefix: str = "m") -> Iterator[RawStep]:
    """Steps of a list of messages, each counted as one record."""
    chat = Chat()
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            tally.broken(number, "not a message")
            continue
        at = message_time(message)
        draft = Draft(session, f"{prefix}{number}", at, number)
        reason = chat.add(draft, message, tally)
        if reason:
            tally.skip(reason)
        else:
            tally.keep()
            tally.moment(at)
            tell(tally, "model", message.get("model"))
        yield from draft.steps


def message_time(message: dict[str, Any]) -> datetime | None:
    """When a message was written, under any of the usual names."""
    for name in _TIMES:
        if name in message:
            return as_time(message[name])
    return None


def tell(tally: Tally, name: str, value: object, at: int = 0) -> None:
    """Notes a fact if it is a text."""
    if isinstance(value, str) and value:
        tally.facts.tell(name, value, at)


class _Message(Shape, gc=False, forbid_unknown_fields=True):
    """What lines of every role share. Any other field may name the conversation or tell a fact, in one of many spellings."""

    timestamp: Moment = None


class _Asked(_Message, tag_field="role", tag="user", gc=False, kw_only=True):
    content: str | list[Block]


class _Said(_Message, tag_field="role", tag="assistant", gc=False, kw_only=True):
    content: str | list[Block]
    tool_calls: list[Asked] | None = None


class _Gave(_Message, tag_field="role", tag="tool", gc=False, kw_only=True):
    content: str | list[Text]
    tool_call_id: Named
    name: str = ""
    is_error: bool | None = None


class MessageLines(PlainRecords):
    """JSON lines: messages of one conversation, or one conversation a line."""

    name = "messages/jsonl"
    heads = frozenset((*_FACTS, *_IDS, *_LISTS, *_WRAPPERS))

    def __init__(self) -> None:
        self._chat = Chat()
        self.expect({_Asked: self._asked, _Said: self._said, _Gave: self._gave})

    def session_of(self, record: Record) -> str:
        """An id that the line has, or one made of its first messages where the line is a conversation."""
        value: dict[str, Any] = record.value
        if is_message(value):
            return "" if len(value) == 2 else first_str(value, *_NAMES)
        messages = message_list(value)
        if messages is not None:
            return first_str(value, *_IDS) or opening_id(opening_messages(messages))
        return first_str(value, *_NAMES)

    def facts(self, record: Record) -> Pairs:
        """Model, folder, title."""
        value: dict[str, Any] = record.value
        if len(value) == 2 and "role" in value:
            return ()
        message = unwrapped(value)
        return told(*[(name, message.get(name) or value.get(name)) for name in _FACTS])

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one message, or of all messages of a line."""
        message: dict[str, Any] = record.value
        if not is_message(message):
            messages = message_list(message)
            if messages is not None:
                return _conversation(messages, session, record.line, tally)
            message = unwrapped(message)
        at = message_time(message) or (message_time(record.value) if message is not record.value else None)
        draft = Draft(session, f"#{record.number}", at, record.line)
        reason = self._chat.add(draft, message, tally)
        if not reason:
            tally.moment(at)
        return reason or draft.steps

    def _asked(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = _draft(record, session)
        add_user(draft, record.value.content, tally, self._chat)
        return _done(draft, tally)

    def _said(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        draft = _draft(record, session)
        add_agent(draft, record.value.content, tally, self._chat)
        if record.value.tool_calls:
            add_calls(draft, record.value.tool_calls, tally)
        return _done(draft, tally)

    @staticmethod
    def _gave(record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        value: _Gave = record.value
        draft = _draft(record, session)
        tally.result(value.tool_call_id)
        add_output(draft, 0, text_of(value.content), value.tool_call_id, tool=value.name, error=value.is_error)
        return _done(draft, tally)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a conversation."""
        return tally.info(session, "messages", self.name)

    def pack(self) -> Any:
        """Calls that wait for a result."""
        return self._chat.unnamed

    def unpack(self, packed: Any, _read: Callable[[int], Any]) -> None:
        """Takes up what `pack` gave."""
        self._chat.unnamed = list(packed)


def _draft(record: Record, session: str) -> Draft:
    """Of a typed line."""
    return Draft(session, f"#{record.number}", as_time(record.value.timestamp), record.line)


def _done(draft: Draft, tally: Tally) -> Sequence[RawStep] | str:
    if not draft.steps:
        return "empty"
    tally.moment(draft.at)
    return draft.steps


def _conversation(messages: list[Any], session: str, line: int, tally: Tally) -> list[RawStep]:
    """Steps of a line that is a whole conversation: one record. What an earlier line of the same conversation told is left out."""
    chat, steps = Chat(), list[RawStep]()
    for number, message in enumerate(messages, 1):
        draft = Draft(session, f"#{number}", line=line)
        if isinstance(message, dict) and not chat.add(draft, message, tally) and tally.fresh(draft.rid):
            steps += draft.steps
    return steps


class MessageDocument:
    """A list of messages, an object that holds one, or a list of such objects."""

    name = "messages/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of each conversation."""
        messages = message_list(document)
        conversations = as_list(document) if messages is None and isinstance(document, list) else [document]
        for conversation in conversations:
            messages = message_list(conversation)
            if messages is None and (messages := deep_message_list(conversation)) is None:
                ledger.open("").broken(0, "not a conversation")
                continue
            holder = conversation if isinstance(conversation, dict) else {}
            opening = opening_id(opening_messages(messages))
            session = first_str(holder, *_IDS) or opening
            tally = ledger.open(session if session not in ledger.tallies else opening.within(f"{session}#"))
            for name in _FACTS:
                tell(tally, name, holder.get(name))
            yield from add_messages(messages, ledger.current, tally)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a conversation."""
        return tally.info(session, "messages", self.name)


def _looks(seen: Glimpse) -> int:
    if message_list(seen.document) is not None:
        return 30
    if any(message_list(item) is not None for item in seen.items[:4]):
        return 25
    if seen.objects and all(is_message(value) or message_list(value) is not None for value in seen.objects[:6]):
        return 30
    if deep_message_list(seen.document) is not None or sum(is_message(unwrapped(value)) for value in seen.objects[:12]) >= 2:
        return 20
    return 0


def _open(stream: BinaryIO, state: bytes) -> Reading:
    head = b"" if state else peek(stream, 65536)
    seen = glimpse(head)
    single = len(seen.objects) == 1 and seen.document is not None and not is_message(seen.document)
    if (head and not seen.objects) or (single and deep_message_list(seen.document) is not None):
        return DocumentReading(stream, MessageDocument())
    return JsonLinesReading(stream, MessageLines(), state)


IMPORTER = FormatImporter("messages", _looks, _open)
