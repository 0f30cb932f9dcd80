"""Model values to JSON and back. One place, so that every surface and hash sees the same bytes."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from diarist.model.entry import Entry

T = TypeVar("T")

_encoder = msgspec.json.Encoder(order="deterministic")


def to_json(value: object) -> bytes:
    """Any model value (or plain JSON value, or sequence of them) as compact UTF-8 JSON: same value, same bytes."""
    return _encoder.encode(_plain(value))


def from_json(data: bytes | str, kind: type[T]) -> T:
    """Reads a model value.

    Raises
    ------
    msgspec.ValidationError, msgspec.DecodeError
        The data is not JSON of that kind.
    """
    return msgspec.json.decode(data, type=kind)


def seal(entry: Entry) -> Entry:
    """The entry with its own hash: SHA-256 of its JSON with `entry_hash` empty."""
    return msgspec.structs.replace(entry, entry_hash=entry_digest(entry))


def entry_digest(entry: Entry) -> str:
    """What `entry_hash` must be (64 hex digits)."""
    return hashlib.sha256(to_json(msgspec.structs.replace(entry, entry_hash=""))).hexdigest()


def _plain(value: object) -> Any:
    """Named tuples become objects: to msgspec they are plain arrays."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(part) for key, part in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value
