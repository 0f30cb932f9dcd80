"""Passwords in files that programs read: `.netrc`, `.pgpass`, `.htpasswd`, password databases, named pairs in YAML, JSON and XML."""

from __future__ import annotations

import re

from diarist.stages.redact import assignment
from diarist.stages.redact.assignment import Site
from diarist.stages.redact.operators import NAME
from diarist.stages.redact.shape import is_elided, is_filler, is_template
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger
from diarist.stages.redact.values import value_after
from diarist.stages.redact.words import Level, is_example, is_vocabulary, read_key

_GAP = rb"(?:[ \t]|(?:\\+r)?\\+n|\\+t|\r?\n[ \t]*(?:\d{1,6}(?:[ \t]*\xe2\x86\x92|[:|\t]))?[ \t]*(?:[+>|-][ \t]*)?)+"
_NETRC = re.compile(
    rb"(?:machine" + _GAP + rb"[\w.:/*-]{1,200}|default)" + _GAP + rb"(?:(?:login|account)" + _GAP + rb"[^\s\\]{1,200}" + _GAP
    + rb"){0,2}password" + _GAP + rb"(?P<value>(?:[^\s\\\"']|\\(?![nrt]))[^\s\\\"']{0,200})"
)
_LOGIN = re.compile(rb"login" + _GAP + rb"[^\s\\]{1,200}" + _GAP + rb"password" + _GAP + rb"(?P<value>[^\s\\\"']{3,200})(?=\s*(?:\Z|[\r\n]|\\[nr]|account|machine|default|[\"']))")
_PGPASS = re.compile(
    rb"(?:\A|[\n\r]|\\[nr]|[\"'`])[ \t]*(?:\d{1,6}(?:[ \t]*\xe2\x86\x92|[:|\t])[ \t]*)?(?:[+>|-][ \t]*)?"
    rb"(?P<host>[A-Za-z*][\w.*-]{0,200}|\d{1,3}(?:\.\d{1,3}){3}):(?P<port>\d{4,5}|\*):(?P<database>[A-Za-z_*][\w*-]{0,64}):(?P<user>[A-Za-z_*][\w.*@-]{0,64}):\Z"
)
_PGVALUE = re.compile(rb"(?:[^\s:\"'\\`]|\\[:\\])(?:[^\s\"'\\`]|\\[:\\])*(?=\s|\\[nr]|[\"'`]|\Z)")


def triggers() -> list[Trigger]:
    """Where such files and pairs can be told."""
    pair = rb"\\*[\"']?[ \t]*[\s,;\\nrt-]*(?:</key>[\s\\nrt]*<string>|\\*[\"']?(?:string)?value\\*[\"']?[ \t]*[:=])"
    return [
        Trigger(b"machine", lambda data, end: _plain(_NETRC.match(data, end - 7, end + 1200))),
        Trigger(b"login", lambda data, end: _plain(_LOGIN.match(data, end - 5, end + 700))),
        Trigger(rb":(?:[0-9][0-9][0-9][0-9][0-9]?|\*):[A-Za-z_*][\w*\-]*:[A-Za-z_*][\w.*@\-]*:", _pgpass, literal=False),
        Trigger(NAME + pair, _named_pair, literal=False, caseless=True),
        *(Trigger(mark, _hash_of(len(mark))) for mark in _HASHES),
    ]


def _shown(value: bytes) -> bool:
    return is_template(value) or is_elided(value) or is_example(value) or is_filler(value) or value.startswith(b"[REDACTED:")


def _plain(match: re.Match[bytes] | None) -> Span | None:
    if match is None or _shown(match["value"]) or is_vocabulary(match["value"]):
        return None
    return Span(match.start("value"), match.end("value"), "netrc", "password", rank=2, origin=match.start())


def _pgpass(data: bytes, end: int) -> Span | None:
    """`host:5432:database:user:password`."""
    left = _PGPASS.search(data, max(0, end - 500), end)
    right = _PGVALUE.match(data, end, end + 300)
    if left is None or right is None or len(right[0]) < 3 or _shown(right[0]) or is_vocabulary(right[0]):
        return None
    return Span(end, right.end(), "pgpass", "password", rank=2, origin=left.start("host"))


_PAIR_NAME = re.compile(
    rb"(?P<name>[\w.$@\x80-\xff-]{1,80})\\*[\"']?[ \t]*[\s,;\\nrt-]*(?:</key>[\s\\nrt]*<string>|\\*[\"']?(?:[Ss]tring)?[Vv]alue\\*[\"']?[ \t]*[:=])\Z"
)


def _named_pair(data: bytes, end: int) -> Span | None:
    """`{"name": "DB_PASSWORD", "value": "…"}`, `<add key="…" value="…"/>`, `<key>…</key><string>…`."""
    match = _PAIR_NAME.search(data, max(0, end - 200), end)
    if match is None:
        return None
    key = read_key(match["name"])
    value = value_after(data, end) if key.level > Level.NONE else None
    if value is None:
        return None
    return assignment.judge(data, Site(key, match["name"], match.start()), value._replace(far=False), setting=True)


_HASHES = {
    b"$apr1$": re.compile(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    b"$1$": re.compile(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    b"$2a$": re.compile(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$2b$": re.compile(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$2y$": re.compile(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$5$": re.compile(rb"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}"),
    b"$6$": re.compile(rb"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    b"$y$": re.compile(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,90}\$[./A-Za-z0-9]{43}"),
    b"$argon2": re.compile(rb"(?:id|i|d)\$(?:v=\d+\$)?m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,180}"),
    b"{SSHA}": re.compile(rb"[A-Za-z0-9+/]{28,100}={0,2}"),
    b"pbkdf2_sha256$": re.compile(rb"\d{4,8}\$[A-Za-z0-9]{4,64}\$[A-Za-z0-9+/]{43}="),
}


def _hash_of(size: int):  # type: ignore[no-untyped-def]
    def confirm(data: bytes, end: int) -> Span | None:
        start = end - size
        match = _HASHES[data[start:end]].match(data, end)
        return Span(start, match.end(), "password-hash", "password-hash", rank=3) if match is not None else None

    return confirm
