"""Layer B: a vendor's name, an operator, and a value of the shape that vendor's keys have."""

from __future__ import annotations

import re
from functools import lru_cache

from diarist.stages.redact.rules.vendors import SHAPES
from diarist.stages.redact.shape import is_filler
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger
from diarist.stages.redact.values import value_after
from diarist.stages.redact.vocabulary import is_example
from diarist.stages.redact.words import is_denied
from diarist.text.lazy import lazy

_OPERATOR = lazy(
    rb"(?P<rest>[\w.-]{0,40}(?:[ ](?:bot|api|app|key|id|access))?)[\"'`\\\])]{0,4}[ \t]{0,8}[?+.|]?(?:=>|:=|[=:]{1,4}|,|%3D|\|\|?|>)"
)


@lru_cache(maxsize=1)
def _shapes() -> dict[bytes, list[re.Pattern[bytes]]]:
    table: dict[bytes, list[re.Pattern[bytes]]] = {}
    for shape, vendors in SHAPES:
        expression = lazy(shape.encode() + rb"\Z")
        for vendor in vendors:
            table.setdefault(vendor.encode(), []).append(expression)
    return table


def triggers() -> list[Trigger]:
    """At each vendor's name in lower case, capitalised and in upper case, and as it is written in the table."""
    names = sorted({vendor for _, vendors in SHAPES for vendor in vendors})

    def at(written: bytes, vendor: bytes) -> Trigger:
        return Trigger(written, lambda data, end: _confirm(data, end, vendor, len(written)))

    return [at(form.encode(), name.encode()) for name in names for form in sorted({name, name.capitalize(), name.upper()})]


def _confirm(data: bytes, end: int, vendor: bytes, size: int) -> Span | None:
    if data[end - size - 1 : end - size].isalpha() and data[end - size : end - size + 1].islower():
        return None
    match = _OPERATOR.match(data, end, end + 80)
    if match is None or is_denied(match["rest"]):
        return None
    value = value_after(data, match.end())
    if value is None or value.template:
        return None
    text = data[value.start : value.end]
    if not 12 <= len(text) <= 120 or text.isalpha() or is_filler(text) or is_example(text):
        return None
    if not any(shape.match(text) for shape in _shapes()[vendor]) or not (b":" in text or any(48 <= code <= 57 for code in text)):
        return None
    kind = f"{vendor.decode()}-key"
    return Span(value.start, value.end, kind, kind, rank=2, origin=end - size)
