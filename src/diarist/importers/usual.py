"""Records in their usual shape, decoded straight into typed values: nothing is built that does not matter, nothing looked at twice.

A record that does not fit in every field is read as any JSON and looked at closely. Both ways give the same steps, so a
shape must refuse (`Absent`) whatever field the close look would heed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeAlias

import msgspec

from diarist.importers.chat import Chat
from diarist.importers.claude_blocks import tool_outcome
from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally

Absent: TypeAlias = msgspec.UnsetType
"""Type of a field that must not be there (its default is `msgspec.UNSET`)."""
Named: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Moment: TypeAlias = str | int | float | None
_decode_any = msgspec.json.Decoder().decode


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


def typed_first(shape: Any) -> Callable[[bytes], Any]:
    """Decodes into `shape` what fits it, and the rest into plain values. Raises as any decoder of msgspec for what is no JSON."""

    @cache
    def decoder() -> Callable[[bytes], Any]:
        return msgspec.json.Decoder(shape).decode

    def decode(raw: bytes) -> Any:
        try:
            return decoder()(raw)
        except msgspec.ValidationError:
            return _decode_any(raw)

    return decode


def add_agent(draft: Draft, content: str | list[Block], tally: Tally, chat: Chat) -> None:
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


def add_user(draft: Draft, content: str | list[Block], tally: Tally, chat: Chat) -> None:
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
    content = block.content
    text = content if isinstance(content, str) else "\n".join([part.text for part in content if part.text])
    found = tool_outcome(text, block.is_error)
    tally.result(block.tool_use_id)
    draft.result(number, found.text, block.tool_use_id, error=found.error, exit_code=found.exit_code, mark=found.mark)
