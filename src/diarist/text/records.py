"""What a file of unknown make consists of: its records counted by the names they give themselves, and their shape without their words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from diarist.text.lazy import lazy

_KINDS = ("type", "kind", "role", "record_type", "event", "source", "from")
"""Fields by which records say what they are."""
_INSIDE = ("payload", "message", "data", "attachment", "event", "msg", "item")
_NAME = lazy(r"[A-Za-z][\w./:-]{0,39}\Z")
_DEPTH = 4
_MOST_FIELDS, _MOST_ITEMS = 24, 2
_MOST_NAMES = 64
OTHER = "other"
NOT_JSON = "not JSON"
MAX_DOCUMENT = 128 << 20
"""Larger documents are not looked into."""
_BLANK = b" \t\r\n\x00,"


def record_types(lines: Iterable[bytes]) -> dict[str, int]:
    """Records by name, most frequent first: of JSON lines each line, of a JSON document each object of its lists.

    A name is what a record calls itself and what it holds, as "response_item/message". Empty for what is no JSON.
    """
    rest = iter(lines)
    first = next((text for line in rest if (text := line.strip(_BLANK))), b"")
    value = _decoded(first)
    if isinstance(value, dict):
        counts = Counter([record_name(value), *_line_names(rest)])
        if counts.total() == 1:
            counts = Counter(_listed(value, "")) or counts
    else:
        whole = [first, *rest]
        document = _decoded(b"\n".join(whole)) if sum(map(len, whole)) <= MAX_DOCUMENT else None
        counts = Counter(_listed(document, "") if document is not None else [name for name in _line_names(whole) if name != NOT_JSON])
    return dict(counts.most_common(_MOST_NAMES))


def _line_names(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.strip(_BLANK)
        if text:
            value = _decoded(text)
            yield record_name(value) if isinstance(value, dict) else NOT_JSON if value is None else OTHER


def record_name(value: dict[str, Any]) -> str:
    """What a record calls itself; "other" for one that gives no name."""
    own = _own_name(value)
    below = next((name for field in _INSIDE if isinstance(value.get(field), dict) and (name := _own_name(value[field]))), "")
    below = below or (value["subtype"] if _is_name(value.get("subtype")) else "")
    return "/".join(filter(None, (own, below if below != own else ""))) or OTHER


def _own_name(value: dict[str, Any]) -> str:
    return next((value[field] for field in _KINDS if _is_name(value.get(field))), "")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.match(value) is not None


def _listed(value: Any, path: str, depth: int = 0) -> Iterator[str]:
    """Names of the objects in the lists of a document, behind the way to their list."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                name = record_name(item)
                yield f"{path}: {name}" if path else name
                if name == OTHER and depth < _DEPTH:
                    yield from _listed(item, path, depth + 1)
    elif isinstance(value, dict) and depth < _DEPTH:
        for field, item in value.items():
            if isinstance(item, dict | list) and _is_name(field):
                yield from _listed(item, f"{path}.{field}" if path else field, depth + 1)


def outline(value: Any, depth: int = 0) -> Any:
    """The shape of a JSON value: its fields, the kind and size of what they hold, and the names in fields that name things.

    >>> outline({"type": "say", "text": "the weight is wrong", "n": 3})
    {'type': 'say', 'text': '<text, 19>', 'n': '<number>'}
    """
    if isinstance(value, dict):
        if depth >= _DEPTH:
            return f"<object, {len(value)} fields>"
        shown = {field: _field(field, item, depth) for field, item in list(value.items())[:_MOST_FIELDS] if _is_name(field)}
        more = len(value) - len(shown)
        return {**shown, "…": f"{more} more fields"} if more else shown
    if isinstance(value, list):
        shown_items = [outline(item, depth + 1) for item in value[:_MOST_ITEMS]]
        return [*shown_items, f"… {len(value) - _MOST_ITEMS} more"] if len(value) > _MOST_ITEMS else shown_items
    if isinstance(value, str):
        return f"<text, {len(value)}>"
    if value is None or isinstance(value, bool):
        return value
    return "<number>"


def _field(field: str, value: Any, depth: int) -> Any:
    return value if field in (*_KINDS, "subtype", "version", "schema_version") and _is_name(value) else outline(value, depth + 1)


def outlines(head: bytes, most: int = 5) -> list[str]:
    """The first records of a file as one line of outline each; empty for what is no JSON."""
    found = []
    for line in head.splitlines()[:400]:
        value = _decoded(line.strip(_BLANK))
        if isinstance(value, dict | list):
            found.append(json.dumps(outline(value), ensure_ascii=False))
        if len(found) >= most:
            break
    if not found and (document := _decoded(head)) is not None:
        found.append(json.dumps(outline(document), ensure_ascii=False))
    return found


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw[:1] in (b"{", b"[") else None
    except (ValueError, RecursionError):
        return None
