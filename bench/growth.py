"""Transcripts made as large as people's out of small ones of the same format: whole records, again and again, with ids of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

REAL_RECORD = 1400
"""Bytes of a record, on average, in the smaller of the two collections of real JSON-lines sessions that were measured (1.4 and 3.5 kB)."""
_ID_FIELD = re.compile(r"(?:\A|_|[a-z])(?:[iI]d|ID|[uU]uid|UUID)\Z|\Acause\Z")
_ID = re.compile(r"[\w.:@#~+=-]{1,100}\Z")
_KEPT = re.compile(r"session|conversation|thread|project|agent|model|provider|\AtoolId\Z", re.IGNORECASE)
"""Fields that name what all copies have in common: the session, who spoke, which tool was called."""
_LOG = "".join(f"\nINFO parcel {number}: weighed, labelled and handed over to the crane" for number in range(64))


def grown(data: bytes, size: int, record_size: int = 0) -> bytes:
    """At least `size` bytes of JSON lines: the records of `data`, then copies of all but the first with other ids, in the same session.

    `record_size`: the longest text of a shorter record is made longer, as outputs of commands are, until the record has so many bytes.
    Empty where `data` holds no records.
    """
    records = list(_records(data))
    if not records:
        return b""
    ids = {each for record in records for each in _ids(record)} - set(_ids(records[0]) if len(records) > 1 else ())
    records = [_longer(record, record_size) for record in records]
    pieces, total, number = list[bytes](), 0, 0
    while total < size:
        renamed = {each: f"{each}{number:x}" for each in ids} if number else {}
        for record in records[1:] if number and len(records) > 1 else records:
            pieces.append(msgspec.json.encode(_with_ids(record, renamed)) + b"\n")
            total += len(pieces[-1])
        number += 1
    return b"".join(pieces)


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(value, dict):
            yield value


def _ids(value: Any, name: str = "") -> Iterator[str]:
    """Values of fields that name a record, a message or a call; not those that name what they have in common."""
    if isinstance(value, dict):
        for field, part in value.items():
            yield from _ids(part, field)
    elif isinstance(value, list):
        for part in value:
            yield from _ids(part, name)
    elif isinstance(value, str) and _ID_FIELD.search(name) and not _KEPT.search(name) and _ID.match(value):
        yield value


def _with_ids(value: Any, renamed: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {field: _with_ids(part, renamed) for field, part in value.items()}
    if isinstance(value, list):
        return [_with_ids(part, renamed) for part in value]
    return renamed.get(value, value) if isinstance(value, str) else value


def _longer(record: dict[str, Any], size: int) -> dict[str, Any]:
    missing = size - len(msgspec.json.encode(record))
    longest = max((text for text in _texts(record) if " " in text), key=len, default="")
    if missing <= 0 or not longest:
        return record
    return dict(_with_ids(record, {longest: _lengthened(longest, (_LOG * (1 + missing // len(_LOG)))[:missing])}))


def _lengthened(text: str, more: str) -> str:
    """The text with more behind it; a text that is JSON itself, as arguments of calls may be, with more in its longest text."""
    try:
        value = msgspec.json.decode(text) if text[:1] == "{" else None
    except msgspec.DecodeError:
        value = None
    longest = max(_texts(value), key=len, default="")
    return msgspec.json.encode(_with_ids(value, {longest: longest + more})).decode() if longest else text + more


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
