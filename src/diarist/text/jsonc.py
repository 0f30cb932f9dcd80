"""JSON with comments, edited as text: what is there stays byte for byte, only insertions and removals of whole parts are made.

Understands line and block comments and trailing commas, as editors' settings files have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from json import decoder
from typing import Any, Literal, NamedTuple

import msgspec

from diarist.text.lazy import lazy

_BLANK = lazy(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BLANK_STARTS = frozenset(" \t\r\n/")
_REST_OF_LINE = lazy(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\n]*)?")
_SCALAR = lazy(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_MAX_DEPTH = 200


class Insertion(NamedTuple):
    """Text to put in at an offset of the text as it was."""

    at: int
    text: str


class Node(msgspec.Struct):
    """A value and where it stands: `text[start:end]`."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = 0
    value: Any = None
    """A scalar's value."""
    items: list[Node] = msgspec.field(default_factory=list)
    """Of an array, or the values of an object."""
    keys: list[str] = msgspec.field(default_factory=list)
    """Of an object, beside `items`."""
    key_starts: list[int] = msgspec.field(default_factory=list)
    comma: bool = False
    """A comma stands after the last item."""

    def member(self, key: str) -> Node | None:
        """The value under a key; of doubled keys the last, as readers do."""
        found = [item for name, item in zip(self.keys, self.items, strict=True) if name == key] if self.kind == "object" else []
        return found[-1] if found else None

    def plain(self) -> Any:
        """The value without places."""
        if self.kind == "object":
            return {key: item.plain() for key, item in zip(self.keys, self.items, strict=True)}
        return [item.plain() for item in self.items] if self.kind == "array" else self.value

    def begin_of(self, number: int) -> int:
        """Where the item begins, with its key."""
        return self.key_starts[number] if self.kind == "object" else self.items[number].start


def parse(text: str) -> Node:
    """The document. Raises ValueError saying line and column where it is none."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    node = _value(text, start, 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _error(text, end, "more text after the end")
    return node


def _skip(text: str, at: int) -> int:
    if text[at : at + 1] not in _BLANK_STARTS:
        return at
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _MAX_DEPTH:
        raise _error(text, at, "nested too deeply")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    if text[at : at + 1] == '"':
        value, end = _string(text, at)
        return Node("scalar", at, end, value)
    match = _SCALAR.match(text, at)
    if not match:
        raise _error(text, at, "a value is missing or cannot be read")
    return Node("scalar", at, match.end(), json.loads(match[0]))


def _container(text: str, at: int, depth: int) -> Node:
    node = Node("object" if text[at] == "{" else "array", at)
    close = "}" if node.kind == "object" else "]"
    at = _skip(text, at + 1)
    while text[at : at + 1] != close:
        if node.items and not node.comma:
            raise _error(text, at, "a comma is missing")
        node.comma = False
        if node.kind == "object":
            if text[at : at + 1] != '"':
                raise _error(text, at, "a key is missing")
            key, end = _string(text, at)
            node.keys.append(key)
            node.key_starts.append(at)
            at = _skip(text, end)
            if text[at : at + 1] != ":":
                raise _error(text, at, "a colon is missing")
            at = _skip(text, at + 1)
        node.items.append(_value(text, at, depth + 1))
        at = _skip(text, node.items[-1].end)
        if text[at : at + 1] == ",":
            node.comma = True
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        found: tuple[str, int] = decoder.scanstring(text, at + 1, False)  # type: ignore[attr-defined]
    except ValueError as error:
        raise _error(text, at, "a text is not closed or holds a bad escape") from error
    return found


def _error(text: str, at: int, what: str) -> ValueError:
    line = text.count("\n", 0, at) + 1
    return ValueError(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")


# --- inserting --------------------------------------------------------------------------------------------------------


def insert(text: str, path: Sequence[str], value: Any, *, append: bool) -> str:
    """The text with `value` added: as the last item of the array at `path` (`append`), else as the member that `path` names.

    Objects on the way are made where they are missing. An empty text becomes a document.

    Raises
    ------
    ValueError
        The text is no document, or something on the way is of another kind.
    """
    if not text.strip("\ufeff \t\r\n"):
        text += "{}\n"
    node, done = parse(text), 0
    while done < len(path):
        if node.kind != "object":
            raise ValueError(f"{'.'.join(path[:done]) or 'the document'} is no object")
        below = node.member(path[done])
        if below is None:
            break
        node, done = below, done + 1
    if done < len(path):
        wrapped: Any = [value] if append else value
        for key in reversed(path[done + 1 :]):
            wrapped = {key: wrapped}
        return _applied(text, _as_member(text, node, path[done], wrapped))
    if not append:
        raise ValueError(f"{'.'.join(path)} is there already")
    if node.kind != "array":
        raise ValueError(f"{'.'.join(path)} is no list")
    return _applied(text, _as_last(text, node, lambda indent: _rendered(value, text, indent)))


def _as_member(text: str, node: Node, key: str, value: Any) -> list[Insertion]:
    return _as_last(text, node, lambda indent: f"{json.dumps(key, ensure_ascii=False)}: {_rendered(value, text, indent)}")


def _as_last(text: str, node: Node, render: Callable[[str], str]) -> list[Insertion]:
    """Insertions that add one more to a container, laid out as its other items are."""
    newline = _newline(text)
    if node.items and "\n" not in text[node.start : node.end]:
        return _inline(node, _flat(render("")))
    outer = _indent_of(text, node.start)
    if not node.items:
        inner = outer + _unit(text)
        before_close = len(text[: node.end - 1].rstrip(" \t"))
        lead = "" if text[:before_close].endswith("\n") else newline
        return [Insertion(before_close, f"{lead}{inner}{render(inner)}{newline}{outer if lead else ''}")]
    last = node.items[-1]
    inner = _indent_of(text, node.begin_of(len(node.items) - 1))
    end = _skip(text, last.end) + 1 if node.comma else last.end
    match = _REST_OF_LINE.match(text, end)
    line_end = match.end() if match else end
    added = f"{newline}{inner}{render(inner)}{',' if node.comma else ''}"
    closing = "" if "\n" in text[line_end : node.end] else f"{newline}{outer}"
    rest = [Insertion(line_end, added + closing)]
    return rest if node.comma else [Insertion(last.end, ","), *rest]


def _inline(node: Node, rendered: str) -> list[Insertion]:
    return [Insertion(node.items[-1].end, f", {rendered}")] if not node.comma else [Insertion(node.end - 1, f" {rendered}")]


def _flat(rendered: str) -> str:
    return " ".join(line.strip() for line in rendered.split("\n"))


def _rendered(value: Any, text: str, indent: str) -> str:
    unit = _unit(text)
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines) if indent or len(lines) == 1 else _newline(text).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match and len(match[1]) <= 8 else "  "


def _indent_of(text: str, at: int) -> str:
    """Blanks at the beginning of the line that `at` is on."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _applied(text: str, insertions: Sequence[Insertion]) -> str:
    """Applies insertions that are listed from left to right; at one place, in that order."""
    for insertion in reversed(insertions):
        text = text[: insertion.at] + insertion.text + text[insertion.at :]
    return text


# --- removing ---------------------------------------------------------------------------------------------------------


def remove(text: str, path: Sequence[str | int]) -> str:
    """The text without the member or item at `path`. Raises ValueError or LookupError where there is none."""
    node = parse(text)
    for step in path[:-1]:
        node = _step(node, step)[0]
    _, number = _step(node, path[-1])
    begin, end = node.begin_of(number), node.items[number].end
    followed = number < len(node.items) - 1 or node.comma
    if followed:
        end = _skip(text, end) + 1  # its comma goes with it
    if number < len(node.items) - 1:
        return text[:begin] + text[end:].lstrip(" \t\r\n")
    before = node.items[number - 1].end if number else node.start + 1
    lead = text[before:begin].rstrip(" \t\r\n")
    if number and not followed:  # the one before is the last now and needs no comma
        comma = _skip(text, before) - before
        lead = lead[:comma] + lead[comma + 1 :]
    rest = text[end:]
    if not number and not lead and not rest[: node.end - 1 - end].strip(" \t\r\n"):
        rest = text[node.end - 1 :]
    if "//" in lead.rpartition("\n")[2] and not rest.lstrip(" \t\r").startswith("\n"):
        lead += _newline(text)
    return text[:before] + lead + rest


def _step(node: Node, step: str | int) -> tuple[Node, int]:
    number = len(node.keys) - 1 - node.keys[::-1].index(step) if isinstance(step, str) else step
    return node.items[number], number


def walk(node: Node, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Node]]:
    """Every value with its path, the outer ones first."""
    yield path, node
    names: Sequence[str | int] = node.keys if node.kind == "object" else range(len(node.items))
    for name, item in zip(names, node.items, strict=True):
        yield from walk(item, (*path, name))
