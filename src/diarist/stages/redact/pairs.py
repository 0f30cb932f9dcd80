"""Name and value as two fields: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="…" value="…"/>`, `<key>…</key><string>…`."""

from __future__ import annotations

from diarist.stages.redact import assignment
from diarist.stages.redact.assignment import Site
from diarist.stages.redact.lazy import Lazy
from diarist.stages.redact.spans import Span
from diarist.stages.redact.values import value_after
from diarist.stages.redact.words import Level, read_key

REST = rb"\\*[\"']?[ \t]*[\s,;\\nrt\-]*(?:</key>[\s\\nrt]*<string>|\\*[\"']?(?:string)?value\\*[\"']?[ \t]*[:=])"
"""What follows the name, in lower case."""

_FIELDS = Lazy(
    rb"(?P<name>[\w.$@\x80-\xff-]{1,80})\\*[\"']?[ \t]*[\s,;\\nrt-]*"
    rb"(?:</key>[\s\\nrt]*<string>|\\*[\"']?(?:[Ss]tring)?[Vv]alue\\*[\"']?[ \t]*[:=])\Z"
)


def confirm(data: bytes, end: int) -> Span | None:
    """The value whose operator ends at `end`, if the field before it names a secret."""
    match = _FIELDS.search(data, max(0, end - 200), end)
    if match is None:
        return None
    key = read_key(match["name"])
    value = value_after(data, end) if key.level > Level.NONE else None
    if value is None:
        return None
    return assignment.judge(data, Site(key, match["name"], match.start()), value._replace(far=False), setting=True)
