"""Bodies that hold many items: a JSON array, or JSON lines. What is wrong with one is told of that one."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from diarist.app.batches import MOST_AT_ONCE
from diarist.asgi.problems import Problem

LINES = ("application/x-ndjson", "application/jsonl")


class Told(NamedTuple):
    """One item as it was read: `value`, or the `problem` with it."""

    value: Any = None
    problem: str = ""


def read_many(body: bytes, content_type: str, kind: type[msgspec.Struct]) -> list[Told]:
    """The items of a body, in order. Raises Problem 415 for another type, 422 for too many; msgspec's errors for an array that is none."""
    if content_type in LINES:
        pieces = [line for line in body.split(b"\n") if line.strip()]
    elif content_type == "application/json" or content_type.endswith("+json"):
        pieces = [bytes(piece) for piece in msgspec.json.decode(body, type=list[msgspec.Raw])]
    else:
        raise Problem(415, f"the body must be application/json, or JSON lines as {LINES[0]}")
    if len(pieces) > MOST_AT_ONCE:
        raise Problem(422, f"a request may hold {MOST_AT_ONCE:,} items; this one holds {len(pieces):,}")
    decoder = msgspec.json.Decoder(kind)
    return [_read(piece, decoder) for piece in pieces]


def _read(piece: bytes, decoder: msgspec.json.Decoder[Any]) -> Told:
    try:
        return Told(decoder.decode(piece))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Told(problem=str(error))
