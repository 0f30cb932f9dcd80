"""The arithmetic of the history chain. Pure.

An event's commitment is SHA-256 over a random salt and its payload. Erasing payload and salt leaves a number that
proves nothing about what was there, and the chain, which runs over commitments, stays whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

SALT_BYTES = 32
_json = msgspec.json.Encoder()


class Event(NamedTuple):
    """One change, as the chain sees it; `at` in microseconds since 1970 UTC."""

    seq: int
    at: int
    actor: str
    record_id: str
    action: str
    op: str
    revision: int
    commitment: str


def commit(salt: bytes, payload: bytes) -> str:
    """Commitment to `payload` (64 hex digits)."""
    return hashlib.sha256(salt + payload).hexdigest()


def make_link(previous: str, events: Sequence[Event]) -> str:
    """Link of one transaction: its events, and every transaction before it (`previous`: the last link; "" for the first)."""
    return hashlib.sha256(_json.encode(["diarist-link/1", previous, events])).hexdigest()
