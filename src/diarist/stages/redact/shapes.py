"""Tokens without a literal prefix of their own, told by their shape alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.redact.shape import is_filler, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.tokens import starts_afresh
from diarist.stages.redact.triggers import Confirm, Trigger
from diarist.stages.redact.vocabulary import is_example
from diarist.text.lazy import lazy


class _Shape(NamedTuple):
    id: str
    needs: bytes
    """A literal in the trigger."""
    trigger: bytes
    """Of a fixed length, or ends at a fixed place."""
    back: int
    """How far before the end of the trigger the token may start."""
    whole: re.Pattern[bytes]
    """The token; must reach over the trigger's end."""
    floor: float


_SHAPES = (
    _Shape(
        "discord-token",
        b".",
        rb"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27}",
        63,
        lazy(rb"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])"),
        30,
    ),
    _Shape(
        "airtable-token", b"pat", rb"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", 82, lazy(rb"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"), 0
    ),
    _Shape(
        "airtable-key",
        b"key",
        rb"key[A-Za-z0-9]{14}",
        17,
        lazy(rb"key(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[a-z])[A-Za-z0-9]{14}(?![A-Za-z0-9_])"),
        28,
    ),
    _Shape("twilio-key", b"SK", rb"SK[0-9a-f]{32}", 34, lazy(rb"SK[0-9a-f]{32}(?![A-Za-z0-9])"), -60),
    _Shape("twilio-id", b"AC", rb"AC[0-9a-f]{32}", 34, lazy(rb"AC[0-9a-f]{32}(?![A-Za-z0-9])"), -60),
    _Shape("facebook-token", b"|", rb"[0-9]{15}\|[A-Za-z0-9_\-]{27}", 44, lazy(rb"\d{15,16}\|[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])"), 10),
    _Shape("telegram-token", b":AA", rb":AA[A-Za-z0-9_\-]{31}", 44, lazy(rb"\d{8,10}:AA[A-Za-z0-9_-]{31,33}(?![A-Za-z0-9_-])"), 10),
    _Shape(
        "vault-token",
        b"s.",
        rb"s\.[A-Za-z0-9]{24}",
        26,
        lazy(rb"s\.(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[a-z])[A-Za-z0-9]{24}(?![A-Za-z0-9_.(])"),
        30,
    ),
    _Shape(
        "azure-secret",
        b"Q~",
        rb"[0-9]Q~[A-Za-z0-9_~.\-]{31}",
        38,
        lazy(rb"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"),
        20,
    ),
    _Shape("azure-token", b"AZDO", rb"AZDO[A-Za-z0-9]{4}", 84, lazy(rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"), 40),
    _Shape("notion-token", b"secret_", rb"secret_[A-Za-z0-9]{43}", 50, lazy(rb"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])"), 10),
    _Shape(
        "azure-storage-key",
        b"+ASt",
        rb"\+ASt[A-Za-z0-9+/]{4}==",
        88,
        lazy(rb"[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{4}[A-Za-z0-9+/=]{0,4}"),
        20,
    ),
    _Shape(
        "terraform-token", b".atlasv1.", rb"\.atlasv1\.[A-Za-z0-9_=\-]{20}", 43, lazy(rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{20,}"), 20
    ),
)


_MAILCHIMP = lazy(rb"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])")


def _mailchimp(data: bytes, end: int) -> Span | None:
    match = _MAILCHIMP.match(data, end - 36) if end >= 36 else None
    if match is None or is_filler(match[0][:32]) or not starts_afresh(data, match.start()):
        return None
    return Span(match.start(), match.end(), "mailchimp-key", "mailchimp-key", rank=4)


def triggers() -> list[Trigger]:
    """One for each shape."""
    mailchimp = [Trigger(b"-us%d" % digit, _mailchimp) for digit in range(1, 10)]
    return mailchimp + [Trigger(shape.trigger, _confirm_of(shape), literal=False, needs=(shape.needs,)) for shape in _SHAPES]


def _confirm_of(shape: _Shape) -> Confirm:
    def confirm(data: bytes, end: int) -> Span | None:
        low = max(0, end - shape.back)
        for match in shape.whole.finditer(data, low, end + 64):
            text = match[0]
            whole = match.end() >= end and starts_afresh(data, match.start()) and surprise(text) >= shape.floor
            if whole and not is_filler(text) and not is_example(text):
                return Span(match.start(), match.end(), shape.id, shape.id, rank=4)
        return None

    return confirm
