"""Records in their usual shape, decoded straight into typed values: nothing is built that does not matter, nothing looked at twice.

A format lists its shapes with what takes each of them (`PlainRecords.expect`). A record that does not fit one in every field is
read as any JSON and looked at closely. Both ways give the same steps, so a shape must refuse (`Absent`) whatever field the close
look would heed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec

from diarist.importers.chat import Chat
from diarist.importers.claude_blocks import tool_outcome
from diarist.importers.draft import Draft
from diarist.importers.jsonlines import Record
from diarist.importers.ledger import Tally
from diarist.importers.values import as_arguments, as_time

Absent: TypeAlias = msgspec.UnsetType
"""Type of a field that must not be there (its default is `msgspec.UNSET`)."""
Named: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Moment: TypeAlias = str | int | float | None


class Shape(msgspec.Struct, gc=False):
    """A record. `session`: the session that it names, "" for none; a field of that name where records of the shape name one."""

    session: ClassVar[str] = ""


def begin(record: Record, session: str, tally: Tally, moment: Moment, own: str = "") -> Draft:
    """The draft of a typed record of this moment; `own`: its id, "" for one without."""
    at = as_time(moment)
    tally.moment(at)
    return Draft(session, own or f"#{record.number}", at, record.line)


class Text(msgspec.Struct, tag_field="type", tag="text", gc=False):
    """A block of text."""

    text: str
    functionCall: Absent = msgspec.UNSET  # noqa: N815 - as it is written
    functionResponse: Absent = msgspec.UNSET  # noqa: N815
    thought: Absent = msgspec.UNSET


class Call(msgspec.Struct, tag_field="type", tag="tool_use", gc=False):
    """A block that calls a tool. `id`: "" where it has none."""

    name: Named
    input: dict[str, Any]
    id: str = ""
    function: Absent = msgspec.UNSET
    functionCall: Absent = msgspec.UNSET  # noqa: N815
    arguments: Absent = msgspec.UNSET
    call_id: Absent = msgspec.UNSET
    tool_call_id: Absent = msgspec.UNSET
    toolCallId: Absent = msgspec.UNSET  # noqa: N815


class Result(msgspec.Struct, tag_field="type", tag="tool_result", gc=False):
    """A block that holds what a tool gave back."""

    tool_use_id: Named
    content: str | list[Text]
    is_error: bool = False


Block: TypeAlias = Text | Call | Result


class Function(msgspec.Struct, gc=False):
    """What a call of a chat message names, and its arguments."""

    name: Named
    arguments: str | dict[str, Any]


class Asked(msgspec.Struct, gc=False):
    """A call in a chat message: of a function, or with name and arguments of its own."""

    id: Named
    function: Function | None = None
    name: str = ""
    arguments: str | dict[str, Any] | None = None
    input: Absent = msgspec.UNSET
    args: Absent = msgspec.UNSET
    parameters: Absent = msgspec.UNSET
    toolName: Absent = msgspec.UNSET  # noqa: N815
    tool_name: Absent = msgspec.UNSET


def add_calls(draft: Draft, calls: list[Asked], tally: Tally) -> None:
    """Steps of the calls of a chat message."""
    for number, call in enumerate(calls):
        named = call.function or call
        tally.call(call.id)
        draft.call(f"call{number}", named.name, as_arguments(named.arguments), call.id)


def text_of(content: str | list[Text]) -> str:
    """The text of content, as `content_text` finds it."""
    if isinstance(content, str):
        return content
    return content[0].text if len(content) == 1 else "\n".join([part.text for part in content if part.text])


def add_agent(draft: Draft, content: str | Sequence[Block], tally: Tally, chat: Chat) -> None:
    """Steps of what the agent said and called, as `Chat` gives them for the same message."""
    if isinstance(content, str):
        draft.reply(0, content)
        return
    for number, block in enumerate(content):
        if type(block) is Text:
            draft.reply(number, block.text)
        elif type(block) is Call:
            call_id = block.id or chat.name_call(f"{draft.rid}/{number}")
            tally.call(call_id)
            draft.call(number, block.name, block.input, call_id)
        elif type(block) is Result:
            _add_result(draft, number, block, tally)


def add_user(draft: Draft, content: str | Sequence[Block], tally: Tally, chat: Chat) -> None:
    """Steps of a user turn: what was asked, and what tools gave back."""
    if isinstance(content, str):
        draft.user(0, content)
        return
    for number, block in enumerate(content):
        if type(block) is Text:
            draft.user(number, block.text)
        elif type(block) is Result:
            chat.take_call()
            _add_result(draft, number, block, tally)


def _add_result(draft: Draft, number: int, block: Result, tally: Tally) -> None:
    found = tool_outcome(text_of(block.content), block.is_error)
    tally.result(block.tool_use_id)
    draft.result(number, found.text, block.tool_use_id, error=found.error, exit_code=found.exit_code, mark=found.mark)
