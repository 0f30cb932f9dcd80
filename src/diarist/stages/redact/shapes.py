"""Tokens without a literal prefix of their own, told by their shape alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.redact.shape import is_filler, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.tokens import starts_afresh
from diarist.stages.redact.triggers import Trigger
from diarist.stages.redact.words import is_example


class _Shape(NamedTuple):
    id: str
    trigger: bytes
    """Of a fixed length, or ends at a fixed place."""
    back: int
    """How far before the end of the trigger the token may start."""
    whole: re.Pattern[bytes]
    """The token; must reach over the trigger's end."""
    floor: float


_SHAPES = (
    _Shape("discord-token", rb"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27}", 63, re.compile(rb"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])"), 30),
    _Shape("airtable-token", rb"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", 82, re.compile(rb"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"), 0),
    _Shape("airtable-key", rb"key[A-Za-z0-9]{14}", 17, re.compile(rb"key(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[a-z])[A-Za-z0-9]{14}(?![A-Za-z0-9_])"), 28),
    _Shape("twilio-key", rb"SK[0-9a-f]{32}", 34, re.compile(rb"SK[0-9a-f]{32}(?![A-Za-z0-9])"), -60),
    _Shape("twilio-id", rb"AC[0-9a-f]{32}", 34, re.compile(rb"AC[0-9a-f]{32}(?![A-Za-z0-9])"), -60),
    _Shape("mailchimp-key", rb"[0-9a-f]-us[0-9]", 37, re.compile(rb"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"), -60),
    _Shape("facebook-token", rb"[0-9]{15}\|[A-Za-z0-9_\-]{27}", 44, re.compile(rb"\d{15,16}\|[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])"), 10),
    _Shape("telegram-token", rb":AA[A-Za-z0-9_\-]{31}", 44, re.compile(rb"\d{8,10}:AA[A-Za-z0-9_-]{31,33}(?![A-Za-z0-9_-])"), 10),
    _Shape("vault-token", rb"s\.[A-Za-z0-9]{24}", 26, re.compile(rb"s\.(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[a-z])[A-Za-z0-9]{24}(?![A-Za-z0-9_.(])"), 30),
    _Shape("azure-secret", rb"[0-9]Q~[A-Za-z0-9_~.\-]{31}", 38, re.compile(rb"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"), 20),
    _Shape("azure-token", rb"AZDO[A-Za-z0-9]{4}", 84, re.compile(rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"), 40),
    _Shape("notion-token", rb"secret_[A-Za-z0-9]{43}", 50, re.compile(rb"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])"), 10),
    _Shape("model-key", rb"[0-9a-f]{32}\.[A-Za-z0-9]{16}", 49, re.compile(rb"[0-9a-f]{32}\.[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"), 30),
    _Shape("azure-storage-key", rb"\+ASt[A-Za-z0-9+/]{4}==", 88, re.compile(rb"[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{4}[A-Za-z0-9+/=]{0,4}"), 20),
    _Shape("terraform-token", rb"\.atlasv1\.[A-Za-z0-9_=\-]{20}", 43, re.compile(rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{20,}"), 20),
)


def triggers() -> list[Trigger]:
    """One for each shape."""
    return [Trigger(shape.trigger, _confirm_of(shape), literal=False) for shape in _SHAPES]


def _confirm_of(shape: _Shape):  # type: ignore[no-untyped-def]
    def confirm(data: bytes, end: int) -> Span | None:
        low = max(0, end - shape.back)
        for match in shape.whole.finditer(data, low, end + 64):
            text = match[0]
            if match.end() >= end and starts_afresh(data, match.start()) and not is_filler(text) and not is_example(text):
                if surprise(text) >= shape.floor:
                    return Span(match.start(), match.end(), shape.id, shape.id, rank=4)
        return None

    return confirm
