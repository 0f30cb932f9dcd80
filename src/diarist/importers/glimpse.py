"""A look at the first bytes of a file, shared by all importers that are asked whether it is theirs."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from diarist.importers.encodings import as_utf8
from diarist.importers.reshaped import values_of
from diarist.importers.values import LENIENT, clean
from diarist.text.lazy import lazy

MAX_OBJECTS = 24
_TOKEN = lazy(r'"(?:[^"\\]|\\.)*+"|["\[\]{},]', re.DOTALL)
_decode = msgspec.json.Decoder().decode
_MAGIC = {"(zip)": b"PK\x03\x04", "(sqlite)": b"SQLite format 3\x00"}
_CLOSERS = {"{": "}", "[": "]"}


class Glimpse(NamedTuple):
    """What the head of a file shows."""

    objects: tuple[dict[str, Any], ...]
    """The first JSON objects of a file of JSON lines; one for a file that is one object on one line."""
    document: Any
    """The value of a JSON document, as far as the head shows it; None where the file is none."""
    text: str
    """The head as text."""
    fields: frozenset[str] = frozenset()
    """Names of the fields that its first records, or the document itself, have at the top. Beside them how it looks as a whole: "(list)"
    for a document that is a list, "(text)" for what is no JSON, "(zip)" and "(sqlite)".
    """

    @property
    def first(self) -> dict[str, Any]:
        """The first object of either."""
        if self.objects:
            return self.objects[0]
        if isinstance(self.document, list):
            return next((item for item in self.document if isinstance(item, dict)), {})
        return self.document if isinstance(self.document, dict) else {}

    @property
    def is_json(self) -> bool:
        """True where the file itself is JSON: it may quote any text then, and is none."""
        return self.text[:1] in ("{", "[") and (bool(self.objects) or self.document is not None)

    @property
    def items(self) -> tuple[dict[str, Any], ...]:
        """The objects of a document that is a list."""
        return tuple(item for item in self.document if isinstance(item, dict)) if isinstance(self.document, list) else ()

    @property
    def mapping(self) -> dict[str, Any]:
        """The document if it is an object, else an empty one."""
        return self.document if isinstance(self.document, dict) else {}


def _fields(seen: Glimpse, head: bytes) -> frozenset[str]:
    found = set[str]()
    found.update(*seen.objects, *seen.items[:MAX_OBJECTS], seen.first, seen.mapping)
    if isinstance(seen.document, list):
        found.add("(list)")
        nested = [each for each in seen.document[:MAX_OBJECTS] if isinstance(each, list)]
        found.update(*[part for each in nested for part in each if isinstance(part, dict)])
    if not seen.is_json:
        found.add("(text)")
    found.update(name for name, mark in _MAGIC.items() if head.startswith(mark))
    return frozenset(found)


@lru_cache(maxsize=2)
def glimpse(head: bytes) -> Glimpse:
    """Looks at the first bytes of a file. Never raises."""
    text = as_utf8(head).decode("utf-8", "replace").lstrip("\ufeff \t\r\n\x00").rstrip("\x00").replace("\r\n", "\n")
    first, newline, _ = text.partition("\n")
    spread = text[:1] in ("{", "[") and newline and not _is_object(first) and not first.rstrip().endswith("}")
    objects: tuple[dict[str, Any], ...] = ()
    if spread and first.strip() == "{":
        objects = _spread_objects(text)
    elif not spread and text[:1] != "[":
        objects = tuple(_line_objects(text))
    document = _document(text) if text[:1] in ("{", "[") and len(objects) < 2 else None
    seen = Glimpse(objects, document, text)
    return seen._replace(fields=_fields(seen, head))


def _is_object(line: str) -> bool:
    return isinstance(_value(line), dict)


def _value(text: str) -> Any:
    """The JSON value at the start of a text, None if there is none."""
    try:
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return clean(LENIENT.raw_decode(text)[0])
    except (ValueError, RecursionError):
        return None


def _line_objects(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in text.split("\n")[:400]:
        stripped = line.strip(" \t\r\x00,")
        if stripped[:1] != "{":
            continue
        values = [_value(stripped)]
        if values == [None] and not found and len(line) > 2000:
            values = [prefix_value(stripped)]
        if "}{" in stripped:  # records that were glued together
            values = [value for value, _ in islice(values_of(stripped), MAX_OBJECTS)] or values
        found += [value for value in values if isinstance(value, dict) and value]
        if len(found) >= MAX_OBJECTS:
            break
    return found


def _spread_objects(text: str) -> tuple[dict[str, Any], ...]:
    """Objects that are spread over lines; none where there is one only, which is a document."""
    found = tuple(value for value, _ in islice(values_of(text), MAX_OBJECTS) if isinstance(value, dict) and value)
    return found if len(found) > 1 else ()


def _document(text: str) -> Any:
    """The value of a document. What stands behind it does not make it another, unless it could be the beginning of a text."""
    try:
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        value, end = LENIENT.raw_decode(text)
    except (ValueError, RecursionError):
        return prefix_value(text)
    first = value[0] if isinstance(value, list) and value else value
    return clean(value) if not text[end:].strip() or (first and isinstance(first, dict)) else None


def prefix_value(text: str) -> Any:
    """The value whose JSON starts with `text`, cut off after its last complete part. None where it is no JSON."""
    stack: list[str] = []
    cut, closers = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark == '"':
            break
        if mark in _CLOSERS:
            stack.append(_CLOSERS[mark])
            cut, closers = token.end(), "".join(reversed(stack))
        elif mark in ("}", "]"):
            if not stack or stack.pop() != mark:
                return None
            cut, closers = token.end(), "".join(reversed(stack))
        elif mark == "," and stack:
            cut, closers = token.start(), "".join(reversed(stack))
        if len(stack) > 100:
            break
    try:
        value, _ = LENIENT.raw_decode(text[:cut] + closers)
    except (ValueError, RecursionError):
        return None
    return clean(value)
