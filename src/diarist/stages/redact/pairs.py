"""Name and value as two fields: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="…" value="…"/>`, `<key>…</key><string>…`."""

from __future__ import annotations

from diarist.stages.redact import assignment
from diarist.stages.redact.assignment import Site
from diarist.stages.redact.spans import Span
from diarist.stages.redact.values import value_after
from diarist.stages.redact.words import NO_KEY, Level, read_key
from diarist.text.lazy import lazy

VALUE = rb"(?:</key>[\s\\nrt]*<string>|\\*[\"']?(?:string)?value\\*[\"']?[ \t]*[:=])"
"""The field after the name, in lower case."""

_VALUE_FIELD = lazy(rb"(?:</key>(?:\s|\\[nrt])*<string>|\\*[\"']?(?:[Ss]tring)?[Vv]alue\\*[\"']?[ \t]*[:=])\Z")
_NAME_CHARACTERS = bytes(code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_.-$@")
_BETWEEN = b" \t\r\n\"'\\,;-"


_INPUT = lazy(rb"(?P<name>[\w.$@-]{1,60})[\"'\]]*\)\.\w{1,16}\(\Z")


def confirm_input(data: bytes, at: int) -> Span | None:
    """`page.getByLabel("Password").fill("…")`: what is typed into a field that is named so; the quote stands at `at`."""
    match = _INPUT.search(data, max(0, at - 100), at)
    key = read_key(match["name"]) if match is not None else NO_KEY
    value = value_after(data, at) if key.level > Level.NONE else None
    if match is None or value is None:
        return None
    return assignment.judge(data, Site(key, match["name"], match.start()), value._replace(call=False), setting=True)


def confirm(data: bytes, end: int) -> Span | None:
    """The value whose operator ends at `end`, if the field before it names a secret."""
    field = _VALUE_FIELD.search(data, max(0, end - 40), end)
    if field is None:
        return None
    left = data[max(0, end - 200) : field.start()].rstrip(_BETWEEN)
    while left.endswith((b"\\n", b"\\r", b"\\t")):
        left = left[:-2].rstrip(_BETWEEN)
    name = left[len(left.rstrip(_NAME_CHARACTERS)) :]
    key = read_key(name)
    value = value_after(data, end) if key.level > Level.NONE else None
    if value is None:
        return None
    start = field.start() - len(data[max(0, end - 200) : field.start()]) + len(left) - len(name)
    return assignment.judge(data, Site(key, name, start), value._replace(far=False), setting=True)
